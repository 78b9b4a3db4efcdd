"""Looking at what a call returned: the check that every call of a careful program pays for."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

NO_TWIN = "In C++ the check is one comparison of an integer with zero."

check = case(
    "error.check",
    "Check a successful result and take its value: cuda.core's handle_return(…), or status, value = … and if status: raise.",
    references="#546 #658 #677 #709",
    without_native=NO_TWIN,
)


@check("python")
def _(loop: Loop, cu: Subject) -> object:
    result, value = cu.driver.cuCtxGetCurrent(), None
    for _ in loop:
        status, value = result
        if status:
            raise RuntimeError(status)
    return value


@check("core", differs="one call of a function")
def _(loop: Loop, cu: Subject) -> object:
    handle_return, result = cu.error_check("handle_return"), cu.driver.cuCtxGetCurrent()
    value = None
    for _ in loop:
        value = handle_return(result)
    return value


check_status = case(
    "error.check_status",
    "Check a successful status alone: cuda.core's _check_driver_error(…), or if status: raise.",
    references="#709",
    without_native=NO_TWIN,
)


@check_status("python")
def _(loop: Loop, cu: Subject) -> object:
    status = cu.driver.CUresult.CUDA_SUCCESS
    for _ in loop:
        if status:
            raise RuntimeError(status)
    return None


@check_status("core", differs="one call of a function")
def _(loop: Loop, cu: Subject) -> object:
    check_driver_error, status = cu.error_check("_check_driver_error"), cu.driver.CUresult.CUDA_SUCCESS
    for _ in loop:
        check_driver_error(status)
    return None


name = case(
    "error.name",
    "The name of an error: cuGetErrorName(CUDA_ERROR_INVALID_VALUE).",
    calls="cuGetErrorName",
    references="#546 #709",
)


@name("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get_name, status = cu.driver.cuGetErrorName, cu.driver.CUresult.CUDA_ERROR_INVALID_VALUE
    out = None
    for _ in loop:
        out = get_name(status)
    return out
