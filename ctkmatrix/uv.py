"""Runs uv: where it is, in which surroundings, and what its failures mean."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from ctkmatrix.errors import EnvironmentFailed, MachineError

if TYPE_CHECKING:
    from collections.abc import Sequence

TIME_LIMIT = 1800.0
"""Seconds that one uv command may take: a toolkit is 350 MB, and some networks are slow."""

_NETWORK = (  # what uv 0.13 says; «cause: client error (Connect)» covers refused connections, DNS and TLS
    "error sending request",
    "client error (Connect)",
    "dns error",
    "operation timed out",
    "network was disabled",
    "network connectivity is disabled",
)
_SPACE = ("No space left on device", "Disk quota exceeded", "(os error 28)", "(os error 122)")
_MISLEADING = (  # what in the caller's surroundings would change which Python or which packages uv takes
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "UV_PYTHON",
    "UV_SYSTEM_PYTHON",
    "UV_PROJECT_ENVIRONMENT",
    "UV_CONSTRAINT",
    "UV_OVERRIDE",
    "UV_NO_VERIFY_HASHES",
    "UV_PRERELEASE",
    "UV_RESOLUTION",
)


def environ() -> dict[str, str]:
    """Return the caller's environment variables without those that would leak its Python into another."""
    kept = {name: value for name, value in os.environ.items() if name not in _MISLEADING and not name.startswith("PYTHON")}
    return kept | {"NO_COLOR": "1"}


def executable() -> str:
    """Return the uv to run: ``$UV``, which uv sets for what it starts, else the one on PATH. Raises MachineError."""
    found = shutil.which(os.environ.get("UV") or "uv") or shutil.which("uv")
    if found is None:
        raise MachineError("uv is missing: install it by `python3 -m pip install uv`, or set UV to its path")
    return found


def run(arguments: Sequence[str], *, limit: float = TIME_LIMIT) -> str:
    """Run ``uv`` with *arguments* for at most *limit* seconds and return what it prints.

    Raises MachineError where the network or the disk is at fault, and EnvironmentFailed, with uv's last words, for any other
    status but 0.
    """
    command = [executable(), *arguments, "--no-progress"]
    try:
        done = subprocess.run(
            command, env=environ(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFailed(f"`uv {' '.join(arguments[:2])}` did not end within {limit:g} s") from error
    except OSError as error:
        raise MachineError(f"uv cannot be run: {error}; reinstall it by `python3 -m pip install uv`") from error
    if done.returncode != 0:
        raise failure(arguments, done.returncode, done.stderr)
    return done.stdout


def run_or_do_offline(arguments: Sequence[str]) -> str:
    """Run ``uv`` as ``run`` does, and where the machine is at fault once more with nothing but its cache: it may need no network.

    Raises as ``run`` does: what the first attempt said where the second fails as well.
    """
    try:
        return run(arguments)
    except MachineError as error:
        try:
            return run([*arguments, "--offline"])
        except MachineError:
            raise error from None


def failure(arguments: Sequence[str], status: int, said: str) -> MachineError | EnvironmentFailed:
    """Return the error that *said*, uv's error output, stands for."""
    what = f"`uv {' '.join(arguments[:2])}` failed with status {status}:\n{_last_words(said)}"
    if any(mark.lower() in said.lower() for mark in _SPACE):
        return MachineError(f"no space is left on the disk; make room (`uv cache dir` says where downloads are kept). {what}")
    if not said.strip():
        return MachineError(f"uv does not work, and says nothing; reinstall it by `python3 -m pip install uv`. {what}")
    if any(mark.lower() in said.lower() for mark in _NETWORK):
        return MachineError(f"a download failed: check the network and the proxy settings. {what}")
    return EnvironmentFailed(what)


def _last_words(said: str) -> str:
    """Return the part of uv's error output from its first error on: the lines before tell progress."""
    lines = said.strip().splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith("error:")), -10)
    return "\n".join(lines[start:]) or "(it said nothing)"
