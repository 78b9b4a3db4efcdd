"""Loading compiled code and asking what is in it."""

from pathlib import Path

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

NO_OPTIONS: tuple[object, ...] = ([], [], 0, [], [], 0)

load_unload = case(
    "module.library_load_unload",
    "Load a cubin from memory as a library and unload it.",
    calls="cuLibraryLoadData cuLibraryUnload",
    references="#1579 #1580",
)


@load_unload("bindings")
def _(loop: Loop, cu: Subject) -> object:
    load, unload, image = cu.driver.cuLibraryLoadData, cu.driver.cuLibraryUnload, Path(cu.cubin).read_bytes()
    out = None
    for _ in loop:
        _, library = load(image, *NO_OPTIONS)
        out = unload(library)
    return out


@load_unload("core", differs="cuda.core loads when the handle is first read, and unloads nothing: cuda.bindings does that here")
def _(loop: Loop, cu: Subject) -> object:
    from_cubin, unload = cu.core.ObjectCode.from_cubin, cu.driver.cuLibraryUnload
    image, _ = Path(cu.cubin).read_bytes(), cu.device
    out = None
    for _ in loop:
        out = unload(from_cubin(image).handle)
    return out


get_kernel = case(
    "module.library_get_kernel",
    "Find a kernel in a loaded library by its name.",
    calls="cuLibraryGetKernel",
    references="#1579 #1580",
)


@get_kernel("bindings")
def _(loop: Loop, cu: Subject) -> object:
    driver = cu.driver
    get, library = driver.cuLibraryGetKernel, cu.check(driver.cuLibraryLoadData(Path(cu.cubin).read_bytes(), *NO_OPTIONS))
    out = None
    for _ in loop:
        out = get(library, b"empty")
    cu.check(driver.cuLibraryUnload(library))
    return out


@get_kernel("core")
def _(loop: Loop, cu: Subject) -> object:
    code, _ = cu.core.ObjectCode.from_cubin(Path(cu.cubin).read_bytes()), cu.device
    get, library = code.get_kernel, code.handle
    for _ in loop:
        get("empty")
    cu.check(cu.driver.cuLibraryUnload(library))
    return None


module = case(
    "module.load_get_unload",
    "Load a cubin from memory as a module of the context, find a function in it, and unload it.",
    calls="cuModuleLoadData cuModuleGetFunction cuModuleUnload",
    references="#1579 #1580",
)


@module("bindings")
def _(loop: Loop, cu: Subject) -> object:
    load, get, unload = cu.driver.cuModuleLoadData, cu.driver.cuModuleGetFunction, cu.driver.cuModuleUnload
    image = Path(cu.cubin).read_bytes()
    out = None
    for _ in loop:
        _, loaded = load(image)
        get(loaded, b"empty")
        out = unload(loaded)
    return out


kernel_attribute = case(
    "module.kernel_attribute",
    "Ask for one attribute of a kernel: the registers that each thread uses.",
    calls="cuKernelGetAttribute",
    references="#1579 #1580",
)


@kernel_attribute("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get, kernel, device = cu.driver.cuKernelGetAttribute, cu.kernel("empty"), cu.check(cu.driver.cuDeviceGet(0))
    registers = cu.driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NUM_REGS
    out = None
    for _ in loop:
        out = get(registers, kernel, device)
    return out


@kernel_attribute("core", calls="cuCtxGetDevice", differs="cuda.core keeps the answer, and asks only which device is current")
def _(loop: Loop, cu: Subject) -> object:
    attributes = cu.core_kernel("empty").attributes
    if callable(attributes.num_regs):
        for _ in loop:
            attributes.num_regs()
    else:
        for _ in loop:
            attributes.num_regs  # noqa: B018 -- reading it is what is measured
    return None
