"""Versions of the driver, the libraries and cuda.bindings."""

from importlib import import_module, metadata

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

CONSTANT = "In C++ the version is a constant of the headers."

driver = case(
    "version.driver",
    "The driver's version: cuDriverGetVersion, or the function of cuda.core.system.",
    calls="cuDriverGetVersion",
    references="#512",
)


@driver("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get_version = cu.driver.cuDriverGetVersion
    out = None
    for _ in loop:
        out = get_version()
    return out


@driver("core", calls="", differs="cuda.core asks NVML and splits the number into a tuple", needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    get_version = cu.driver_version
    for _ in loop:
        get_version()
    return None


runtime = case(
    "version.runtime",
    "The version of the linked cudart: cudaRuntimeGetVersion.",
    references="#512",
    without_native="The driver API has nothing like it; native-runtime is set against bindings-runtime.",
)
runtime.native_runtime()


@runtime("bindings-runtime")
def _(loop: Loop, cu: Subject) -> object:
    get_version = cu.runtime.cudaRuntimeGetVersion
    out = None
    for _ in loop:
        out = get_version()
    return out


nvrtc = case("version.nvrtc", "NVRTC's version: nvrtcVersion.", references="#512")


@nvrtc("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get_version = cu.nvrtc.nvrtcVersion
    out = None
    for _ in loop:
        out = get_version()
    return out


binding = case(
    "version.binding",
    "The version of cuda.bindings: its __version__, or the function by which cuda.core asks for it, which caches.",
    references="#512",
    without_native=CONSTANT,
)


@binding("bindings")
def _(loop: Loop, _cu: Subject) -> object:
    bindings = import_module("cuda.bindings")
    out = None
    for _ in loop:
        out = bindings.__version__
    return out


@binding("core")
def _(loop: Loop, cu: Subject) -> object:
    get_version = cu.binding_version
    for _ in loop:
        get_version()
    return None


from_metadata = case(
    "version.metadata",
    "The version of cuda.bindings from its package's metadata, which is what cuda.core caches.",
    references="#512",
    without_native=CONSTANT,
)


@from_metadata("python")
def _(loop: Loop, _cu: Subject) -> object:
    version = metadata.version
    for _ in loop:
        version("cuda-bindings")
    return None
