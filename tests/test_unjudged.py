"""What a comparison lacks: each thing told once, and what only the candidate can run told apart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import comparison, pairing
from ctkmatrix.model import Metric, Outcome, Status
from ctkmatrix.unjudged import Unjudged, unjudged
from tests import sides_factory as factory
from tests.results_factory import alter

if TYPE_CHECKING:
    from ctkmatrix.comparison import Comparison
    from ctkmatrix.model import Results

OLD, NEW = "cu13.4-py3.12-b13.4.4-c1.2.2", "cu13.5-py3.12-b13.5.0-c1.2.2"
CASE, VARIANT = "device.get", "bindings"


def compared(whole: Results, *, alone: int = 0) -> Comparison:
    """Compare two toolkits of one run by time; so many cells of the candidate are left out."""
    one = factory.side(whole)
    cells = pairing.by_axes(factory.cells(whole, factory.OLD), factory.cells(whole, factory.NEW)[alone:])
    return comparison.compare(one, one, cells, factory.MARGINS, Metric.TIME)


def without(*lacking: tuple[str, Status]) -> Results:
    """Return a run in which these cells have no number of one case variant."""
    whole = factory.base()
    for cell, status in lacking:
        field = next(one for one in whole.fields if (one.cell, one.case, one.variant) == (cell, CASE, VARIANT))
        whole = alter(whole, replace(field, outcome=Outcome(status, f"why {cell}"), time=None, count=None))
    return whole


def told(whole: Results) -> tuple[list[Unjudged], list[Unjudged]]:
    """Return what is lacking, and what is not applicable, of the one case variant and the one pair."""
    incomplete, gained = unjudged(compared(whole), whole, whole)
    lost, new = ([one for one in own if (one.candidate, one.case) == (NEW, CASE)] for own in (incomplete, gained))
    return lost, new


@pytest.mark.parametrize("status", [Status.FAILED, Status.NOT_RUN, Status.NOT_APPLICABLE])
def test_what_the_candidate_lost_is_incomplete(status: Status) -> None:
    """Whatever the reason: a name that is gone is a loss too."""
    lost, new = told(without((NEW, status)))
    assert lost == [Unjudged(f"{CASE} {VARIANT}", f"the candidate: why {NEW}", OLD, NEW, CASE, VARIANT, Metric.TIME)]
    assert not new


def test_what_only_the_candidate_can_run_is_no_lack() -> None:
    """A new name is told, and is not applicable."""
    lost, new = told(without((OLD, Status.NOT_APPLICABLE)))
    assert not lost
    assert [one.reason for one in new] == [f"the reference: why {OLD}"]


@pytest.mark.parametrize("status", [Status.FAILED, Status.NOT_RUN])
def test_a_reference_that_failed_leaves_nothing_to_compare_with(status: Status) -> None:
    """That is incomplete, unlike a name that it never had."""
    lost, new = told(without((OLD, status)))
    assert [one.reason for one in lost] == [f"the reference: why {OLD}"]
    assert not new


def test_a_new_name_that_fails_is_incomplete() -> None:
    """The reference cannot run it, and the candidate breaks in it."""
    lost, _ = told(without((OLD, Status.NOT_APPLICABLE), (NEW, Status.FAILED)))
    assert [one.reason for one in lost] == [f"the reference: why {OLD}; the candidate: why {NEW}"]


def test_a_cell_without_a_number_is_told_once() -> None:
    """Not by each of its cases."""
    whole = factory.base()
    found = compared(whole)
    empty = factory.alter_cell(whole, NEW, lambda cell: replace(cell, processes=0, outcome=Outcome(Status.NOT_RUN, "no wheel")))
    incomplete, gained = unjudged(found, empty, empty)
    own = [one for one in (*incomplete, *gained) if one.candidate == NEW]
    assert own == [Unjudged(f"cell {NEW}", "the candidate was not measured: no wheel", OLD, NEW)]


def test_a_cell_without_a_partner_and_an_interrupted_run_are_incomplete() -> None:
    """Each by its name."""
    whole = factory.base()
    stopped = replace(whole, manifest=replace(whole.manifest, status="interrupted"))
    incomplete, _ = unjudged(compared(stopped, alone=1), stopped, stopped)
    first = factory.cells(whole, factory.OLD)[0].id
    assert incomplete[0] == Unjudged(f"run {whole.manifest.run}", "it was interrupted")
    assert incomplete[1] == Unjudged(f"cell {first}", "the candidate has no such cell")
