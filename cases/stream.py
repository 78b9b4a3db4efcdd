"""Streams."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

create_destroy = case(
    "stream.create_destroy",
    "Create a non-blocking stream and destroy it.",
    calls="cuStreamCreateWithPriority cuStreamDestroy",
    references="#658 #677 #709",
)


@create_destroy("bindings")
def _(loop: Loop, cu: Subject) -> object:
    create, destroy = cu.driver.cuStreamCreateWithPriority, cu.driver.cuStreamDestroy
    flags = cu.driver.CUstream_flags.CU_STREAM_NON_BLOCKING.value
    out = None
    for _ in loop:
        _, stream = create(flags, 0)
        out = destroy(stream)
    return out


@create_destroy(
    "core",
    calls="cuCtxGetStreamPriorityRange cuStreamCreateWithPriority cuStreamDestroy",
    differs="cuda.core also asks for the range of priorities",
)
def _(loop: Loop, cu: Subject) -> object:
    create = cu.device.create_stream
    for _ in loop:
        create().close()
    return None
