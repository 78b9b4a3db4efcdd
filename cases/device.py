"""Devices and contexts."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

NO_CALL = "cuda.core keeps it on the Device and asks the driver for nothing"

current = case(
    "device.current",
    "Which device is current: cuCtxGetDevice, or cuda.core's and CuPy's Device().",
    calls="cuCtxGetDevice",
    references="#439 #460 #546 #658",
    isolated=True,
)
current.native_runtime(differs="cudaGetDevice")


@current("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get_device = cu.driver.cuCtxGetDevice
    out = None
    for _ in loop:
        out = get_device()
    return out


@current("bindings-runtime", calls="", differs="cudaGetDevice", needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    get_device = cu.runtime.cudaGetDevice
    out = None
    for _ in loop:
        out = get_device()
    return out


@current("core")
def _(loop: Loop, cu: Subject) -> object:
    device = cu.core.Device
    for _ in loop:
        device()
    return None


@current("cupy", calls="", differs="cudaGetDevice", needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    device = cu.cupy.cuda.Device
    for _ in loop:
        device()
    return None


number = case(
    "device.current.number",
    "The number of the current device, as an int.",
    calls="cuCtxGetDevice",
    references="#439",
    isolated=True,
)
number.native_runtime(differs="cudaGetDevice")


@number("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get_device = cu.driver.cuCtxGetDevice
    out = None
    for _ in loop:
        out = get_device()
        int(out[1])
    return out


@number("bindings-runtime", calls="", differs="cudaGetDevice", needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    get_device = cu.runtime.cudaGetDevice
    out = None
    for _ in loop:
        out = get_device()
        out[1]
    return out


@number("core")
def _(loop: Loop, cu: Subject) -> object:
    device = cu.core.Device
    for _ in loop:
        device().device_id  # noqa: B018 -- reading it is what is measured
    return None


@number("cupy", calls="", differs="cudaGetDevice", needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    get_device = cu.cupy.cuda.runtime.getDevice
    for _ in loop:
        get_device()
    return None


by_ordinal = case(
    "device.by_ordinal",
    "A device by its number: cuDeviceGet(0), or cuda.core's Device(0).",
    calls="cuDeviceGet",
    references="#460 #546",
)


@by_ordinal("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get = cu.driver.cuDeviceGet
    out = None
    for _ in loop:
        out = get(0)
    return out


@by_ordinal("core", calls="", differs="cuda.core keeps one Device per number and asks the driver for nothing")
def _(loop: Loop, cu: Subject) -> object:
    device = cu.core.Device
    for _ in loop:
        device(0)
    return None


capability = case(
    "device.compute_capability",
    "Compute capability: two cuDeviceGetAttribute, or Device.compute_capability.",
    calls="cuDeviceGetAttribute cuDeviceGetAttribute",
    references="#439 #459",
    isolated=True,
)


@capability("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get = cu.driver.cuDeviceGetAttribute
    major = cu.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    minor = cu.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
    out = None
    for _ in loop:
        get(major, 0)
        out = get(minor, 0)
    return out


@capability("core", calls="", differs=NO_CALL)
def _(loop: Loop, cu: Subject) -> object:
    device = cu.device
    for _ in loop:
        device.compute_capability  # noqa: B018 -- reading it is what is measured
    return None


@capability("cupy", calls="", differs="CuPy keeps it by the device's number and asks the driver for nothing", needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    device = cu.cupy.cuda.Device(0)
    for _ in loop:
        device.compute_capability  # noqa: B018 -- reading it is what is measured
    return None


of_current = case(
    "device.compute_capability.of_current",
    "Compute capability of the current device: cuCtxGetDevice first, or Device().compute_capability.",
    calls="cuCtxGetDevice cuDeviceGetAttribute cuDeviceGetAttribute",
    references="#439 #459",
    isolated=True,
)


@of_current("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get_device, get = cu.driver.cuCtxGetDevice, cu.driver.cuDeviceGetAttribute
    major = cu.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    minor = cu.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
    out = None
    for _ in loop:
        _, device = get_device()
        get(major, device)
        out = get(minor, device)
    return out


@of_current("core", calls="cuCtxGetDevice", differs="cuda.core keeps the compute capability on the Device")
def _(loop: Loop, cu: Subject) -> object:
    device = cu.core.Device
    for _ in loop:
        device().compute_capability  # noqa: B018 -- reading it is what is measured
    return None


@of_current("cupy", calls="", differs="cudaGetDevice; CuPy keeps the compute capability by the device's number", needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    device = cu.cupy.cuda.Device
    for _ in loop:
        device().compute_capability  # noqa: B018 -- reading it is what is measured
    return None


by_dict = case(
    "device.compute_capability.dict",
    "Compute capability from a dictionary of one's own, by a Python function.",
    references="#439",
    without_native="No call of CUDA is in it: what a cache written in Python costs.",
)


@by_dict("python")
def _(loop: Loop, cu: Subject) -> object:
    known = {0: cu.architecture}

    def get(device: int) -> str:
        if device in known:
            return known[device]
        raise KeyError(device)

    for _ in loop:
        get(0)
    return None


attribute = case(
    "device.attribute",
    "An attribute that nobody caches: cuDeviceGetAttribute of the clock rate, or Device.properties.clock_rate.",
    calls="cuDeviceGetAttribute",
    references="#439 #459",
)


@attribute("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get = cu.driver.cuDeviceGetAttribute
    clock_rate = cu.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CLOCK_RATE
    out = None
    for _ in loop:
        out = get(clock_rate, 0)
    return out


@attribute("core")
def _(loop: Loop, cu: Subject) -> object:
    properties = cu.device.properties
    for _ in loop:
        properties.clock_rate  # noqa: B018 -- reading it is what is measured
    return None


context = case(
    "device.context",
    "The current context: cuCtxGetCurrent, or Device.context.",
    calls="cuCtxGetCurrent",
    references="#658",
)


@context("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get_current = cu.driver.cuCtxGetCurrent
    out = None
    for _ in loop:
        out = get_current()
    return out


@context("core", calls="", differs=NO_CALL)
def _(loop: Loop, cu: Subject) -> object:
    device = cu.device
    for _ in loop:
        device.context  # noqa: B018 -- reading it is what is measured
    return None


set_current = case(
    "device.set_current",
    "Make the primary context current where it is current already.",
    calls="cuCtxSetCurrent",
    references="#739 #781",
    isolated=True,
)


@set_current("bindings")
def _(loop: Loop, cu: Subject) -> object:
    context = cu.check(cu.driver.cuCtxGetCurrent())
    set_context = cu.driver.cuCtxSetCurrent
    out = None
    for _ in loop:
        out = set_context(context)
    return out


@set_current("core")
def _(loop: Loop, cu: Subject) -> object:
    set_device = cu.device.set_current
    for _ in loop:
        set_device()
    return None


@set_current("cupy", calls="", differs="cudaSetDevice on a new Device(0)", needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    device = cu.cupy.cuda.Device
    for _ in loop:
        device(0).use()
    return None
