"""The enumerations of cuda.bindings: every call constructs one for its status."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

NO_TWIN = "An enumeration costs nothing at run time in C++."

construct = case("enum.construct", "CUresult(0).", references="#439 #546 #982 #1581", without_native=NO_TWIN)


@construct("bindings")
def _(loop: Loop, cu: Subject) -> object:
    result = cu.driver.CUresult
    for _ in loop:
        result(0)
    return None


member = case("enum.member", "CUresult.CUDA_SUCCESS.", references="#439 #982 #1581", without_native=NO_TWIN)


@member("bindings")
def _(loop: Loop, cu: Subject) -> object:
    result = cu.driver.CUresult
    for _ in loop:
        result.CUDA_SUCCESS  # noqa: B018 -- reading it is what is measured
    return None
