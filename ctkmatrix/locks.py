"""The locks in ``locks/``: what each asks for, how they are renewed, and what a selection of them downloads.

One lock serves every Python from 3.11 on and both Linux machines. A cell's lock follows from its toolkit, bindings, core and
extras; a toolkit has one for compiling; the orchestrator, the development tools and the profiler have one each.
"""

from __future__ import annotations

import json
import platform
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ctkmatrix import wheels
from ctkmatrix.errors import MachineError
from ctkmatrix.matrix import OLDEST_PYTHON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ctkmatrix.model import Cell, Matrix

Run: TypeAlias = "Callable[[Sequence[str]], str]"
"""Runs uv with these arguments and returns what it prints: ``uv.run``."""

LOCKS = Path(__file__).parent.parent / "locks"
SIZES = LOCKS / "sizes.json"
"""``{wheel file name: bytes}`` for every Linux wheel of every lock."""

NUMPY = "2.4.6"
"""The same in every environment; 2.4 is the last line with wheels for Python 3.11 to 3.14 together."""

_ORCHESTRATOR = (
    "jinja2",
    "msgspec",
    f"numpy=={NUMPY}",
    "nvidia-ml-py",
    "packaging",
    "psutil",
    "pyperf",
    "rich",
    "scipy",
)
_DEV = (
    *_ORCHESTRATOR,
    "axe-playwright-python",
    "jsonschema",
    "mypy",
    "nox",
    "playwright",
    "pytest",
    "pytest-timeout",
    "pytest-xdist",
    "ruff",
    "scipy-stubs",
    "types-psutil",
)
_PROFILE = ("py-spy",)
"""In an environment of its own: `nox -s profile -- --time` alone wants it."""
TOOLS = {"orchestrator": _ORCHESTRATOR, "dev": _DEV, "profile": _PROFILE}

_COMPILE = (
    "pip",
    "compile",
    "--only-binary=:all:",
    "--generate-hashes",
    "--no-header",
    "--no-annotate",
    "--no-emit-index-url",
    "--quiet",
)
_EVERYWHERE = ("--universal", f"--python-version={OLDEST_PYTHON}")


def lock_path(cell: Cell) -> Path:
    """Return the lock of *cell*'s environment, the same for every Python."""
    parts = (f"cu{cell.toolkit}-b{cell.bindings}-c{cell.core or 'none'}", *cell.extras)
    return LOCKS / f"{'+'.join(parts)}.txt"


def toolkit_lock(version: str) -> Path:
    """Return the lock of what compiles with toolkit *version*."""
    return LOCKS / f"toolkit-{version}.txt"


def tools_lock(name: str) -> Path:
    """Return the lock of the ``orchestrator``, ``dev`` or ``profile`` environment."""
    return LOCKS / f"{name}.txt"


def cell_requirements(cell: Cell) -> tuple[str, ...]:
    """Return what *cell*'s lock asks for. The toolkit's own NVRTC is pinned, as the extras of cuda-bindings let it float."""
    core = (f"cuda-core=={cell.core}",) if cell.core else ()
    return (f"cuda-bindings=={cell.bindings}", *core, f"cuda-toolkit[nvrtc]=={cell.toolkit}.*", f"numpy=={NUMPY}", *cell.extras)


def toolkit_requirements(version: str) -> tuple[str, ...]:
    """Return what compiling with toolkit *version* takes.

    The nvcc wheel of CUDA 12 holds no nvcc, but headers that cudart's include.
    """
    parts = "nvcc,cudart,nvrtc" if version.startswith("12.") else "nvcc,crt,nvvm,cudart,nvrtc"
    return (f"cuda-toolkit[{parts}]=={version}.*",)


def download_bytes(wanted: Iterable[tuple[Path, str]], machine: str | None = None) -> int:
    """Return the bytes of the wheels that (lock, Python) pairs need on Linux on *machine* (this one), each wheel once.

    It is what an empty uv cache would download.
    """
    sizes = wheels.Sizes(json.loads(SIZES.read_text(encoding="utf-8")))
    needed: dict[str, int] = {}
    for lock, python in set(wanted):
        needed |= sizes.needed(lock.read_text(encoding="utf-8"), python, machine or platform.machine())
    return sum(needed.values())


def renew(matrix: Matrix, run: Run) -> None:
    """Write every lock that *matrix* needs, from the newest releases that fit, and the sizes; remove the locks of other cells.

    Raises what *run* raises; the locks that are there stay until all new ones are made.
    """
    texts: dict[Path, str] = {}
    sizes: dict[str, int] = {}
    for path, (requirements, toolkit) in _wanted(matrix).items():
        texts[path] = _lock(requirements, toolkit, run)
        sizes |= _sizes(texts[path], run)
    LOCKS.mkdir(exist_ok=True)
    for path in set(LOCKS.glob("*.txt")) - texts.keys():
        path.unlink()
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    SIZES.write_text(json.dumps(sizes, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def _wanted(matrix: Matrix) -> dict[Path, tuple[tuple[str, ...], str]]:
    """Return each lock with its requirements and the toolkit that it belongs to, if any."""
    wanted = {lock_path(cell): (cell_requirements(cell), cell.toolkit) for cell in matrix.all_cells}
    for version in dict.fromkeys(cell.toolkit for cell in matrix.all_cells):
        wanted[toolkit_lock(version)] = (toolkit_requirements(version), version)
    return wanted | {tools_lock(name): (requirements, "") for name, requirements in TOOLS.items()}


def resolve(requirements: Sequence[str], toolkit: str, run: Run, *options: str, pins: Iterable[str] = ()) -> str:
    """Return a lock of *requirements*, for what *options* of ``uv pip compile`` say; *pins* constrain it, ``name==version``.

    nvJitLink, where something asks for it, is that of the toolkit, if one is given. Raises what *run* raises.
    """
    with tempfile.TemporaryDirectory() as name:
        wanted, constraints = Path(name, "requirements.in"), Path(name, "constraints.txt")
        wanted.write_text("\n".join(requirements), encoding="utf-8")
        nvjitlink = (f"{package}=={toolkit}.*\n" for package in ("nvidia-nvjitlink", "nvidia-nvjitlink-cu12"))
        constraints.write_text("".join(nvjitlink if toolkit else ()) + "\n".join(pins), encoding="utf-8")
        return run([*_COMPILE, *options, f"--constraints={constraints}", str(wanted)])


def _lock(requirements: Sequence[str], toolkit: str, run: Run) -> str:
    """Resolve *requirements* for every Python and both machines."""
    return f"# Made by `nox -s lock` from: {' '.join(requirements)}\n{resolve(requirements, toolkit, run, *_EVERYWHERE)}"


def _sizes(text: str, run: Run) -> dict[str, int]:
    """Return the bytes of every Linux wheel of the lock *text*, as the index tells them."""
    with tempfile.TemporaryDirectory() as name:
        lock = Path(name, "lock.txt")
        lock.write_text(text, encoding="utf-8")
        sizes = wheels.in_pylock(run([*_COMPILE, *_EVERYWHERE, "--no-deps", "--format=pylock.toml", str(lock)]))
    if None in sizes.values():
        raise MachineError("the package index tells no file sizes: renew the locks against one that does, such as PyPI")
    return {wheel: size for wheel, size in sizes.items() if size is not None}
