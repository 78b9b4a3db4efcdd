"""From processes to a count, from counts to a change."""

from __future__ import annotations

import pytest

from ctkmatrix import counts
from ctkmatrix.counts import Change, margin, modes, refusal, summary
from ctkmatrix.model import Cell, CellResult, Count, Mode, Outcome, Status


def of(*points: float) -> Count:
    """Return the count of *points*."""
    return summary(points, turns=100, settled=True)


def test_a_count_is_its_minimum_and_its_spread() -> None:
    """The points stay, in the order of their processes."""
    found = of(1010.0, 1000.0, 1005.0)
    assert found.minimum == 1000
    assert found.spread == pytest.approx(0.01)
    assert found.points == (1010, 1000, 1005)
    with pytest.raises(ValueError, match="empty"):
        of()


def test_two_groups_of_processes_are_two_modes() -> None:
    """Each with its minimum and how many processes it has; a single process may be one."""
    assert modes([1380.0, 1386.0, 1380.1, 1386.2, 1386.1]) == (Mode(1380.0, 2), Mode(1386.0, 3))
    assert modes([6361.5, 6381.5, 6381.5, 6381.5, 6381.5]) == (Mode(6361.5, 1), Mode(6381.5, 4))


@pytest.mark.parametrize("points", [(1000.0,), (1000.0, 1000.0), (1000.0, 1000.2), (1000.0, 1002.0, 1004.0, 1006.0, 1008.0)])
def test_what_is_spread_evenly_or_hardly_at_all_has_no_modes(points: tuple[float, ...]) -> None:
    """So has what lies as near as two blocks that agree."""
    assert modes(points) == ()


def test_a_change_matters_beyond_its_margin() -> None:
    """2 % more matters, 0.9 % does not; fewer instructions count alike."""
    more, little, fewer = (Change(of(1000.0, 1001.0), of(value, value + 1), 0.01) for value in (1020.0, 1009.0, 980.0))
    assert (more.matters, little.matters, fewer.matters) == (True, False, True)
    assert more.relative == pytest.approx(0.02)
    assert fewer.absolute == pytest.approx(-20)


def test_counts_whose_processes_overlap_have_not_changed() -> None:
    """A candidate that met only a reference's upper mode is not slower than it."""
    assert not Change(of(1000.0, 1030.0), of(1030.0, 1030.0), 0.01).matters


def test_the_margin_is_the_larger_of_one_percent_and_twice_the_spread() -> None:
    """The spread is that of two environments of one cell."""
    assert margin(0.0) == counts.MARGIN
    assert margin(0.02) == pytest.approx(0.04)


def cell(name: str, **python: object) -> CellResult:
    """Return a cell that was counted in an interpreter of these properties."""
    identity = {"version": "3.14.0", "build": "b1", "free_threaded": False, "optimised": "yes"}
    return CellResult(Cell("13.5", "3.14", name, None), Outcome(Status.MEASURED), provenance={"python": identity | python})


def test_only_counts_of_one_interpreter_are_set_against_each_other() -> None:
    """Another build of the same version counts otherwise; a cell of which nothing is known is refused."""
    assert refusal(cell("13.5.0"), cell("13.4.4")) == ""
    assert refusal(cell("13.5.0"), cell("13.4.4", build="b2")) == "another interpreter: build"
    unknown = CellResult(Cell("13.5", "3.14", "13.5.0", None), Outcome(Status.NOT_RUN))
    assert "not known" in refusal(cell("13.5.0"), unknown)
