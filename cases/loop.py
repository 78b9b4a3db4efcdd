"""The loop's own cost, for the reader to set beside every other number. Nothing is ever subtracted."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

empty = case("loop.empty", "A turn that does nothing: what the loop itself costs.")


@empty("python")
def _(loop: Loop, _cu: Subject) -> object:
    for _ in loop:
        pass
    return None
