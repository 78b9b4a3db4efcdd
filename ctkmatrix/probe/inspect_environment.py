"""Says what an environment really holds. Its own interpreter runs this file, which prints one line of JSON, its last.

The words on the command line are modules to import. Standard library only.
"""

from __future__ import annotations

import importlib
import json
import sys
import sysconfig
from importlib import metadata

KERNEL = b'extern "C" __global__ void nothing() {}'


def imports(modules: list[str]) -> dict[str, str]:
    """Import each of *modules*; return those that fail, with the reason."""
    failed = {}
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:  # a broken package may raise anything
            failed[module] = f"{type(error).__name__}: {error}"
    return failed


def nvrtc_version() -> str:
    """Return ``X.Y`` of the NVRTC that cuda.bindings loads, after it has compiled something (its builtins may be missing)."""
    nvrtc = importlib.import_module("cuda.bindings.nvrtc")
    status, major, minor = nvrtc.nvrtcVersion()
    status, program = nvrtc.nvrtcCreateProgram(KERNEL, b"nothing.cu", 0, [], [])
    (status,) = nvrtc.nvrtcCompileProgram(program, 0, [])
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise RuntimeError(f"NVRTC {major}.{minor} compiles nothing: {status.name}")
    return f"{major}.{minor}"


def main(modules: list[str]) -> None:
    """Print what there is."""
    failed, version = imports(modules), ""
    if "cuda.bindings.nvrtc" in modules and "cuda.bindings.nvrtc" not in failed:
        try:
            version = nvrtc_version()
        except Exception as error:
            failed["NVRTC"] = f"{type(error).__name__}: {error}"
    found = {
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "installed": {found.name: found.version for found in metadata.distributions()},
        "failed": failed,
        "nvrtc": version,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
