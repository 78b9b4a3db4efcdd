"""Events."""

from typing import Any

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

CUDART = "cudaEventCreateWithFlags and cudaEventDestroy"


def happened(cu: Subject, *, timing: bool = False) -> Any:
    """Return an event of cuda.bindings that was recorded and has happened."""
    flags = cu.driver.CUevent_flags
    event = cu.check(cu.driver.cuEventCreate((flags.CU_EVENT_DEFAULT if timing else flags.CU_EVENT_DISABLE_TIMING).value))
    cu.check(cu.driver.cuEventRecord(event, cu.stream))
    cu.drain()
    return event


def core_happened(cu: Subject, options: object = None) -> Any:
    """Return an event of cuda.core that was recorded and has happened."""
    event = cu.device.create_event(options)
    cu.core_stream.record(event)
    cu.drain()
    return event


create_destroy = case(
    "event.create_destroy",
    "Create an event without timing and destroy it.",
    calls="cuEventCreate cuEventDestroy",
    references="#658 #677 #709",
)
create_destroy.native_runtime(differs=CUDART)


@create_destroy("bindings")
def _(loop: Loop, cu: Subject) -> object:
    create, destroy = cu.driver.cuEventCreate, cu.driver.cuEventDestroy
    flags = cu.driver.CUevent_flags.CU_EVENT_DISABLE_TIMING.value
    out = None
    for _ in loop:
        _, event = create(flags)
        out = destroy(event)
    return out


@create_destroy("bindings-runtime", calls="", differs=CUDART, needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    create, destroy = cu.runtime.cudaEventCreateWithFlags, cu.runtime.cudaEventDestroy
    flags = cu.runtime.cudaEventDisableTiming
    out = None
    for _ in loop:
        _, event = create(flags)
        out = destroy(event)
    return out


@create_destroy("core")
def _(loop: Loop, cu: Subject) -> object:
    create = cu.device.create_event
    for _ in loop:
        create().close()
    return None


create_destroy_timing = case(
    "event.create_destroy_timing",
    "Create an event with timing and destroy it.",
    calls="cuEventCreate cuEventDestroy",
    references="#658 #709",
)


@create_destroy_timing("bindings")
def _(loop: Loop, cu: Subject) -> object:
    create, destroy = cu.driver.cuEventCreate, cu.driver.cuEventDestroy
    flags = cu.driver.CUevent_flags.CU_EVENT_DEFAULT.value
    out = None
    for _ in loop:
        _, event = create(flags)
        out = destroy(event)
    return out


@create_destroy_timing("core")
def _(loop: Loop, cu: Subject) -> object:
    create, options = cu.device.create_event, cu.timing_options
    for _ in loop:
        create(options).close()
    return None


create_drop = case(
    "event.create_drop",
    "Create an event without timing and drop the object, whose destructor destroys it.",
    calls="cuEventCreate cuEventDestroy",
    references="#658 #677 #709",
    isolated=True,
)
create_drop.native_runtime(differs=CUDART)


@create_drop("core")
def _(loop: Loop, cu: Subject) -> object:
    create = cu.device.create_event
    for _ in loop:
        create()
    return None


@create_drop("cupy", calls="", differs=CUDART, needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    event = cu.cupy.cuda.Event
    for _ in loop:
        event(disable_timing=True)
    return None


record = case(
    "event.record",
    "Record an event on a stream.",
    calls="cuEventRecord",
    references="#658 #709",
    asynchronous=True,
)
record.native_runtime(differs="cudaEventRecord")


@record("bindings")
def _(loop: Loop, cu: Subject) -> object:
    stream, record_event = cu.stream, cu.driver.cuEventRecord
    event = cu.check(cu.driver.cuEventCreate(cu.driver.CUevent_flags.CU_EVENT_DISABLE_TIMING.value))
    out = None
    for _ in loop:
        out = record_event(event, stream)
    cu.check(cu.driver.cuEventDestroy(event))
    return out


@record("bindings-runtime", calls="", differs="cudaEventRecord", needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    runtime, record_event = cu.runtime, cu.runtime.cudaEventRecord
    stream = cu.check(runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking))
    event = cu.check(runtime.cudaEventCreateWithFlags(runtime.cudaEventDisableTiming))
    out = None
    for _ in loop:
        out = record_event(event, stream)
    cu.check(runtime.cudaEventDestroy(event))
    cu.check(runtime.cudaStreamDestroy(stream))
    return out


@record("core")
def _(loop: Loop, cu: Subject) -> object:
    record_event, event = cu.core_stream.record, cu.device.create_event()
    for _ in loop:
        record_event(event)
    event.close()
    return None


query = case(
    "event.query",
    "Ask whether an event has happened that has: cuEventQuery, or Event.is_done.",
    calls="cuEventQuery",
    references="#658 #709",
)


@query("bindings")
def _(loop: Loop, cu: Subject) -> object:
    query_event, event = cu.driver.cuEventQuery, happened(cu)
    out = None
    for _ in loop:
        out = query_event(event)
    cu.check(cu.driver.cuEventDestroy(event))
    return out


@query("core")
def _(loop: Loop, cu: Subject) -> object:
    event = core_happened(cu)
    for _ in loop:
        event.is_done  # noqa: B018 -- reading it is what is measured
    event.close()
    return None


sync = case(
    "event.sync",
    "Wait on the host for an event that has happened.",
    calls="cuEventSynchronize",
    references="#658 #709",
)


@sync("bindings")
def _(loop: Loop, cu: Subject) -> object:
    synchronize, event = cu.driver.cuEventSynchronize, happened(cu)
    out = None
    for _ in loop:
        out = synchronize(event)
    cu.check(cu.driver.cuEventDestroy(event))
    return out


@sync("core")
def _(loop: Loop, cu: Subject) -> object:
    event = core_happened(cu)
    synchronize = event.sync
    for _ in loop:
        synchronize()
    event.close()
    return None


elapsed_time = case(
    "event.elapsed_time",
    "The time between two events that have happened: cuEventElapsedTime, or second - first.",
    calls="cuEventElapsedTime",
    references="#658 #709",
)


@elapsed_time("bindings")
def _(loop: Loop, cu: Subject) -> object:
    elapsed, first, second = cu.driver.cuEventElapsedTime, happened(cu, timing=True), happened(cu, timing=True)
    out = None
    for _ in loop:
        out = elapsed(first, second)
    cu.check(cu.driver.cuEventDestroy(first))
    cu.check(cu.driver.cuEventDestroy(second))
    return out


@elapsed_time("core")
def _(loop: Loop, cu: Subject) -> object:
    first, second = core_happened(cu, cu.timing_options), core_happened(cu, cu.timing_options)
    for _ in loop:
        second - first
    first.close()
    second.close()
    return None
