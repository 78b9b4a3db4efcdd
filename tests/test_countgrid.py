"""The matrix of instructions: its entries, and which columns may be set against each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ctkmatrix import counts
from ctkmatrix.countgrid import UNSETTLED, count_grid
from ctkmatrix.grid import by_key
from ctkmatrix.model import Field, Flag, Metric, Outcome, Results, Status
from tests.results_factory import LONELY, NO_PYTHON, RESTLESS, alter, counted, results

if TYPE_CHECKING:
    from ctkmatrix.page import Entry, Grid, Row

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


def test_a_count_says_its_least_its_spread_and_the_whole_story() -> None:
    """The field is compact; its detail has the most, the modes, the native twin's and how it was counted."""
    these = with_count("event.record", "bindings", 10732.4, 10840.0, 10732.5, 10840.1, 10840.0)
    shown = entry(with_count("event.record", "native", 62.0, 62.0, these=these), "event.record", "bindings")
    assert (shown.kind, shown.heat, shown.standing, shown.flagged) == ("count", None, "", False)
    assert shown.span == (10732.4, 10840.1)
    assert (shown.text, shown.interval) == ("10\N{NARROW NO-BREAK SPACE}732", "1\N{NARROW NO-BREAK SPACE}%")
    assert shown.detail.replace("\N{NARROW NO-BREAK SPACE}", " ").splitlines() == [
        "event.record / bindings",
        CELL,
        "10 732 instructions a turn, the least of 5 processes",
        "the most: 10 840, spread 1 %",
        "two modes: 10 732 (2 processes), 10 840 (3 processes)",
        "native: 62; against it +10 670, 173 ×",  # noqa: RUF001 -- the sign that is shown
        "counted over blocks of 1 000 and 2 000 turns",
        "settled before it was counted",
    ]


def test_native_twins_have_rows_of_their_own() -> None:
    """Beside the variants that are set against them, and with no twin to tell of."""
    variants = [row_.variant for group in made(counted()).groups for row_ in group.rows if row_.case == "event.record"]
    assert variants == ["native", "bindings", "core", "bindings-runtime"]
    assert "native:" not in entry(counted(), "event.record", "native").detail


def test_what_did_not_settle_carries_the_corner() -> None:
    """And says so; nothing else does."""
    these = counted()
    restless = entry(these, RESTLESS[0], "core", RESTLESS[1])
    assert (restless.flagged, restless.detail.splitlines()[-1]) == (True, UNSETTLED)
    others = tuple(case for case in these.cases if case.id != RESTLESS[0])
    assert (made(these).flagged, made(replace(these, cases=others)).flagged) == (True, False)


def test_several_calls_a_turn_are_told() -> None:
    """The count is a turn's, as a time is."""
    detail = entry(with_count("tensormap.encode_3", "bindings", 3000.0), "tensormap.encode_3", "bindings").detail
    assert "a call: 1\N{NARROW NO-BREAK SPACE}000, 3 calls a turn" in detail
    assert row(made(counted()), "tensormap.encode_3", "bindings").detail.endswith("3 calls a turn.")


def test_what_was_not_counted_shows_a_word_and_its_reason() -> None:
    """As in the matrix of times; without its twin a count stands alone."""
    failed = entry(counted(), LONELY[0], "native", LONELY[1])
    assert (failed.kind, failed.text, failed.span) == ("mark", "failed", None)
    assert failed.detail.endswith("failed: CUDA_ERROR_OUT_OF_MEMORY")
    assert "native" not in entry(counted(), LONELY[0], "core", LONELY[1]).detail
    away = entry(counted(), "launch.empty", "core", "cu13.0-py3.14-b13.0.3-c1.2.2")
    assert (away.text, away.detail.splitlines()[-1]) == ("not run", f"not run: {NO_PYTHON}")
    gpu = entry(results(device_kind="gpu", metric=Metric.BOTH), "event.record", "bindings-runtime")
    assert (gpu.text, gpu.detail.splitlines()[-1]) == (
        "needs a GPU",
        "needs a GPU: instructions are counted over the null driver",
    )


def test_flags_of_time_are_not_shown() -> None:
    """Neither on a column nor on a field: load moves no count, and five processes are enough."""
    these = counted()
    cells = (replace(these.cells[0], flags=(Flag.OTHER_LOAD, Flag.FEW_PROCESSES, Flag.NO_NVCC)), *these.cells[1:])
    laid = made(replace(these, cells=cells, fields=tuple(replace(field, flags=(Flag.NOISY,)) for field in these.fields)))
    assert laid.columns[0].detail.splitlines()[1:] == [Flag.NO_NVCC]
    assert {mark.value for mark in laid.marks} == {Flag.NO_NVCC, Flag.INTERPRETER_BUILD}
    assert not any(Flag.NOISY in each.detail for group in laid.groups for row_ in group.rows for each in row_.entries)


def test_columns_of_one_interpreter_may_be_compared() -> None:
    """They share a number; the reason against every other is the one of ``counts.refusal``, both ways."""
    these = counted()
    python = {"version": "3.12.4", "build": "another", "optimised": "unknown", "gil": True}
    cells = (*these.cells[:-3], replace(these.cells[-3], provenance={"python": python}), *these.cells[-2:])
    changes = made(replace(these, cells=cells)).changes
    assert changes
    for reference, first in zip(cells, changes.interpreters, strict=True):
        for candidate, second in zip(cells, changes.interpreters, strict=True):
            if reference is not candidate:
                assert changes.refusals[first][second] == counts.refusal(reference, candidate)
    assert "another interpreter: build" in {reason for reasons in changes.refusals for reason in reasons}
    assert changes.margin == counts.MARGIN


def test_only_cells_with_counts_are_references() -> None:
    """The three that did not run are not offered."""
    laid = made(counted())
    assert laid.changes
    assert len(laid.changes.references) == 29
    assert all(laid.columns[place].state == "" for place in laid.changes.references)


def test_rows_of_counts_have_anchors_of_their_own() -> None:
    """A page with two matrices has no id twice."""
    assert row(made(counted()), "event.record", "core").anchor == "instructions/event.record/core"
