"""Who this process really is: interpreter, packages and the libraries that are mapped into it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctkmatrix.probe.subject import Subject

LIBRARIES = {"libcuda": "libcuda.so", "nvrtc": "libnvrtc.so", "cudart": "libcudart.so", "nvjitlink": "libnvJitLink.so"}


def loaded() -> dict[str, str]:
    """Return the paths of CUDA's libraries in this process, by name; an empty string where one is not mapped."""
    paths = {line.split(maxsplit=5)[5].strip() for line in _maps().splitlines() if "/" in line}
    return {
        name: next((path for path in sorted(paths) if Path(path).name.startswith(start)), "") for name, start in LIBRARIES.items()
    }


def _maps() -> str:
    return Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")


def interpreter() -> dict[str, object]:
    """Return what the interpreter says of itself, and whether it is an optimised build as far as can be told."""
    free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    jit = getattr(sys, "_jit", None)
    return {
        "version": platform.python_version(),
        "minor": f"{sys.version_info.major}.{sys.version_info.minor}{'t' if free_threaded else ''}",
        "build": sys.version,
        "executable": os.path.realpath(sys.executable),
        "free_threaded": free_threaded,
        "gil": getattr(sys, "_is_gil_enabled", lambda: True)(),
        "jit": bool(jit and jit.is_enabled()),
        "optimised": optimised(),
        "config_args": sysconfig.get_config_var("CONFIG_ARGS") or "",
    }


def optimised() -> str:
    """Return whether the interpreter was built with PGO and LTO: ``yes``, ``no`` or ``unknown``.

    The packages of Debian and Ubuntu misreport: CONFIG_ARGS says ``--enable-shared``, of the library that is built beside a
    static interpreter with PGO and LTO. They are told by their directory of wheels in CONFIG_ARGS, and by no libpython in the
    process.
    """
    arguments = sysconfig.get_config_var("CONFIG_ARGS") or ""
    shared = "libpython" in _maps()
    if "--with-wheel-pkg-dir=/usr/share/python-wheels" in arguments and not shared:
        return "yes"
    if "--enable-optimizations" in arguments:
        return "yes" if "--with-lto" in arguments else "no"
    return "no" if arguments else "unknown"


def packages() -> dict[str, str]:
    """Return the versions of everything that is installed in this environment."""
    return dict(sorted((d.metadata["Name"].lower(), d.version) for d in importlib.metadata.distributions()))


def describe(cu: Subject, nvrtc: Any) -> dict[str, object]:
    """Return the identity of this process; *nvrtc* is what ``nvrtcVersion`` gave. Raises CaseFailed."""
    libraries = {name: {"path": path} for name, path in loaded().items() if path}
    libraries["libcuda"]["version"] = str(cu.check(cu.driver.cuDriverGetVersion()))
    libraries["nvrtc"]["version"] = "{}.{}".format(*nvrtc)
    uuid = cu.check(cu.driver.cuDeviceGetUuid(0)).bytes
    major, minor = (
        cu.check(cu.driver.cuDeviceGetAttribute(attribute, 0))
        for attribute in (
            cu.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            cu.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        )
    )
    return {
        "python": interpreter(),
        "packages": packages(),
        "libraries": libraries,
        "device": {
            "name": cu.check(cu.driver.cuDeviceGetName(128, 0)).split(b"\0")[0].decode(),
            "uuid": bytes(uuid).hex(),
            "architecture": f"{major}{minor}",
        },
    }
