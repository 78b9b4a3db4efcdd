"""A module of ours that is run by itself."""

from __future__ import annotations

import pytest

from ctkmatrix.errors import Exit, MachineError
from ctkmatrix.standalone import standalone


def test_a_failure_is_one_message_and_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing of it steers the terminal."""
    with pytest.raises(SystemExit) as left, standalone():
        raise MachineError("there is no\x1b[31m valgrind")
    assert left.value.code == Exit.MACHINE
    assert capsys.readouterr() == ("", "ctkmatrix: there is no valgrind\n")


def test_a_bug_keeps_its_traceback_and_success_is_silent() -> None:
    """What is no failure of ours passes through."""
    with standalone():
        pass
    with pytest.raises(ZeroDivisionError), standalone():
        _ = 1 / 0
