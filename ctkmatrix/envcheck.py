"""Checks that an environment is what was asked for, by asking its own interpreter, before anything is timed."""

from __future__ import annotations

import json
import platform
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packaging.utils import canonicalize_name

from ctkmatrix import uv, wheels
from ctkmatrix.errors import EnvironmentFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctkmatrix.model import Cell

LIMIT = 120.0
"""Seconds within which an environment must have imported its packages."""

_INSPECT = Path(__file__).parent / "probe" / "inspect_environment.py"
_MODULES = ("cuda.bindings.driver", "cuda.bindings.nvrtc", "cuda.bindings.runtime", "numpy")


def cell(asked: Cell, python: Path, lock: Path) -> None:
    """Check the environment of a cell: Python, packages, imports, and the NVRTC that is loaded. Raises EnvironmentFailed."""
    said = _inspect(python, [*_MODULES, *(["cuda.core"] if asked.core else [])])
    _raise_any(asked.id, [*_wrong_python(asked, said), *_wrong_packages(lock, asked.python, said), *_broken(asked, said)])


def tools(name: str, python: Path, lock: Path) -> None:
    """Check a tool's environment: the packages are those of its lock. Raises EnvironmentFailed."""
    said = _inspect(python, [])
    _raise_any(name, list(_wrong_packages(lock, said["python"], said)))


def _inspect(python: Path, modules: Sequence[str]) -> dict[str, Any]:
    """Return what the environment says of itself."""
    try:
        done = subprocess.run(
            [str(python), "-I", str(_INSPECT), *modules],
            env=uv.environ(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=True,
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFailed(f"{python} did not import {', '.join(modules)} within {LIMIT:.0f} s") from error
    except subprocess.CalledProcessError as error:
        ended = f"ended with status {error.returncode}: {error.stderr.strip()[-500:]}"
        raise EnvironmentFailed(f"{python}, importing {', '.join(modules)}, {ended}") from error
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def _wrong_python(asked: Cell, said: dict[str, Any]) -> Iterator[str]:
    got = said["python"] + ("t" if said["free_threaded"] else "")
    if got != asked.python:
        yield f"Python {asked.python} was asked for, and the environment has {got}"


def _wrong_packages(lock: Path, python: str, said: dict[str, Any]) -> Iterator[str]:
    installed: dict[str, str] = {canonicalize_name(name): version for name, version in said["installed"].items()}
    for name, version in wheels.pins(lock.read_text(encoding="utf-8"), python, platform.machine()).items():
        if installed.get(name) != version:
            yield f"{name} {version} was asked for, and {installed.get(name, 'none')} is installed"


def _broken(asked: Cell, said: dict[str, Any]) -> Iterator[str]:
    for name, reason in said["failed"].items():
        yield f"{name} does not work: {reason}"
    if said["nvrtc"] and said["nvrtc"] != asked.toolkit:
        yield f"NVRTC {asked.toolkit} was asked for, and {said['nvrtc']} is loaded (does LD_LIBRARY_PATH lead to another?)"


def _raise_any(name: str, problems: Sequence[str]) -> None:
    if problems:
        raise EnvironmentFailed(f"the environment of {name} is not what was asked for: {'; '.join(problems)}")
