"""The records of a run."""

from __future__ import annotations

import msgspec
import pytest

from ctkmatrix import journal
from ctkmatrix.model import Burst, BurstTime, Cell, Profile

BEGAN = journal.Began(
    run="r",
    at="2026-01-01T00:00:00+00:00",
    arguments=("--quick",),
    profile=Profile("quick", 4, 5, 0.004, 60),
    seed=1,
    cells=(Cell("13.5", "3.14t", "13.5.0", None),),
    cases={"a.b": "123"},
    device={"kind": "null", "name": "null driver", "architecture": "90", "uuid": ""},
    machine={"id": "m"},
    harness={},
    orchestrator={},
)
MEASURED = journal.Measured(
    cell="c", process=0, round=0, case="a.b", results={"core": journal.Values(10, (1e-7, 2e-7), (3e-7,))}, looped=0.1
)
BURST = Burst(256, "c", "native", (BurstTime(512, "launch.empty", {100: 4e-6, 10_000: 5e-6}),))


def test_records_survive_the_journal() -> None:
    """What is written is what is read, to the digit."""
    records: list[journal.Record] = [
        BEGAN,
        journal.Prepared(cell="c", reason="why"),
        journal.Settled(burst=BURST),
        journal.Opened(cell="c", process=0, round=0, cpu=1, padding=7, identity={"python": {"version": "3.14.1"}}),
        MEASURED,
        journal.Lost(cell="c", process=0, round=0, case="a.b", reason="crashed: SIGSEGV"),
        journal.Closed(cell="c", process=0, lifetime=2.5, looped=2.0),
        journal.Paused(at="2026", interrupted=False, wall=3.0),
    ]
    assert journal.decode(b"".join(map(journal.encode, records))) == records


def test_a_last_line_that_was_cut_off_counts_for_nothing() -> None:
    """A crash while writing loses that record alone."""
    text = journal.encode(BEGAN) + journal.encode(MEASURED)
    assert journal.decode(text[:-20]) == [BEGAN]


def test_a_broken_line_in_the_middle_is_told() -> None:
    """A journal that somebody has edited is not read as if it were whole."""
    with pytest.raises(msgspec.DecodeError):
        journal.decode(b"{}\n" + journal.encode(BEGAN))
