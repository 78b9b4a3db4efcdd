"""Compiling at run time. NVRTC works without a GPU and without a driver."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

SOURCE = 'extern "C" __global__ void tiny(float *x) { *x = 1; }'

create_program = case(
    "nvrtc.create_program",
    "nvrtcCreateProgram and nvrtcDestroyProgram, no headers.",
    references="#940",
    calls_per_turn=2,
)


@create_program("bindings")
def _(loop: Loop, cu: Subject) -> object:
    create, destroy, source = cu.nvrtc.nvrtcCreateProgram, cu.nvrtc.nvrtcDestroyProgram, SOURCE.encode()
    out = None
    for _ in loop:
        _, program = create(source, b"tiny.cu", 0, [], [])
        out = destroy(program)
    return out


compile_tiny = case(
    "nvrtc.compile",
    "Compile a tiny kernel to a cubin: create, compile, fetch, destroy.",
    references="#624 #940",
    calls_per_turn=5,
    seconds_per_turn=0.03,
)


@compile_tiny("bindings")
def _(loop: Loop, cu: Subject) -> object:
    nvrtc, source = cu.nvrtc, SOURCE.encode()
    options = [f"--gpu-architecture=sm_{cu.architecture}".encode()]
    cu.check(nvrtc.nvrtcVersion())
    out = None
    for _ in loop:
        program = cu.check(nvrtc.nvrtcCreateProgram(source, b"tiny.cu", 0, [], []))
        nvrtc.nvrtcCompileProgram(program, 1, options)
        size = cu.check(nvrtc.nvrtcGetCUBINSize(program))
        out = nvrtc.nvrtcGetCUBIN(program, b" " * size)
        nvrtc.nvrtcDestroyProgram(program)
    return out


@compile_tiny("core", differs="cuda.core adds options of its own, checks them, and wraps the result in an ObjectCode")
def _(loop: Loop, cu: Subject) -> object:
    program = cu.core.Program
    options = cu.core.ProgramOptions(arch=f"sm_{cu.architecture}")
    for _ in loop:
        made = program(SOURCE, "c++", options)
        made.compile("cubin")
        made.close()
    return None
