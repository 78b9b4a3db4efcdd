"""valgrind's callgrind, which counts instructions: where it is, the marker that steers it, and how to run under it."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ctkmatrix.cache import cached
from ctkmatrix.errors import MachineError

MARKER = Path(__file__).parent.parent / "native" / "callgrind" / "marker.c"
FLAGS = ("-x", "c", "-O2", "-fPIC", "-shared")

GET_IT = (
    "`apt-get install valgrind` on Debian and Ubuntu, `dnf install valgrind-devel` on Fedora and RHEL, "
    "`conda install -c conda-forge valgrind` elsewhere"
)
SAME_PLACES = ("setarch", "-R")
"""util-linux's way to turn address randomisation off for one command: objects that hash by their address would move counts."""

OPEN_LIMIT = 300.0
"""Seconds that a worker under it may take for imports, cuInit and the context; 8 on an idle machine."""

ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}
"""The whole environment beside the cell's own variables: another one moves counts by up to 0.6 %, another hash seed by 3 %."""


@dataclass(frozen=True, slots=True)
class Callgrind:
    """A valgrind that can count. ``version`` is its own word, such as ``valgrind-3.19.0``."""

    valgrind: Path
    version: str
    marker: Path

    def command(self, python: Path, output: Path, *options: str) -> tuple[str, ...]:
        """Return the command of *python* under callgrind, which starts to count where the marker says.

        output
            Each time that it is told to, callgrind writes ``OUTPUT.1``, ``OUTPUT.2``, …; its log is ``OUTPUT.log``.

        The interpreter reads no configuration of its user's; its environment is to be ``ENVIRONMENT`` and the cell's variables.
        """
        name = str(output).replace("%", "%%")
        files = (f"--callgrind-out-file={name}", f"--log-file={name}.log")
        own = ("--tool=callgrind", "--quiet", "--instr-atstart=no", *files)
        return (*SAME_PLACES, str(self.valgrind), *own, *options, str(python), "-s", "-P")

    def watched(self, output: Path, heap: int) -> dict[str, str | int]:
        """Return what a worker that runs under ``command`` is told when it is opened; *heap* is the seed of its heap."""
        return {"marker": str(self.marker), "output": str(output), "heap": heap}


def find(cache: Path, compiler: str) -> Callgrind:
    """Return callgrind with its marker, which *compiler*, a C or C++ compiler of GCC's kind, builds below *cache*.

    Raises MachineError where valgrind or its headers are missing, or where addresses cannot be kept from being random.
    """
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise MachineError(f"instructions are counted by valgrind, which is not on PATH: {GET_IT}")
    if shutil.which(SAME_PLACES[0]) is None:
        raise MachineError("counting turns address randomisation off by setarch, which is not on PATH: get util-linux")
    _run(
        (*SAME_PLACES, "true"), "address randomisation cannot be turned off; a container has to allow the system call personality"
    )
    version = _run((valgrind, "--version"), "valgrind does not run").strip()
    directory = cached(cache, (MARKER, version, compiler, *FLAGS), lambda place: _build(place / "marker.so", compiler))
    return Callgrind(Path(valgrind), version, directory / "marker.so")


def _build(marker: Path, compiler: str) -> None:
    _run((compiler, *FLAGS, str(MARKER), "-o", str(marker)), f"valgrind's headers are needed to steer it: {GET_IT}")


def _run(command: tuple[str, ...], otherwise: str) -> str:
    """Return what *command* prints. Raises MachineError with *otherwise* and what it said."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MachineError(f"{otherwise} ({error})") from error
    if done.returncode:
        raise MachineError(f"{otherwise} ({' '.join(done.stderr.split())[:300]})")
    return done.stdout
