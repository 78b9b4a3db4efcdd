"""Libraries: code that is loaded into every context."""

from pathlib import Path

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

load_options = case(
    "library.load_options",
    "Load a cubin from memory with five JIT options and one library option, their lists built outside the loop, and unload it.",
    calls="cuLibraryLoadData cuLibraryUnload",
    references="#898 #940 #1667",
)


@load_options("bindings")
def _(loop: Loop, cu: Subject) -> object:
    load, unload, code = cu.driver.cuLibraryLoadData, cu.driver.cuLibraryUnload, Path(cu.cubin).read_bytes()
    jit, library = cu.driver.CUjit_option, cu.driver.CUlibraryOption
    options = [
        jit.CU_JIT_MAX_REGISTERS,
        jit.CU_JIT_OPTIMIZATION_LEVEL,
        jit.CU_JIT_GENERATE_DEBUG_INFO,
        jit.CU_JIT_LOG_VERBOSE,
        jit.CU_JIT_GENERATE_LINE_INFO,
    ]
    values = [64, 4, 0, 0, 0]
    kept, yes = [library.CU_LIBRARY_BINARY_IS_PRESERVED], [1]
    out = None
    for _ in loop:
        _, loaded = load(code, options, values, 5, kept, yes, 1)
        out = unload(loaded)
    return out
