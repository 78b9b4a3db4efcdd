"""Devices and contexts."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

current = case(
    "device.current",
    "Which device is current: cuCtxGetDevice, or cuda.core's Device().",
    calls="cuCtxGetDevice",
    references="#439 #460 #546",
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


@capability("core", calls="", differs="cuda.core caches it on the Device and asks the driver for nothing")
def _(loop: Loop, cu: Subject) -> object:
    device = cu.device
    for _ in loop:
        device.compute_capability  # noqa: B018 -- reading it is what is measured
    return None


set_current = case(
    "device.set_current",
    "Make the primary context current where it is current already.",
    calls="cuCtxSetCurrent",
    references="#739 #781",
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
