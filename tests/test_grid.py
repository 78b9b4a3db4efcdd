"""The matrix of the page: columns, rows, and every kind of entry."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ctkmatrix.grid import COLUMN_MARKS, Standing, anchor, by_key, grid, heat, mark, standing
from ctkmatrix.model import Estimate, Field, Flag, Outcome, Results, Status, Variant
from ctkmatrix.page import Entry, Fact, Graph, Grid, Row, Span
from ctkmatrix.profiles import INSTRUCTIONS, SAMPLES, Made
from tests.results_factory import HOSTILE, LONELY, NO_PYTHON, alter, estimate, results

CELL = "cu13.0-py3.12-b13.0.3-c1.2.2"
MEASURED = Outcome(Status.MEASURED)


def made(these: Results) -> Grid:
    """Lay out *these*."""
    return grid(these, by_key(these))


def row(laid: Grid, case: str, variant: str) -> Row:
    """Return one row."""
    return next(row for group in laid.groups for row in group.rows if (row.case, row.variant) == (case, variant))


def entry(these: Results, case: str, variant: str, cell: str = CELL) -> Entry:
    """Return one entry of the matrix of *these*."""
    laid = made(these)
    position = [column.cell for column in laid.columns].index(cell)
    return row(laid, case, variant).entries[position]


def with_field(case: str, variant: str, **of: object) -> Results:
    """Return the standard results with one field of ``CELL`` made by hand."""
    return alter(results(), Field(CELL, case, variant, MEASURED, **of))  # type: ignore[arg-type]


def test_columns_are_grouped_by_toolkit_then_release_then_python() -> None:
    """Three levels of heads span the same 32 columns; a release opens with a mark."""
    laid = made(results())
    assert laid.toolkits[:2] == (Span("CUDA 12.9", 8), Span("CUDA 13.0", 4))
    assert laid.releases[:2] == (Span("bindings 12.9.4 · core 1.2.2", 4), Span("bindings 12.9.10 · core 1.2.2", 4))
    assert [column.text for column in laid.columns[:5]] == ["3.11", "3.12", "3.13", "3.14", "3.11"]
    assert [column.starts for column in laid.columns[:5]] == [True, False, False, False, True]
    assert sum(span.width for span in laid.toolkits) == sum(span.width for span in laid.releases) == len(laid.columns) == 32


def test_extras_have_a_head_of_their_own() -> None:
    """Beside the same releases without them: two columns that read «3.12» and nothing else would be taken for one another."""
    these = results()
    plain = next(each for each in these.cells if each.cell.id == CELL)
    beside = replace(plain, cell=replace(plain.cell, extras=("cupy-cuda13x",)))
    fields = tuple(replace(field, cell=beside.cell.id) for field in these.fields if field.cell == CELL)
    laid = made(replace(these, cells=(plain, beside), fields=(*these.fields, *fields)))
    assert laid.releases == (Span("bindings 13.0.3 · core 1.2.2", 1), Span("bindings 13.0.3 · core 1.2.2 · cupy-cuda13x", 1))


def test_rows_are_the_python_sides_of_each_case_by_area() -> None:
    """Native twins get no row; cases of one area stand together though they came apart; every row spans all columns."""
    these = results()
    laid = made(replace(these, cases=(*these.cases[1:], these.cases[0])))
    assert [group.name for group in laid.groups][:3] == ["device", "enum", "stream"]
    variants = [(each.case, each.variant, each.leads) for each in laid.groups[3].rows]
    assert variants == [
        ("event.create_destroy", "bindings", True),
        ("event.create_destroy", "core", False),
        ("event.record", "bindings", True),
        ("event.record", "core", False),
        ("event.record", "bindings-runtime", False),
    ]
    assert {len(each.entries) for group in laid.groups for each in group.rows} == {32}


def test_an_overhead_says_number_interval_and_standing() -> None:
    """The field is compact: all else is told from the page's data."""
    these = with_field(
        "event.record",
        "bindings",
        time=estimate(764e-9, 10e-9),
        overhead=estimate(584e-9, 10e-9),
        ratio=estimate(4.24, 0.05),
    )
    shown = entry(these, "event.record", "bindings")
    assert shown == Entry("overhead", "584", "±12", 3, "within", flagged=False)


def test_a_negative_overhead_keeps_its_sign() -> None:
    """Nothing is clamped at zero."""
    these = with_field("event.record", "bindings", time=estimate(175e-9, 1e-9), overhead=estimate(-5e-9, 1e-9))
    shown = entry(these, "event.record", "bindings")
    assert (shown.text, shown.heat, shown.standing) == ("\N{MINUS SIGN}5", 0, "within")


def test_several_calls_a_turn_raise_the_target() -> None:
    """Three calls may take three times the target before the colour says too much."""
    within, over = (
        entry(with_field("tensormap.encode_3", "bindings", time=total, overhead=total), "tensormap.encode_3", "bindings")
        for total in (estimate(2.9e-6, 1e-9), estimate(3.1e-6, 1e-9))
    )
    assert (within.standing, within.heat, over.standing, over.heat) == ("within", 3, "over", 4)


