"""Compiles the native side with a toolkit: libraries of baselines, and the kernels as machine code."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ctkmatrix.cache import cached
from ctkmatrix.errors import EnvironmentFailed, MachineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctkmatrix.toolkits import Installed

TIME_LIMIT = 600.0
"""Seconds that one compilation may take."""

LIBRARY_FLAGS = ("-std=c++17", "-O3", "-shared")
CUDART = ("-ldl", "-lrt", "-lpthread")
"""What the static cudart needs beside itself; nvcc knows, a C++ compiler has to be told."""

NVRTC_PROGRAM = Path(__file__).with_name("nvrtc.py")


@dataclass(frozen=True, slots=True)
class Built:
    """Something that was compiled, and what the manifest keeps of how.

    ``flags`` are those that shape the code, without paths; ``how`` is a sentence for people.
    """

    path: Path
    compiler: str
    flags: tuple[str, ...]
    how: str


@dataclass(frozen=True, slots=True)
class _Recipe:
    """A command that lacks only ``-o PATH``, and all that its result depends on."""

    command: Sequence[str]
    compiler: str
    flags: tuple[str, ...]
    inputs: Sequence[Path]
    how: str

    def build(self, name: str, cache: Path) -> Built:
        parts: list[str | Path] = [*self.inputs, *(path.name for path in self.inputs), self.compiler, *self.flags]
        kept = cached(cache, parts, lambda directory: _compile(self, directory / name))
        return Built(kept / name, self.compiler, self.flags, self.how)


def host_compiler() -> str:
    """Return the path of the C++ compiler: ``$NVCC_CCBIN``, a program or its directory as nvcc has it, else g++, else c++.

    Raises MachineError where there is none.
    """
    chosen = os.environ.get("NVCC_CCBIN", "")
    if chosen and Path(chosen).is_dir():
        chosen = str(Path(chosen) / "g++")
    for name in (chosen,) if chosen else ("g++", "c++"):
        if found := shutil.which(name):
            return found
    lack = f"NVCC_CCBIN names {chosen}, which is no program" if chosen else "no C++ compiler"
    raise MachineError(f"{lack}: install g++ (Debian, Ubuntu: apt install g++), or set NVCC_CCBIN to the path of one")


def host_version(compiler: str) -> str:
    """Return the name and version of a C++ *compiler*: ``g++ 12.2.0``. Raises EnvironmentFailed where it does not run."""
    said = run((compiler, "--version"))
    numbers = re.findall(r"\d+(?:\.\d+)+", said.partition("\n")[0])
    return f"{Path(compiler).name} {numbers[-1] if numbers else 'of unknown version'}"


def compile_library(
    installed: Installed, sources: Sequence[Path], headers: Sequence[Path], cache: Path, *, cudart: bool = False
) -> Built:
    """Compile *sources* of C++17 into one shared library without device code, by nvcc where *installed* has it; kept by content.

    The library is not linked to libcuda; *cudart* links the toolkit's static runtime into it. Raises MachineError without a C++
    compiler, and EnvironmentFailed, with the compiler's words, where it fails.
    """
    places = dict.fromkeys([*installed.includes, *(header.parent for header in headers)])
    inputs = [*(f"-I{place}" for place in places), *map(str, sources)]
    if installed.nvcc:
        flags = (*LIBRARY_FLAGS, "-Xcompiler", "-fPIC", "-cudart", "static" if cudart else "none")
        return _nvcc(installed, installed.nvcc, flags, inputs, (*sources, *headers)).build("library.so", cache)
    host = host_compiler()
    flags = (*LIBRARY_FLAGS, "-fPIC", *(CUDART if cudart else ()))
    runtime = [str(installed.lib / "libcudart_static.a"), *CUDART] if cudart else []
    command = [host, *LIBRARY_FLAGS, "-fPIC", *inputs, *runtime]
    compiler = f"{host_version(host)}, headers of CUDA {installed.version}"
    return _Recipe(command, compiler, flags, (*sources, *headers), installed.how).build("library.so", cache)


def compile_cubin(installed: Installed, kernels: Path, architecture: str, cache: Path) -> Built:
    """Compile *kernels* into machine code that a GPU of *architecture* (``sm_90``) runs; kept by content.

    nvcc does it, or NVRTC where *installed* has no nvcc. Raises MachineError where nvcc lacks a C++ compiler, and
    EnvironmentFailed where compiling fails or no code is known that this GPU runs.
    """
    if installed.nvcc:
        made = fitting(architecture, run((str(installed.nvcc), "--list-gpu-code")).split())
        flags = ("-std=c++17", "-O3", "-cubin", f"-arch={made}")
        return _nvcc(installed, installed.nvcc, flags, [str(kernels)], (kernels,)).build("kernels.cubin", cache)
    nvrtc = [sys.executable, "-I", str(NVRTC_PROGRAM), str(installed.nvrtc)]
    options = ("--std=c++17", f"--gpu-architecture={fitting(architecture, run(nvrtc).split())}")
    compiler = f"NVRTC {installed.nvrtc_version}"
    return _Recipe([*nvrtc, str(kernels), *options], compiler, options, (kernels,), installed.how).build("kernels.cubin", cache)


def fitting(architecture: str, known: Sequence[str]) -> str:
    """Return which of the *known* architectures to compile for a GPU of *architecture*.

    That one, or the newest before it of the same major version, whose machine code it runs as well. Raises EnvironmentFailed.
    """

    def split(name: str) -> tuple[int, int]:
        number = int(name.removeprefix("sm_"))
        return number // 10, number % 10

    major, minor = split(architecture)
    runs = [name for name in known if (have := split(name))[0] == major and have[1] <= minor]
    if not runs:
        raise EnvironmentFailed(f"this toolkit makes no code for {architecture}, only for {' '.join(known)}")
    return max(runs, key=split)


def _nvcc(installed: Installed, nvcc: Path, flags: tuple[str, ...], inputs: Sequence[str], files: Sequence[Path]) -> _Recipe:
    """Return how nvcc compiles. ``-L`` is always given: nvcc.profile points at a directory that is not there in some wheels."""
    host = host_compiler()
    command = [str(nvcc), *flags, "-ccbin", host, f"-L{installed.lib}", *inputs]
    compiler = f"nvcc {installed.nvcc_version} with {host_version(host)}"
    return _Recipe(command, compiler, (*flags, *_nvcc_variables()), files, installed.how)


def _nvcc_variables() -> list[str]:
    """Return the flags that nvcc takes from the environment by itself."""
    return [flag for name in ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS") for flag in shlex.split(os.environ.get(name, ""))]


def _compile(recipe: _Recipe, path: Path) -> None:
    try:
        run([*recipe.command, "-o", str(path)])
    except EnvironmentFailed as error:
        raise EnvironmentFailed(
            f"{recipe.compiler} could not compile (NVCC_CCBIN chooses another C++ compiler): {error}"
        ) from None


def run(command: Sequence[str]) -> str:
    """Run *command* for at most ``TIME_LIMIT`` and return what it prints.

    Raises MachineError where it cannot be started, and EnvironmentFailed, with its last words, where it fails.
    """
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            check=False,
            start_new_session=True,  # Ctrl-C ends us, not a compiler halfway, whose death would look like a failure
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFailed(f"`{name}` did not end within {TIME_LIMIT:.0f} s") from error
    except OSError as error:
        raise MachineError(f"`{name}` cannot be run: {error}") from error
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines() or ["(it said nothing)"]
        raise EnvironmentFailed("\n".join([f"`{name}` failed with status {done.returncode}:", *said[-12:]]))
    return done.stdout
