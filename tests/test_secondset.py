"""The second set of processes: what it measures, and that its records and the first set's are told apart."""

from __future__ import annotations

from ctkmatrix import journal, plan, secondset
from ctkmatrix.model import Metric, Profile
from tests.gate_factory import CANDIDATE, REFERENCE, row

STANDARD = Profile("standard", processes=12, values=5, seconds_per_value=0.01, block_limit=60, max_processes=20)
CELL = "cu13.5-py3.11-b13.5.0-c1.2.2"


def test_it_begins_beyond_all_that_the_first_can_have() -> None:
    """Also beyond the rounds that wide intervals add, and beyond the heaps of a short profile."""
    assert secondset.beginning(STANDARD) == 20
    assert secondset.beginning(plan.COUNT) == 5
    assert secondset.beginning(Profile("tiny", processes=2, values=1, seconds_per_value=1, block_limit=1)) == 5


def test_it_measures_the_cells_and_cases_that_are_suspected_and_no_other() -> None:
    """By each metric what that metric suspects, in as many processes as the first set."""
    suspects = [row(case="launch.empty"), row(case="event.record", metric=Metric.INSTRUCTIONS)]
    timed = secondset.wanted(suspects, Metric.TIME, STANDARD)
    counted = secondset.wanted(suspects, Metric.INSTRUCTIONS, STANDARD)
    assert list(timed) == list(range(20, 32))
    assert list(counted) == list(range(20, 25))
    assert set(timed.values()) == {frozenset({(REFERENCE, "launch.empty"), (CANDIDATE, "launch.empty")})}
    assert set(counted.values()) == {frozenset({(REFERENCE, "event.record"), (CANDIDATE, "event.record")})}


def test_without_suspects_there_is_none() -> None:
    """No round, rather than rounds of nothing."""
    assert secondset.wanted([], Metric.TIME, STANDARD) == {}
    assert secondset.wanted([row(metric=Metric.TIME)], Metric.INSTRUCTIONS, STANDARD) == {}


def test_records_are_parted_by_round() -> None:
    """Measured, counted and lost belong to one set; what a cell is measured with belongs to both."""
    prepared = journal.Prepared(cell=CELL)
    rounds: dict[int, list[journal.Record]] = {
        number: [
            journal.Measured(cell=CELL, process=number, round=number, case="a.b", results={}),
            journal.Counted(cell=CELL, process=number, round=number, case="a.b", results={}),
            journal.Lost(cell=CELL, process=number, round=number, case="a.c", reason="it died"),
        ]
        for number in (0, 19, 20, 31)
    }
    first, second = secondset.parted([prepared, *(one for own in rounds.values() for one in own)], 20)
    assert first == [prepared, *rounds[0], *rounds[19]]
    assert second == [prepared, *rounds[20], *rounds[31]]
