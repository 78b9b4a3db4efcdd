"""Finds CUDA toolkits: those unpacked from PyPI wheels, and those that the machine has."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ctkmatrix.errors import EnvironmentFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


SYSTEM = Path("/usr/local")
"""Where NVIDIA's installers put a directory ``cuda-X.Y`` for each toolkit."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A toolkit that can be compiled with.

    ``origin`` is ``wheels`` or ``system``; ``includes`` are the directories of its headers, that of ``cuda.h`` first; ``nvcc``
    and ``nvrtc`` (the library) are ``None`` where it has none; ``how`` is a sentence for people.
    """

    version: str
    origin: str
    includes: tuple[Path, ...]
    lib: Path
    nvcc: Path | None = None
    nvcc_version: str = ""
    nvrtc: Path | None = None
    nvrtc_version: str = ""
    how: str = ""

    @property
    def include(self) -> Path:
        """The directory of ``cuda.h``."""
        return self.includes[0]


def find(version: str, directory: Path | None) -> Installed:
    """Return toolkit *version* (``13.0``), whose wheels are unpacked in *directory*, or which the machine has.

    The wheels' own nvcc comes first, then that of a toolkit of exactly this version on the machine; without either, as with 12.9,
    whose wheels have no nvcc, the wheels' headers and NVRTC must do. Raises EnvironmentFailed.
    """
    wheels = _wheels(version, directory) if directory else None
    if wheels and wheels.nvcc:
        return wheels
    system = next(_systems(version), None)
    if found := system or wheels:
        return found
    raise EnvironmentFailed(
        f"there is no toolkit {version}: neither its wheels in {directory} nor a system toolkit of exactly this version "
        f"(looked at CUDA_HOME, CUDA_PATH, nvcc on PATH and {SYSTEM}/cuda-{version})"
    )


def _wheels(version: str, directory: Path) -> Installed | None:
    found = _at(directory, ("nvidia/*",), "wheels")
    if found is None:
        return None
    if found.version != version or (found.nvcc and not found.nvcc_version.startswith(f"{version}.")):
        said = f"toolkit {found.version}" + (f" with nvcc {found.nvcc_version}" if found.nvcc else "")
        raise EnvironmentFailed(f"{directory} holds {said} where {version} was asked for: delete it, and it is made anew")
    if found.nvcc:
        return replace(found, how=f"nvcc {found.nvcc_version} from PyPI wheels")
    if found.nvrtc is None:
        raise EnvironmentFailed(f"{directory} has neither nvcc nor NVRTC: install cuda-toolkit[cudart,nvrtc]=={version}.* there")
    nvrtc = _nvrtc_version(directory)
    how = f"no nvcc {version} in PyPI wheels: host code by the C++ compiler, kernels by NVRTC {nvrtc}"
    return replace(found, nvrtc_version=nvrtc, how=how)


def _systems(version: str) -> Iterator[Installed]:
    for root in dict.fromkeys(_system_roots(version)):
        found = _at(root, (".", "targets/*"), "system")
        if found and found.version == version and found.nvcc_version.startswith(f"{version}."):
            yield replace(found, how=f"nvcc {found.nvcc_version} of the system, in {root}")


def _system_roots(version: str) -> Iterator[Path]:
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if value := os.environ.get(variable):
            yield Path(value).resolve()
    if (nvcc := shutil.which("nvcc")) and (home := _home_of(nvcc)):
        yield home
    yield (SYSTEM / f"cuda-{version}").resolve()


def _home_of(nvcc: str) -> Path | None:
    """Return the root of the toolkit that *nvcc*, which may be a link or a wrapping script, belongs to."""
    match = re.search(r"^#\$ TOP=(.+)$", _said((nvcc, "--dryrun", "-E", os.devnull)), re.MULTILINE)
    return Path(match[1].strip()).resolve() if match else None


def _at(root: Path, parts: tuple[str, ...], origin: str) -> Installed | None:
    """Return the toolkit whose parts lie below *root*, or ``None``. Its files are never reached through a link."""

    def every(pattern: str) -> list[Path]:
        return [path for part in parts for path in sorted(root.glob(f"{part}/{pattern}"))]

    headers, archives = every("include/cuda.h"), every("lib*/libcudart_static.a")
    others = [*every("include/nvrtc.h"), *(crt.parent for crt in every("include/crt/host_defines.h"))]
    if not headers or not archives:
        return None
    nvcc = _first(every("bin/nvcc"))
    return Installed(
        version=_cuda_version(headers[0]),
        origin=origin,
        includes=tuple(dict.fromkeys(header.parent for header in [*headers[:1], *others])),
        lib=archives[0].parent,
        nvcc=nvcc,
        nvcc_version=_nvcc_version(nvcc) if nvcc else "",
        nvrtc=_first(every("lib*/libnvrtc.so.*")),
    )


def _first(paths: Iterable[Path]) -> Path | None:
    return next(iter(paths), None)


def _cuda_version(header: Path) -> str:
    match = re.search(r"^#define CUDA_VERSION (\d+)", header.read_text(encoding="utf-8"), re.MULTILINE)
    number = int(match[1]) if match else 0
    return f"{number // 1000}.{number % 1000 // 10}"


def _nvcc_version(nvcc: Path) -> str:
    """Return what *nvcc* says it is, ``13.0.88``, or ``unknown`` where it does not run."""
    match = re.search(r"\bV(\d+\.\d+\.\d+)", _said((str(nvcc), "--version")))
    return match[1] if match else "unknown"


def _said(command: tuple[str, ...]) -> str:
    """Return all that *command* prints; nothing where it cannot be run."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _nvrtc_version(directory: Path) -> str:
    installed = importlib.metadata.distributions(path=[str(directory)])
    return next((d.version for d in installed if d.metadata["Name"].startswith("nvidia-cuda-nvrtc")), "of unknown version")
