"""Streams."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

CORE_CALLS = "cuCtxGetStreamPriorityRange cuStreamCreateWithPriority cuStreamDestroy"
RANGE = "cuda.core also asks for the range of priorities"
CUDART = "cudaStreamCreateWithPriority and cudaStreamDestroy"

create_destroy = case(
    "stream.create_destroy",
    "Create a non-blocking stream and destroy it.",
    calls="cuStreamCreateWithPriority cuStreamDestroy",
    references="#658 #677 #709",
)
create_destroy.native_runtime(differs=CUDART)


@create_destroy("bindings")
def _(loop: Loop, cu: Subject) -> object:
    create, destroy = cu.driver.cuStreamCreateWithPriority, cu.driver.cuStreamDestroy
    flags = cu.driver.CUstream_flags.CU_STREAM_NON_BLOCKING.value
    out = None
    for _ in loop:
        _, stream = create(flags, 0)
        out = destroy(stream)
    return out


@create_destroy("bindings-runtime", calls="", differs=CUDART, needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    create, destroy = cu.runtime.cudaStreamCreateWithPriority, cu.runtime.cudaStreamDestroy
    flags = cu.runtime.cudaStreamNonBlocking
    out = None
    for _ in loop:
        _, stream = create(flags, 0)
        out = destroy(stream)
    return out


@create_destroy("core", calls=CORE_CALLS, differs=RANGE)
def _(loop: Loop, cu: Subject) -> object:
    create = cu.device.create_stream
    for _ in loop:
        create().close()
    return None


create_drop = case(
    "stream.create_drop",
    "Create a non-blocking stream and drop the object, whose destructor destroys it.",
    calls="cuStreamCreateWithPriority cuStreamDestroy",
    references="#658 #677 #709",
    isolated=True,
)
create_drop.native_runtime(differs=CUDART)


@create_drop("core", calls=CORE_CALLS, differs=RANGE)
def _(loop: Loop, cu: Subject) -> object:
    create = cu.device.create_stream
    for _ in loop:
        create()
    return None


@create_drop("cupy", calls="", differs="through the runtime, cudart", needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    stream = cu.cupy.cuda.Stream
    for _ in loop:
        stream(non_blocking=True)
    return None


query = case(
    "stream.query",
    "Ask whether an idle stream is done. cuda.core offers no query.",
    calls="cuStreamQuery",
    references="#658 #709",
)


@query("bindings")
def _(loop: Loop, cu: Subject) -> object:
    query_stream, stream = cu.driver.cuStreamQuery, cu.stream
    out = None
    for _ in loop:
        out = query_stream(stream)
    return out


sync = case(
    "stream.sync",
    "Wait on the host for an idle stream.",
    calls="cuStreamSynchronize",
    references="#658 #709",
)


@sync("bindings")
def _(loop: Loop, cu: Subject) -> object:
    synchronize, stream = cu.driver.cuStreamSynchronize, cu.stream
    out = None
    for _ in loop:
        out = synchronize(stream)
    return out


@sync("core")
def _(loop: Loop, cu: Subject) -> object:
    synchronize = cu.core_stream.sync
    for _ in loop:
        synchronize()
    return None


wait = case(
    "stream.wait",
    "Make a stream wait for an event of another.",
    calls="cuStreamWaitEvent",
    references="#658 #709",
    asynchronous=True,
)


@wait("bindings")
def _(loop: Loop, cu: Subject) -> object:
    driver, waiting, wait_event = cu.driver, cu.stream, cu.driver.cuStreamWaitEvent
    other = cu.check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING.value))
    event = cu.check(driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_DISABLE_TIMING.value))
    cu.check(driver.cuEventRecord(event, other))
    out = None
    for _ in loop:
        out = wait_event(waiting, event, 0)
    cu.check(driver.cuEventDestroy(event))
    cu.check(driver.cuStreamDestroy(other))
    return out


@wait("core")
def _(loop: Loop, cu: Subject) -> object:
    other, event, wait_event = cu.device.create_stream(), cu.device.create_event(), cu.core_stream.wait
    other.record(event)
    for _ in loop:
        wait_event(event)
    event.close()
    other.close()
    return None
