"""A journal, sorted."""

from __future__ import annotations

import pytest

from ctkmatrix import journal
from ctkmatrix.collected import by_round, collect, samples
from ctkmatrix.model import Sample
from tests.test_journal import BEGAN

CORE = ("c", "a.b", "core")


def block(process: int, number: int, value: float) -> journal.Measured:
    """Return a block of cell c, in which cuda.core took *value* seconds a turn."""
    values = journal.Values(10, (value, value, 9 * value), (2 * value,))
    return journal.Measured(cell="c", process=process, round=number, case="a.b", results={"core": values})


def test_values_are_told_by_round() -> None:
    """What a verdict pairs: a process's value under its round, in whatever order processes came; two in a round are a mistake."""
    found = collect([BEGAN, block(3, 3, 5e-9), block(7, 0, 2e-9)])
    assert by_round(found, CORE) == {3: 5e-9, 0: 2e-9}
    assert by_round(found, ("another", "a.b", "core")) == {}
    twice = collect([BEGAN, block(3, 3, 5e-9), block(7, 3, 2e-9)])
    with pytest.raises(ValueError, match="a round holds two processes"):
        by_round(twice, CORE)


def test_a_journal_without_a_plan_is_refused() -> None:
    """Nothing is made up."""
    with pytest.raises(ValueError, match="plan"):
        collect([block(0, 0, 1e-9)])


def test_what_counts_and_what_times_are_kept_apart() -> None:
    """The share of time in loops is that of the workers that measured time."""
    closed = [journal.Closed(cell="c", process=n, lifetime=2.0, looped=1.0 - n, counted=bool(n)) for n in (0, 1)]
    found = collect([BEGAN, *closed])
    assert (found.looped, found.lifetime, dict(found.counting)) == (1.0, 2.0, {"c": 2.0})
    assert found.closed == {"c": closed[:1]}


def test_the_first_loss_is_told() -> None:
    """A case that is lost again in another round was lost for the first reason."""
    lost = [journal.Lost(cell="c", process=n, round=n, case="a.b", reason=why) for n, why in enumerate(("hung", "crashed"))]
    assert collect([BEGAN, *lost]).lost == {("c", "a.b"): "hung"}


def test_single_values_are_those_of_the_journal() -> None:
    """As pyperf's files have them, process after process."""
    found = samples([BEGAN, block(3, 1, 5e-9), block(7, 2, 2e-9)])
    assert found[CORE] == [
        Sample(*CORE, process=3, round=1, loops=10, values=(5e-9, 5e-9, 9 * 5e-9), warmups=(1e-8,)),
        Sample(*CORE, process=7, round=2, loops=10, values=(2e-9, 2e-9, 9 * 2e-9), warmups=(4e-9,)),
    ]
