"""Launching kernels."""

from ctypes import addressof, c_byte, c_double, c_int, c_void_p

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import Case, case
from ctkmatrix.probe.subject import Subject

EX = "cuda.core launches with cuLaunchKernelEx"

empty = case(
    "launch.empty",
    "Launch an empty kernel: one block of one thread, no arguments.",
    calls="cuLaunchKernel",
    references="#1390 #659",
    asynchronous=True,
)


@empty("bindings")
def _(loop: Loop, cu: Subject) -> object:
    launch, kernel, stream = cu.driver.cuLaunchKernel, cu.kernel("empty"), cu.stream
    out = None
    for _ in loop:
        out = launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0)
    return out


def launch_config(cu: Subject) -> object:
    """Return the CUlaunchConfig of one block of one thread on the shared stream."""
    config = cu.driver.CUlaunchConfig()
    config.gridDimX = config.gridDimY = config.gridDimZ = 1
    config.blockDimX = config.blockDimY = config.blockDimZ = 1
    config.hStream = cu.stream
    return config


empty_ex = case(
    "launch.empty_ex",
    "Launch an empty kernel with cuLaunchKernelEx, the call that cuda.core makes; its CUlaunchConfig is filled outside the loop.",
    calls="cuLaunchKernelEx",
    references="#1390",
    asynchronous=True,
)


@empty_ex("bindings")
def _(loop: Loop, cu: Subject) -> object:
    launch, kernel, config = cu.driver.cuLaunchKernelEx, cu.kernel("empty"), launch_config(cu)
    out = None
    for _ in loop:
        out = launch(config, kernel, 0, 0)
    return out


@empty("core", calls="cuLaunchKernelEx", differs=EX)
@empty_ex("core")
def _(loop: Loop, cu: Subject) -> object:
    launch, kernel, stream = cu.core.launch, cu.core_kernel("empty"), cu.core_stream
    config = cu.core.LaunchConfig(grid=1, block=1)
    for _ in loop:
        launch(stream, config, kernel)
    return None


pointers_ex = case(
    "launch.16_pointers_ex",
    "Launch a kernel with 16 pointers by cuLaunchKernelEx; its CUlaunchConfig is filled outside the loop.",
    calls="cuLaunchKernelEx",
    references="#1390",
    asynchronous=True,
)


@pointers_ex("bindings")
def _(loop: Loop, cu: Subject) -> object:
    launch, kernel, config = cu.driver.cuLaunchKernelEx, cu.kernel("pointers_16"), launch_config(cu)
    arguments = ((cu.buffer,) * 16, (c_void_p,) * 16)
    out = None
    for _ in loop:
        out = launch(config, kernel, arguments, 0)
    return out


@pointers_ex("core")
def _(loop: Loop, cu: Subject) -> object:
    launch, kernel, stream = cu.core.launch, cu.core_kernel("pointers_16"), cu.core_stream
    config = cu.core.LaunchConfig(grid=1, block=1)
    arguments = (cu.buffer,) * 16
    for _ in loop:
        launch(stream, config, kernel, *arguments)
    return None


def with_arguments(count: int, kind: str) -> Case:
    """Declare the case of a launch with *count* arguments of one *kind*."""
    arguments_of = case(
        f"launch.{count}_{kind}",
        f"Launch a kernel with {count} {kind} as arguments: tuples of values and of ctypes, or cuda.core's launch(…, *values).",
        calls="cuLaunchKernel",
        references="#1390 #659" if kind == "pointers" else "#1390",
        asynchronous=True,
    )

    @arguments_of("bindings")
    def _(loop: Loop, cu: Subject) -> object:
        launch, kernel, stream = cu.driver.cuLaunchKernel, cu.kernel(f"{kind}_{count}"), cu.stream
        values = {"pointers": (cu.buffer, c_void_p), "ints": (1, c_int), "doubles": (1.0, c_double), "bytes": (1, c_byte)}
        value, ctype = values[kind]
        arguments = ((value,) * count, (ctype,) * count)
        out = None
        for _ in loop:
            out = launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, 0)
        return out

    @arguments_of("core", calls="cuLaunchKernelEx", differs=EX)
    def _(loop: Loop, cu: Subject) -> object:
        launch, kernel, stream = cu.core.launch, cu.core_kernel(f"{kind}_{count}"), cu.core_stream
        config = cu.core.LaunchConfig(grid=1, block=1)
        # to cuda.core an int is a pointer: other integers need a type
        values = {"pointers": cu.buffer, "ints": c_int(1), "doubles": 1.0, "bytes": c_byte(1)}
        arguments = (values[kind],) * count
        for _ in loop:
            launch(stream, config, kernel, *arguments)
        return None

    return arguments_of


