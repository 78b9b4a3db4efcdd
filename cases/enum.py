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


value = case("enum.value", "The value of a member: member.value.", references="#659 #982 #1581", without_native=NO_TWIN)


@value("bindings")
def _(loop: Loop, cu: Subject) -> object:
    success = cu.driver.CUresult.CUDA_SUCCESS
    for _ in loop:
        success.value  # noqa: B018 -- reading it is what is measured
    return None


as_int = case("enum.int", "The value of a member: int(member).", references="#659 #982 #1581", without_native=NO_TWIN)


@as_int("bindings")
def _(loop: Loop, cu: Subject) -> object:
    success = cu.driver.CUresult.CUDA_SUCCESS
    for _ in loop:
        int(success)
    return None


by_dict = case(
    "enum.dict",
    "A member by its value from a dictionary, the way to avoid CUresult(0).",
    references="#439 #546",
    without_native=NO_TWIN,
)


@by_dict("python")
def _(loop: Loop, cu: Subject) -> object:
    members = {0: cu.driver.CUresult.CUDA_SUCCESS}
    for _ in loop:
        members[0]
    return None
