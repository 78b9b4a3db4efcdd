"""The worker's own end: quick, and with nothing lost."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT


def test_leaving_keeps_what_was_printed_and_takes_nothing_down() -> None:
    """What stands in the buffers of stdout and stderr is written; the interpreter's own end, with its hooks, does not come."""
    code = (
        "import atexit, sys; from ctkmatrix.probe import worker; atexit.register(print, 'taken down');"
        "print('kept'); sys.stderr.write('this too'); worker.leave()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("kept\n", "this too")
