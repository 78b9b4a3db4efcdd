"""Runs a command in our place: its output is ours, its status is ours, and Ctrl-C is its to handle."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

GRACE = 60.0
"""Seconds that an interrupted command may take to put away what it has measured."""


def run(command: Sequence[str], directory: Path) -> int:
    """Run *command* in *directory* and return its status (128 + n where signal n ended it).

    On Ctrl-C the command, which gets the signal too, is waited for; nox's own way would kill it after 0.3 s.
    """
    with subprocess.Popen(command, cwd=directory) as child:
        try:
            status = child.wait()
        except KeyboardInterrupt:
            try:
                status = child.wait(GRACE)
            except (KeyboardInterrupt, subprocess.TimeoutExpired):
                child.kill()
                raise
    return status if status >= 0 else 128 - status