@pytest.mark.parametrize(
    ("value", "low", "high", "stands"),
    [
        (0.9e-6, 0.8e-6, 1.0e-6, Standing.WITHIN),
        (-5e-6, -9e-6, 0.5e-6, Standing.WITHIN),
        (0.9e-6, 0.8e-6, 1.001e-6, Standing.UNSURE),
        (1.5e-6, 1.0e-6, 2.0e-6, Standing.UNSURE),
        (2.0e-6, 1.001e-6, 2.1e-6, Standing.OVER),
        (4.0e-6, 2.1e-6, 5.9e-6, Standing.OVER),
        (4.0e-6, 3.0e-6, 6.1e-6, Standing.UNSURE),
        (9.0e-6, None, None, Standing.UNSURE),
        (0.1e-6, None, None, Standing.UNSURE),
    ],
)
def test_the_interval_decides_where_an_overhead_stands(
    value: float, low: float | None, high: float | None, stands: Standing
) -> None:
    """The target itself is within; beyond it the interval must clear the target and be narrow; without one nothing is certain."""
    assert standing(Estimate(value, low, high, ()), 1e-6) is stands


def test_what_is_too_uncertain_keeps_its_number_and_loses_its_colour() -> None:
    """The number and its interval stay."""
    noisy = estimate(4e-6, 3.5e-6)
    shown = entry(with_field("event.record", "bindings", time=noisy, overhead=noisy), "event.record", "bindings")
    assert (shown.text.replace("\N{NARROW NO-BREAK SPACE}", " "), shown.heat, shown.standing) == ("4 000", None, "unsure")


def test_columns_carry_the_marks_of_their_cells_flags() -> None:
    """The head has a sign for each flag, the legend its sentence, the head's detail too; the run's own flags have none."""
    laid = made(results(processes=4))
    assert [column.marks for column in laid.columns[:5]] == [
        "\N{DOUBLE DAGGER}",
        "\N{DAGGER}\N{DOUBLE DAGGER}",
        "\N{DOUBLE DAGGER}",
        "",
        "\N{DOUBLE DAGGER}",
    ]
    assert laid.marks == (
        Fact("\N{DAGGER}", Flag.INTERPRETER_BUILD.value),
        Fact("\N{DOUBLE DAGGER}", Flag.NO_NVCC.value),
    )
    assert Flag.INTERPRETER_BUILD.value in laid.columns[1].detail


def test_every_flag_that_sets_a_cell_apart_has_its_own_mark() -> None:
    """A new flag is not forgotten; those that hold for a run as a whole and those of single fields need none."""
    whole_run = {Flag.NULL_DRIVER, Flag.FEW_PROCESSES, Flag.GOVERNOR}
    single_fields = {Flag.NOISY, Flag.BIMODAL, Flag.DRIFT, Flag.QUEUE_FULL, Flag.BURST_UNPROVEN, Flag.TARGET_NOT_REACHED}
    assert COLUMN_MARKS.keys() == set(Flag) - whole_run - single_fields
    assert len(set(COLUMN_MARKS.values())) == len(COLUMN_MARKS)


def test_a_flag_of_all_cells_sets_none_apart() -> None:
    """Its sign would be on every column; the head's detail still says it."""
    these = results()
    every = tuple(replace(each, flags=(Flag.OTHER_LOAD,)) for each in these.cells)
    laid = made(replace(these, cells=every))
    assert (laid.marks, {column.marks for column in laid.columns}) == ((), {""})
    assert Flag.OTHER_LOAD.value in laid.columns[0].detail
    one = made(replace(these, cells=(every[0], *(replace(each, flags=()) for each in every[1:]))))
    assert (one.marks, [column.marks for column in one.columns[:2]]) == ((Fact("*", Flag.OTHER_LOAD.value),), ["*", ""])


def test_a_flagged_field_carries_the_corner() -> None:
    """Its own flags put it there, also on a time that stands alone; its twin's put none."""
    total = estimate(764e-9, 10e-9)
    these = with_field("event.record", "bindings", time=total, overhead=total, flags=(Flag.BIMODAL, Flag.DRIFT))
    these = alter(these, Field(CELL, "event.record", "native", MEASURED, total, flags=(Flag.NOISY,)))
    assert entry(these, "event.record", "bindings").flagged
    assert not entry(these, "event.record", "core").flagged
    assert entry(with_field("enum.construct", "bindings", time=total, flags=(Flag.NOISY,)), "enum.construct", "bindings").flagged
    assert (made(these).flagged, made(results()).flagged) == (True, False)


@pytest.mark.parametrize(("share", "level"), [(-1.0, 0), (0.1, 0), (0.11, 1), (1.0, 3), (1.001, 4), (5.0, 5), (40.0, 6)])
def test_heat_turns_at_the_target(share: float, level: int) -> None:
    """The fourth step ends exactly at the target."""
    assert heat(share) == level


