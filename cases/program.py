"""cuda.core's Program, next to the NVRTC that it calls. Nothing is cached."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

SOURCE = "__global__ void empty() {}"

compile_empty = case(
    "program.compile",
    "Compile an empty kernel to PTX with five options: create, compile, fetch, destroy.",
    references="#940",
    calls_per_turn=5,
    seconds_per_turn=0.03,
)


@compile_empty("bindings")
def _(loop: Loop, cu: Subject) -> object:
    nvrtc, source = cu.nvrtc, SOURCE.encode()
    options = [
        f"-arch=sm_{cu.architecture}".encode(),
        b"--relocatable-device-code=true",
        b"--generate-line-info",
        b"--dopt=on",
        b"--std=c++17",
    ]
    cu.check(nvrtc.nvrtcVersion())
    out = None
    for _ in loop:
        program = cu.check(nvrtc.nvrtcCreateProgram(source, b"default_program", 0, [], []))
        nvrtc.nvrtcCompileProgram(program, 5, options)
        size = cu.check(nvrtc.nvrtcGetPTXSize(program))
        out = nvrtc.nvrtcGetPTX(program, b" " * size)
        nvrtc.nvrtcDestroyProgram(program)
    return out


@compile_empty("core", differs="cuda.core checks its options and turns them into text, and wraps the result in an ObjectCode")
def _(loop: Loop, cu: Subject) -> object:
    program = cu.core.Program
    options = cu.core.ProgramOptions(
        std="c++17",
        arch=f"sm_{cu.architecture}",
        relocatable_device_code=True,
        debug=False,
        lineinfo=True,
        device_code_optimize=True,
    )
    for _ in loop:
        made = program(SOURCE, "c++", options)
        made.compile("ptx")
        made.close()
    return None
