"""Launching kernels."""

from ctypes import c_void_p

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
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


@empty("core", calls="cuLaunchKernelEx", differs=EX)
def _(loop: Loop, cu: Subject) -> object:
    launch, kernel, stream = cu.core.launch, cu.core_kernel("empty"), cu.core_stream
    config = cu.core.LaunchConfig(grid=1, block=1)
    for _ in loop:
        launch(stream, config, kernel)
    return None


pointers = case(
    "launch.16_pointers",
    "Launch a kernel with sixteen pointers as arguments.",
    calls="cuLaunchKernel",
    references="#1390 #659",
    asynchronous=True,
)


@pointers("bindings")
def _(loop: Loop, cu: Subject) -> object:
    launch, kernel, stream = cu.driver.cuLaunchKernel, cu.kernel("pointers_16"), cu.stream
    arguments = ((cu.buffer,) * 16, (c_void_p,) * 16)
    out = None
    for _ in loop:
        out = launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, 0)
    return out


@pointers("core", calls="cuLaunchKernelEx", differs=EX)
def _(loop: Loop, cu: Subject) -> object:
    launch, kernel, stream = cu.core.launch, cu.core_kernel("pointers_16"), cu.core_stream
    config = cu.core.LaunchConfig(grid=1, block=1)
    arguments = (cu.buffer,) * 16
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
