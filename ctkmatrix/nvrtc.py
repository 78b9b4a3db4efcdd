"""Compiles kernels with NVRTC, for toolkits without nvcc. Run as a program, so that the harness never holds a libnvrtc.

``python nvrtc.py LIBRARY`` prints the architectures that the library knows, one a line. With ``SOURCE OPTION… -o OUTPUT`` it
writes a cubin; status 1, and NVRTC's log on standard error, where the source does not compile. Standard library only.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path


def architectures(nvrtc: ctypes.CDLL) -> list[str]:
    """Return the architectures that the library makes code for: ``sm_90``."""
    count = ctypes.c_int()
    _check(nvrtc, nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    numbers = (ctypes.c_int * count.value)()
    _check(nvrtc, nvrtc.nvrtcGetSupportedArchs(numbers))
    return [f"sm_{number}" for number in numbers]


def cubin(nvrtc: ctypes.CDLL, source: Path, options: list[str]) -> bytes:
    """Return the machine code of *source*. Raises SystemExit with NVRTC's log."""
    program = ctypes.c_void_p()
    text, name = source.read_bytes(), source.name.encode()
    _check(nvrtc, nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, name, 0, None, None))
    words = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    if nvrtc.nvrtcCompileProgram(program, len(options), words):
        sys.exit(_output(nvrtc, "ProgramLog", program).rstrip(b"\0").decode(errors="replace"))
    return _output(nvrtc, "CUBIN", program)


def _output(nvrtc: ctypes.CDLL, what: str, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    _check(nvrtc, nvrtc[f"nvrtcGet{what}Size"](program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check(nvrtc, nvrtc[f"nvrtcGet{what}"](program, buffer))
    return buffer.raw


def _check(nvrtc: ctypes.CDLL, result: int) -> None:
    if result:
        nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
        sys.exit(nvrtc.nvrtcGetErrorString(result).decode())


def main(library: str, *rest: str) -> None:
    """Do what the command line asks for."""
    nvrtc = ctypes.CDLL(library)
    if not rest:
        print("\n".join(architectures(nvrtc)))
        return
    source, *options, _, output = rest
    Path(output).write_bytes(cubin(nvrtc, Path(source), options))


if __name__ == "__main__":
    main(*sys.argv[1:])
