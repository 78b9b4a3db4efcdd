"""The matrix of instructions: its entries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ctkmatrix import counts
from ctkmatrix.countgrid import count_grid
from ctkmatrix.grid import by_key
from ctkmatrix.model import Field, Flag, Metric, Outcome, Results, Status
from ctkmatrix.page import Entry
from tests.results_factory import LONELY, RESTLESS, alter, counted, results

if TYPE_CHECKING:
    from ctkmatrix.page import Grid, Row

CELL = "cu13.0-py3.12-b13.0.3-c1.2.2"
MEASURED = Outcome(Status.MEASURED)


def made(these: Results) -> Grid:
    """Lay out *these*."""
    return count_grid(these, by_key(these))


def row(laid: Grid, case: str, variant: str) -> Row:
    """Return one row."""
    return next(row for group in laid.groups for row in group.rows if (row.case, row.variant) == (case, variant))


def entry(these: Results, case: str, variant: str, cell: str = CELL) -> Entry:
    """Return one entry of the matrix of *these*."""
    laid = made(these)
    return row(laid, case, variant).entries[[column.cell for column in laid.columns].index(cell)]


def with_count(case: str, variant: str, *points: float, settled: bool = True, these: Results | None = None) -> Results:
    """Return *these*, or the standard counts, with one field of ``CELL`` made by hand."""
    count = counts.summary(points, turns=1000, settled=settled)
    return alter(these or counted(), Field(CELL, case, variant, MEASURED, count=count))


def test_a_count_says_its_least_and_its_spread() -> None:
    """The field is compact: all else is told from the page's data."""
    shown = entry(with_count("event.record", "bindings", 10732.4, 10840.0, 10732.5), "event.record", "bindings")
    thin = "\N{NARROW NO-BREAK SPACE}"
    assert shown == Entry("count", f"10{thin}732", f"1{thin}%", None, "", flagged=False)


def test_native_twins_have_rows_of_their_own() -> None:
    """Beside the variants that are set against them."""
    variants = [row_.variant for group in made(counted()).groups for row_ in group.rows if row_.case == "event.record"]
    assert variants == ["native", "bindings", "core", "bindings-runtime"]


def test_what_did_not_settle_carries_the_corner() -> None:
    """Nothing else does."""
    these = counted()
    assert entry(these, RESTLESS[0], "core", RESTLESS[1]).flagged
    others = tuple(case for case in these.cases if case.id != RESTLESS[0])
    assert (made(these).flagged, made(replace(these, cases=others)).flagged) == (True, False)


def test_several_calls_a_turn_are_told() -> None:
    """The count is a turn's, as a time is."""
    assert row(made(counted()), "tensormap.encode_3", "bindings").detail.endswith("3 calls a turn.")


def test_what_was_not_counted_shows_a_word() -> None:
    """As in the matrix of times."""
    failed = entry(counted(), LONELY[0], "native", LONELY[1])
    assert (failed.kind, failed.text) == ("mark", "failed")
    assert entry(counted(), "launch.empty", "core", "cu13.0-py3.14-b13.0.3-c1.2.2").text == "not run"
    assert entry(results(device_kind="gpu", metric=Metric.BOTH), "event.record", "bindings-runtime").text == "needs a GPU"


def test_flags_of_time_are_not_shown() -> None:
    """Neither on a column nor on a field: load moves no count, and five processes are enough."""
    these = counted()
    cells = (replace(these.cells[0], flags=(Flag.OTHER_LOAD, Flag.FEW_PROCESSES, Flag.NO_NVCC)), *these.cells[1:])
    laid = made(replace(these, cells=cells, fields=tuple(replace(field, flags=(Flag.NOISY,)) for field in these.fields)))
    assert laid.columns[0].detail.splitlines()[1:] == [Flag.NO_NVCC]
    assert {mark.value for mark in laid.marks} == {Flag.NO_NVCC, Flag.INTERPRETER_BUILD}
    flagged = [each for group in laid.groups for row_ in group.rows for each in row_.entries if each.flagged]
    assert len(flagged) == 3  # what did not settle


def test_rows_of_counts_have_anchors_of_their_own() -> None:
    """A page with two matrices has no id twice."""
    assert row(made(counted()), "event.record", "core").anchor == "instructions/event.record/core"
