"""What Python itself charges for the ways to write a thing that the issues set against each other."""

from importlib import import_module

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import NotInThisVersion, Subject

CONTROL = "A control: it tells what Python costs, whatever the version of CUDA."

by_isinstance = case("python.isinstance", "isinstance(x, int).", references="#659 #1292", without_native=CONTROL)


@by_isinstance("python")
def _(loop: Loop, _cu: Subject) -> object:
    x = 1
    out = None
    for _ in loop:
        out = isinstance(x, int)
    return out


type_is = case("python.type_is", "type(x) is int.", references="#659 #1292", without_native=CONTROL)


@type_is("python")
def _(loop: Loop, _cu: Subject) -> object:
    x = 1
    out = None
    for _ in loop:
        out = type(x) is int
    return out


by_generator = case(
    "python.generator",
    "Check the types of five elements by all() over a generator expression.",
    references="#659 #898",
    without_native=CONTROL,
)


@by_generator("python")
def _(loop: Loop, cu: Subject) -> object:
    kind = cu.driver.cuuint32_t
    elements = [kind(1)] * 5
    for _ in loop:
        if not all(isinstance(x, kind) for x in elements):
            raise TypeError(elements)
    return None


by_loop = case(
    "python.loop",
    "Check the types of five elements by a for loop.",
    references="#659 #898",
    without_native=CONTROL,
)


@by_loop("python")
def _(loop: Loop, cu: Subject) -> object:
    kind = cu.driver.cuuint32_t
    elements = [kind(1)] * 5
    for _ in loop:
        for x in elements:
            if not isinstance(x, kind):
                raise TypeError(elements)
    return None


dotted = case(
    "python.dotted",
    "Look a function up by its whole name: cuda.bindings.driver.cuCtxGetDevice.",
    references="#659",
    without_native=CONTROL,
)


@dotted("python")
def _(loop: Loop, _cu: Subject) -> object:
    cuda = import_module("cuda")
    if not hasattr(cuda, "bindings"):
        raise NotInThisVersion("cuda.core 0.4.0 takes the name «bindings» out of the package «cuda»")
    out = None
    for _ in loop:
        out = cuda.bindings.driver.cuCtxGetDevice
    return out


attribute = case(
    "python.attribute",
    "Look a function up in its module: driver.cuCtxGetDevice.",
    references="#659",
    without_native=CONTROL,
)


@attribute("python")
def _(loop: Loop, cu: Subject) -> object:
    driver = cu.driver
    out = None
    for _ in loop:
        out = driver.cuCtxGetDevice
    return out


local = case("python.local", "Take a function by a local name.", references="#659", without_native=CONTROL)


@local("python")
def _(loop: Loop, cu: Subject) -> object:
    get_device = cu.driver.cuCtxGetDevice
    out = None
    for _ in loop:
        out = get_device
    return out
