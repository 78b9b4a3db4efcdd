"""What the driver knows about an address."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

attribute = case(
    "pointer.attribute",
    "Ask for one attribute of an address: its device.",
    calls="cuPointerGetAttribute",
    references="#1579 #1580",
)


@attribute("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get, address = cu.driver.cuPointerGetAttribute, cu.driver.CUdeviceptr(cu.buffer)
    ordinal = cu.driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    out = None
    for _ in loop:
        out = get(ordinal, address)
    return out


attributes = case(
    "pointer.attributes",
    "Ask for three attributes of an address at once: its kind of memory, its device, and whether it is managed.",
    calls="cuPointerGetAttributes",
    references="#1579 #1580",
)


@attributes("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get, address, known = cu.driver.cuPointerGetAttributes, cu.driver.CUdeviceptr(cu.buffer), cu.driver.CUpointer_attribute
    asked = [
        known.CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        known.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        known.CU_POINTER_ATTRIBUTE_IS_MANAGED,
    ]
    out = None
    for _ in loop:
        out = get(3, asked, address)
    return out