pointers_2 = with_arguments(2, "pointers")
pointers_16 = with_arguments(16, "pointers")
pointers_256 = with_arguments(256, "pointers")
pointers_512 = with_arguments(512, "pointers")
ints_16 = with_arguments(16, "ints")
ints_256 = with_arguments(256, "ints")
ints_512 = with_arguments(512, "ints")
doubles_16 = with_arguments(16, "doubles")
doubles_256 = with_arguments(256, "doubles")
doubles_512 = with_arguments(512, "doubles")
bytes_16 = with_arguments(16, "bytes")
bytes_256 = with_arguments(256, "bytes")
bytes_512 = with_arguments(512, "bytes")


def packed(count: int) -> Case:
    """Declare the case of a launch with *count* pointers that are packed before the loop."""
    packed_pointers = case(
        f"launch.{count}_pointers_packed",
        f"Launch a kernel with {count} pointers that were packed outside the loop, into a ctypes array of their addresses.",
        calls="cuLaunchKernel",
        references="#1390",
        asynchronous=True,
    )

    @packed_pointers("bindings")
    def _(loop: Loop, cu: Subject) -> object:
        launch, kernel, stream = cu.driver.cuLaunchKernel, cu.kernel(f"pointers_{count}"), cu.stream
        values = [c_void_p(cu.buffer) for _ in range(count)]
        arguments = (c_void_p * count)(*map(addressof, values))
        out = None
        for _ in loop:
            out = launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, 0)
        return out

    return packed_pointers


packed_16 = packed(16)
packed_512 = packed(512)

as_buffers = case(
    "launch.16_pointers_as_buffers",
    "Launch a kernel with 16 pointers that cuda.core is given as Buffers.",
    calls="cuLaunchKernel",
    references="#1390",
    asynchronous=True,
)


@as_buffers("core", calls="cuLaunchKernelEx", differs=EX)
def _(loop: Loop, cu: Subject) -> object:
    launch, kernel, stream = cu.core.launch, cu.core_kernel("pointers_16"), cu.core_stream
    config = cu.core.LaunchConfig(grid=1, block=1)
    buffer = cu.allocate(1024, stream=stream)
    arguments = (buffer,) * 16
    for _ in loop:
        launch(stream, config, kernel, *arguments)
    buffer.close()
    return None


as_numpy = case(
    "launch.16_ints_as_numpy",
    "Launch a kernel with 16 ints that cuda.core is given as NumPy scalars.",
    calls="cuLaunchKernel",
    references="#1390",
    asynchronous=True,
)


@as_numpy("core", calls="cuLaunchKernelEx", differs=EX)
def _(loop: Loop, cu: Subject) -> object:
    import numpy as np  # noqa: PLC0415 -- cuda.core brings it: a cell without cuda.core may lack it

    launch, kernel, stream = cu.core.launch, cu.core_kernel("ints_16"), cu.core_stream
    config = cu.core.LaunchConfig(grid=1, block=1)
    arguments = (np.int32(1),) * 16
    for _ in loop:
        launch(stream, config, kernel, *arguments)
    return None


config = case(
    "launch.config",
    "Describe a launch: LaunchConfig(grid=…, block=…).",
    references="#1221 #1390",
    without_native="In C++ this is a structure on the stack, which an optimiser leaves nothing of.",
)


@config("core")
def _(loop: Loop, cu: Subject) -> object:
    launch_config = cu.core.LaunchConfig
    for _ in loop:
        launch_config(grid=(4, 1, 1), block=(128, 1, 1))
    return None
