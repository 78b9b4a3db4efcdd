"""Events."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

create_destroy = case(
    "event.create_destroy",
    "Create an event without timing and destroy it.",
    calls="cuEventCreate cuEventDestroy",
    references="#658 #709",
)


@create_destroy("bindings")
def _(loop: Loop, cu: Subject) -> object:
    create, destroy = cu.driver.cuEventCreate, cu.driver.cuEventDestroy
    flags = cu.driver.CUevent_flags.CU_EVENT_DISABLE_TIMING.value
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


record = case(
    "event.record",
    "Record an event on a stream.",
    calls="cuEventRecord",
    references="#658 #709",
    asynchronous=True,
)


@record("bindings")
def _(loop: Loop, cu: Subject) -> object:
    stream, record_event = cu.stream, cu.driver.cuEventRecord
    event = cu.check(cu.driver.cuEventCreate(cu.driver.CUevent_flags.CU_EVENT_DISABLE_TIMING.value))
    out = None
    for _ in loop:
        out = record_event(event, stream)
    cu.check(cu.driver.cuEventDestroy(event))
    return out


@record("core")
def _(loop: Loop, cu: Subject) -> object:
    record_event, event = cu.core_stream.record, cu.device.create_event()
    for _ in loop:
        record_event(event)
    event.close()
    return None
