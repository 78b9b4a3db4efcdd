"""What is summed up of a run's overheads; how the page says it is in the tests of `report`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import overheads
from ctkmatrix.grid import Standing, by_key
from tests.results_factory import results

if TYPE_CHECKING:
    from ctkmatrix.overheads import Overhead

WHOLE = results()
FOUND = overheads.measured(WHOLE, by_key(WHOLE))


def certain(standing: Standing) -> list[Overhead]:
    """Return the overheads that stand so to the target."""
    return [each for each in FOUND if each.standing is standing]


def test_every_overhead_is_held_against_its_target() -> None:
    """A call, with no lone time among them; what is certainly over is so by its interval's lower end."""
    assert len(FOUND) == sum(field.overhead is not None for field in WHOLE.fields)
    assert {each.standing for each in FOUND} == set(Standing)
    assert all(each.at_least > 1 for each in certain(Standing.OVER))
    for each in FOUND:
        assert each.share == pytest.approx(each.estimate.value / each.case.calls_per_turn / WHOLE.target)


def test_where_none_is_over_the_nearest_are_listed() -> None:
    """The title says which; a case variant is there once, in the cell where it is furthest."""
    within = certain(Standing.WITHIN)
    assert (overheads.title(FOUND), overheads.title(within)) == (overheads.OVER, overheads.NEAREST)
    for found, standing in ((FOUND, Standing.OVER), (within, Standing.WITHIN)):
        listed = overheads.worst(found)
        first = max(certain(standing), key=lambda each: each.at_least)
        assert (listed[0].case, listed[0].variant, listed[0].cell) == (first.case.id, first.variant, first.cell)
        assert len({(one.case, one.variant) for one in listed}) == len(listed) <= overheads.WORST


def test_an_interval_over_few_processes_gives_no_verdict() -> None:
    """Also where the profile asked for more, and the run was interrupted."""
    few = [replace(each, estimate=replace(each.estimate, points=each.estimate.points[:3])) for each in FOUND]
    assert overheads.verdict(WHOLE, few) == overheads.FIRST_SIGHT + overheads.verdict(WHOLE, FOUND)
    assert overheads.verdict(WHOLE, []) == "No overhead was measured."
