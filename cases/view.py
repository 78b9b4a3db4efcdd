"""StridedMemoryView: what cuda.core makes of arrays that other libraries made."""

from types import SimpleNamespace

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

NO_TWIN = "A view is an object of cuda.core, with no counterpart in C++."
SHAPE = (16, 32)

numpy = case(
    "view.numpy",
    "A view of a NumPy array, by the protocol that cuda.core chooses.",
    references="#449 #838",
    without_native=NO_TWIN,
)


@numpy("core")
def _(loop: Loop, cu: Subject) -> object:
    view, array = cu.view_from("any_interface"), cu.numpy.ones(SHAPE, "f4")
    for _ in loop:
        view(array, -1)
    return None


numpy_read = case(
    "view.numpy_shape_strides",
    "A view of a NumPy array, and its shape and strides, which some releases work out when they are read.",
    references="#449 #838",
    without_native=NO_TWIN,
)


@numpy_read("core")
def _(loop: Loop, cu: Subject) -> object:
    view, array = cu.view_from("any_interface"), cu.numpy.ones(SHAPE, "f4")
    for _ in loop:
        made = view(array, -1)
        made.shape  # noqa: B018 -- reading it is what is measured
        made.strides  # noqa: B018 -- likewise
    return None


shape = case("view.shape", "The shape of a view, read again.", references="#449 #838", without_native=NO_TWIN)


@shape("core")
def _(loop: Loop, cu: Subject) -> object:
    made = cu.view_from("dlpack")(cu.numpy.ones(SHAPE, "f4"), -1)
    for _ in loop:
        made.shape  # noqa: B018 -- reading it is what is measured
    return None


strides = case("view.strides", "The strides of a view, read again.", references="#449 #838", without_native=NO_TWIN)


@strides("core")
def _(loop: Loop, cu: Subject) -> object:
    made = cu.view_from("dlpack")(cu.numpy.ones(SHAPE, "f4"), -1)
    for _ in loop:
        made.strides  # noqa: B018 -- reading it is what is measured
    return None


dlpack = case(
    "view.dlpack",
    "A view of an object that has __dlpack__ and __dlpack_device__ (NumPy's own) and nothing else.",
    references="#449 #838",
    without_native=NO_TWIN,
)


@dlpack("core")
def _(loop: Loop, cu: Subject) -> object:
    view, array = cu.view_from("dlpack"), cu.numpy.ones(SHAPE, "f4")
    bare = SimpleNamespace(__dlpack__=array.__dlpack__, __dlpack_device__=array.__dlpack_device__)
    for _ in loop:
        view(bare, -1)
    return None


cuda_array_interface = case(
    "view.cuda_array_interface",
    "A view of an object that has __cuda_array_interface__, a dict that is there already, and nothing else.",
    calls="cuPointerGetAttribute",
    references="#449 #838",
    without_native=NO_TWIN,
)


@cuda_array_interface("core")
def _(loop: Loop, cu: Subject) -> object:
    view, array = cu.view_from("cuda_array_interface"), cu.array_on_device(SHAPE)
    for _ in loop:
        view(array, -1)
    return None


cupy = case(
    "view.cupy",
    "A view of a CuPy array, for use on a stream of cuda.core.",
    references="#449 #838",
    isolated=True,
    asynchronous=True,
    without_native=NO_TWIN,
)


@cupy("core", needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    view, array = cu.view_from("any_interface"), cu.cupy.empty(SHAPE, "f4")  # ones would be compiled, which takes headers
    stream = int(cu.core_stream.handle)
    for _ in loop:
        view(array, stream)
    return None


torch = case(
    "view.torch",
    "A view of a PyTorch tensor, for use on a stream of cuda.core.",
    references="#449 #838",
    isolated=True,
    asynchronous=True,
    without_native=NO_TWIN,
)


@torch("core", needs="gpu")
def _(loop: Loop, cu: Subject) -> object:
    view, tensor = cu.view_from("any_interface"), cu.torch.ones(SHAPE, device="cuda")
    stream = int(cu.core_stream.handle)
    for _ in loop:
        view(tensor, stream)
    return None
