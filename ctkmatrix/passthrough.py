"""Runs a command in our place: its output is ours, its status is ours, and Ctrl-C is its to handle."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import time
from typing import TYPE_CHECKING

from ctkmatrix import uv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

GRACE = 60.0
"""Seconds that an interrupted command may take to put away what it has measured."""

PR_SET_PDEATHSIG = 1


def run(command: Sequence[str], directory: Path) -> int:
    """Run *command* in *directory* and return its status (128 + n where signal n ended it).

    On Ctrl-C the command, which gets the signal too, is waited for, however often it is pressed; nox's own way would kill it
    after 0.3 s. Should this process end, the command gets SIGTERM. The caller's PYTHON* variables do not reach it, and it speaks
    UTF-8.
    """
    environment = uv.environ() | {"PYTHONUTF8": "1"}
    libc = ctypes.CDLL(None)
    with subprocess.Popen(
        command,
        cwd=directory,
        env=environment,
        preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM),  # noqa: PLW1509 -- nox has one thread
    ) as child:
        status = _patiently(child)
    return status if status >= 0 else 128 - status


def _patiently(child: subprocess.Popen[bytes]) -> int:
    deadline = float("inf")
    while True:
        try:
            return child.wait(None if deadline == float("inf") else max(0.0, deadline - time.monotonic()))
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            deadline = min(deadline, time.monotonic() + GRACE)
        except subprocess.TimeoutExpired:
            child.kill()
