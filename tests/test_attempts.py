"""What a run has tried: what is not tried again, and what is."""

from __future__ import annotations

import pytest

from ctkmatrix import journal
from ctkmatrix.attempts import Attempts
from ctkmatrix.model import Case, Cell, Variant
from ctkmatrix.plan import Block

CELL = Cell("13.5", "3.14", "13.5.0", "1.2.2")
VARIANTS = ("native", "bindings", "core")


def block(case: str = "a.b") -> Block:
    """Return a block of a case in three variants."""
    return Block(Case(case, "", tuple(Variant(name, ()) for name in VARIANTS)), VARIANTS, 0)


def counted(failures: dict[str, str], dirt: str = "") -> journal.Counted:
    """Return a block that was counted."""
    return journal.Counted(cell=CELL.id, process=0, round=0, case="a.b", results={}, failures=failures, dirt=dirt)


def measured(absent: dict[str, str], dirt: str = "") -> journal.Measured:
    """Return a block that was measured."""
    return journal.Measured(cell=CELL.id, process=0, round=0, case="a.b", results={}, absent=absent, dirt=dirt)


def lost(case: str) -> journal.Lost:
    """Return the loss of a worker at *case*."""
    return journal.Lost(cell=CELL.id, process=0, round=0, case=case, reason="crashed: SIGSEGV")


def opened(process: int) -> journal.Opened:
    """Return the opening of a process."""
    return journal.Opened(cell=CELL.id, process=process, round=0, cpu=None, padding=0, identity={})


def test_all_is_tried_at_first() -> None:
    """But cuda.core where the cell has none."""
    assert Attempts().left(CELL, block()) == list(VARIANTS)
    without = Cell("13.5", "3.14", "13.5.0", None)
    assert Attempts().left(without, block()) == ["native", "bindings"]


@pytest.mark.parametrize("record", [counted({"bindings": "ValueError"}), measured({"bindings": "a later release brings it"})])
def test_a_variant_that_failed_or_is_absent_is_not_tried_again(record: journal.Answered) -> None:
    """The case's others are, and those of other cases."""
    attempts = Attempts()
    attempts.learn(record)
    assert attempts.left(CELL, block()) == ["native", "core"]
    assert attempts.left(CELL, block("a.c")) == list(VARIANTS)


def test_a_case_that_left_dirt_or_took_the_worker_along_is_given_up() -> None:
    """In this cell alone; a worker has nothing left to do where that was all."""
    for attempts in (soiled := Attempts(), crashed := Attempts()):
        assert attempts.any_left(CELL, [block()])
    soiled.learn(measured({}, "a capture is open"))
    crashed.lose(lost("a.b"))
    other = Cell("13.5", "3.13", "13.5.0", "1.2.2")
    for attempts in (soiled, crashed):
        assert attempts.left(CELL, block()) == []
        assert attempts.left(other, block()) == list(VARIANTS)
        assert not attempts.any_left(CELL, [block()])
        assert attempts.any_left(CELL, [block(), block("a.c")])


def test_a_cell_whose_worker_could_not_open_has_nothing_left() -> None:
    """A worker that is at it already goes on."""
    attempts = Attempts()
    attempts.lose(lost(""))
    assert not attempts.any_left(CELL, [block()])
    assert attempts.left(CELL, block()) == list(VARIANTS)


def test_processes_are_numbered_beyond_those_of_the_journal() -> None:
    """Whatever their order; from 0 without one."""
    attempts = Attempts()
    assert (attempts.begin(), attempts.begin()) == (0, 1)
    resumed = Attempts()
    resumed.recall([opened(6), opened(2)], journal.Measured)
    assert (resumed.begin(), resumed.begin()) == (7, 8)


def test_a_resumed_run_keeps_the_failures_of_its_own_kind() -> None:
    """What could not be counted may be timed; what took the worker along is given up either way."""
    records: list[journal.Record] = [
        counted({"bindings": "ValueError"}),
        measured({"core": "a later release brings it"}),
        lost("a.c"),
    ]
    timing, counting = Attempts(), Attempts()
    timing.recall(records, journal.Measured)
    counting.recall(records, journal.Counted)
    assert timing.left(CELL, block()) == ["native", "bindings"]
    assert counting.left(CELL, block()) == ["native", "core"]
    assert timing.given_up == counting.given_up == {(CELL.id, "a.c")}