def test_the_legend_speaks_ns_a_call() -> None:
    """The steps are told in ns and marked beyond the target."""
    steps = made(results()).scale
    assert [step.text.replace("\N{NARROW NO-BREAK SPACE}", " ") for step in steps] == [
        "≤ 100",
        "≤ 250",
        "≤ 500",
        "≤ 1 000",
        "≤ 2 000",
        "≤ 5 000",
        "> 5 000",
    ]
    assert [step.over for step in steps] == [False] * 4 + [True] * 3


def test_without_a_twin_the_own_time_stands() -> None:
    """A case that has no native twin, and one whose twin failed, show time and no colour."""
    enum = entry(results(), "enum.construct", "bindings")
    lonely = entry(results(), LONELY[0], "core", LONELY[1])
    assert (enum.kind, enum.heat, lonely.kind, lonely.heat) == ("time", None, "time", None)


def test_what_was_not_measured_shows_a_word() -> None:
    """Failed, not run, n/a and needs a GPU each read as themselves."""
    failed = entry(results(), "launch.empty", "core", "cu13.5-py3.12-b13.5.0-c1.2.2")
    assert (failed.kind, failed.text) == ("mark", "failed")
    assert entry(results(), "launch.empty", "core", "cu13.0-py3.14-b13.0.3-c1.2.2").text == "not run"
    assert entry(results(), "event.record", "bindings-runtime").text == "needs a GPU"
    absent = alter(results(), Field(CELL, "event.record", "core", Outcome(Status.NOT_APPLICABLE, "this cell has no cuda.core")))
    assert entry(absent, "event.record", "core").text == "n/a"


def test_what_an_older_gpu_lacks_is_named() -> None:
    """The field says which architecture is needed; what has another reason, or nothing to do with the GPU, reads as ever."""
    on_gpu = results(device_kind="gpu")
    older = replace(on_gpu, manifest=replace(on_gpu.manifest, device=on_gpu.manifest.device | {"architecture": "80"}))
    field = Field(CELL, "tensormap.encode_3", "core", Outcome(Status.NOT_APPLICABLE, "needs sm_90: this GPU is sm_80"))
    newer, any_gpu = Variant("core", (), needs="sm_90"), Variant("core", ())
    assert mark(older, newer, field) == "needs sm_90"
    assert mark(older, newer, replace(field, outcome=Outcome(Status.FAILED, "crashed"))) == "failed"
    assert mark(older, any_gpu, field) == mark(on_gpu, newer, field) == "n/a"


def test_a_genuine_driver_lifts_the_need_for_one() -> None:
    """On a GPU the runtime's variants are numbers like the others."""
    shown = entry(results(device_kind="gpu"), "event.record", "bindings-runtime")
    assert shown.kind in {"overhead", "time"}


def test_a_column_whose_cell_did_not_run_says_why() -> None:
    """The head of such a column carries mark and reason; a cell with single failures is no such column."""
    columns = {column.cell: column for column in made(results()).columns}
    away = columns["cu13.0-py3.14-b13.0.3-c1.2.2"]
    assert away.state == "not run"
    assert NO_PYTHON in away.detail
    partly = columns["cu13.5-py3.12-b13.5.0-c1.2.2"]
    assert partly.state == ""
    assert "failed: 1 of 37" in partly.detail


def test_a_row_tells_what_its_case_is() -> None:
    """Title, difference from the twin and driver calls are in the row's detail."""
    detail = row(made(results()), "event.record", "core").detail
    assert "Record an event on a stream." in detail
    assert "Unlike the native twin: a method call" in detail
    assert "Driver calls of a turn: cuEventRecord" in detail


def test_anchors_hold_nothing_that_a_fragment_refuses() -> None:
    """An id has no space and needs no further quoting."""
    assert anchor("event.record", "core") == "event.record/core"
    assert not set(anchor(HOSTILE)) & set(" <>\"'&")


def test_a_row_links_the_flame_graphs_of_its_variant() -> None:
    """Each names its cell, what it is held against, and samples where it is of time; other rows have none."""
    these, other = results(), "cu12.9-py3.12-b12.9.4-c1.2.2"
    made_ = [
        Made("core", CELL, "", INSTRUCTIONS, "profiles/event.record/core/a+b.svg"),
        Made("core", CELL, other, INSTRUCTIONS, "profiles/event.record/core/c.svg"),
        Made("core", CELL, "", SAMPLES, "profiles/event.record/core/d.svg"),
    ]
    laid = grid(these, by_key(these), [("event.record", each) for each in made_])
    assert row(laid, "event.record", "core").graphs == (
        Graph("profiles/event.record/core/a%2Bb.svg", CELL),
        Graph("profiles/event.record/core/c.svg", f"{CELL} against {other}"),
        Graph("profiles/event.record/core/d.svg", f"{CELL}, samples"),
    )
    assert row(laid, "event.record", "bindings").graphs == row(laid, "event.create_destroy", "core").graphs == ()


def test_a_row_leads_to_its_case() -> None:
    """To its own view, by an anchor that no row has."""
    assert row(made(results()), "event.record", "core").about == "case-event.record"
