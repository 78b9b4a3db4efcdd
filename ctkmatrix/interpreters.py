"""Finds the interpreter of a Python version, and has uv install it where there is none.

uv alone does not do: an inactive pyenv shim that comes first on PATH misleads it, and it does not look into pyenv's versions.
An interpreter that was built with PGO and LTO is taken before any that was not: Python versions compare fairly only where they
are built alike, and a plain build is 10 to 20 % slower. Otherwise the order is that of uv: its own builds, then PATH, then pyenv.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from ctkmatrix import uv
from ctkmatrix.errors import CtkmatrixError, EnvironmentFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROBE_LIMIT = 10.0
"""Seconds within which an interpreter must say what it is."""
INSTALL_LIMIT = 300.0
"""Seconds within which uv must have installed one (about 30 MB)."""

_PROBE = """
import json, os, sys, sysconfig
sys.path.append({root!r})
from ctkmatrix.probe.identity import optimised
print(json.dumps({
    "implementation": sys.implementation.name,
    "version": "%d.%d" % sys.version_info[:2],
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "path": os.path.realpath(sys.executable),
    "optimised": optimised(),
}))
""".replace("{root!r}", repr(str(Path(__file__).parent.parent)))


@dataclass(frozen=True, slots=True)
class _Found:
    """An interpreter that is what it is called."""

    path: Path
    optimised: bool


def find(version: str) -> Path:
    """Return the interpreter of *version*, ``3.N`` or ``3.Nt`` (free-threaded), links followed.

    Raises EnvironmentFailed, which says what was tried.
    """
    tried: list[str] = []
    plain: list[Path] = []
    for candidate in _candidates(version):
        found = _probe(candidate, version)
        if isinstance(found, str):
            tried.append(f"{candidate} {found}")
        elif found.optimised:
            return found.path
        else:
            plain.append(found.path)
    if plain:
        return plain[0]
    refusal = _install(version, _managed_directory())
    installed = next((path for path in _managed(version) if isinstance(_probe(path, version), _Found)), None)
    if installed is not None:
        return installed.resolve()
    raise EnvironmentFailed(_explanation(version, tried, refusal))


def _candidates(version: str) -> Iterator[Path]:
    """Give each file that may be the interpreter once, the best first."""
    seen: set[Path] = set()
    for path in (*_managed(version), *_on_path(version), *_pyenv(version)):
        if path.is_file() and path.resolve() not in seen:
            seen.add(path.resolve())
            yield path


def _managed(version: str) -> list[Path]:
    """Return uv's own interpreters, newest first; their directories are named like ``cpython-3.12.4-linux-x86_64-gnu``."""
    return _versions(_managed_directory(), version, lambda name: name.removeprefix("cpython-").partition("-")[0])


def _on_path(version: str) -> list[Path]:
    """Return the interpreters of PATH without those of virtual environments: uvx puts its own there."""
    directories = [Path(directory) for directory in os.environ.get("PATH", "").split(os.pathsep)]
    return [
        directory / f"python{version}"
        for directory in directories
        if directory.is_absolute() and not (directory.parent / "pyvenv.cfg").exists()
    ]


def _pyenv(version: str) -> list[Path]:
    """Return pyenv's interpreters, whether or not they are active, newest first."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    return _versions(root / "versions", version, lambda name: name)


def _managed_directory() -> Path:
    """Return where uv keeps its interpreters: what ``uv python dir`` prints."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path(data, "uv", "python"))


def _versions(root: Path, version: str, number: Callable[[str], str]) -> list[Path]:
    """Return the interpreters of *version* below *root*, one directory each, by falling version number."""
    found = [directory / "bin" / f"python{version}" for directory in (root.iterdir() if root.is_dir() else ())]
    return sorted(found, key=lambda path: _order(number(path.parent.parent.name)), reverse=True)


def _order(number: str) -> Version:
    """Return the version that *number* begins with; uv writes ``3.14.0+freethreaded``, pyenv ``3.14.0t``."""
    with suppress(InvalidVersion):
        return Version(number.partition("+")[0].removesuffix("t"))
    return Version("0")


def _probe(candidate: Path, version: str) -> _Found | str:
    """Return *candidate*, links followed, if it is what it is called, else why not, as the end of a sentence."""
    try:
        with candidate.open("rb") as file:
            if file.read(4) != b"\x7fELF":  # pyenv's shims are scripts, and run whatever is active, or nothing
                return "is a script, not an interpreter"
        command = [str(candidate), "-I", "-c", _PROBE]
        done = subprocess.run(
            command, env=uv.environ(), stdin=subprocess.DEVNULL, capture_output=True, timeout=PROBE_LIMIT, check=True
        )
        said = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return f"did not answer within {PROBE_LIMIT:.0f} s"
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        return f"does not work ({error})"
    is_called = said["version"] + ("t" if said["free_threaded"] else "")
    if said["implementation"] != "cpython" or is_called != version:
        return f"is {said['implementation']} {is_called}"
    return _Found(Path(said["path"]), said["optimised"] == "yes")


@functools.cache
def _install(version: str, directory: Path) -> str:
    """Have uv install *version* into *directory*, once; return why it did not, or nothing."""
    if os.environ.get("UV_PYTHON_DOWNLOADS") in {"never", "false", "0"}:
        return "UV_PYTHON_DOWNLOADS forbids uv to download one."
    if os.environ.get("UV_OFFLINE", "").lower() in {"1", "true", "yes", "on"}:
        return "UV_OFFLINE forbids uv to download one."
    try:
        uv.run(["python", "install", "--no-bin", "--install-dir", str(directory), version], limit=INSTALL_LIMIT)
    except CtkmatrixError as error:
        return f"uv could not install one: {error}"
    return ""


def _explanation(version: str, tried: list[str], refusal: str) -> str:
    looked = ", ".join(tried) or f"no python{version} in uv's directory, on PATH or in pyenv's versions"
    advice = f"install it (`uv python install {version}`, `pyenv install {version}` or your system's package) and run again"
    return f"no interpreter for Python {version}: {looked}; {advice}. {refusal or 'What uv installed does not work.'}"
