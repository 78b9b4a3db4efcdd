"""Results -> the matrix of overheads: one entry for every planned (cell, case, variant). Pure.

``layout`` is that of every matrix; ``countgrid`` makes the one of instructions.
"""

from __future__ import annotations

import enum
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

from ctkmatrix import profiles
from ctkmatrix.model import Case, Cell, CellResult, Estimate, Field, Flag, Metric, Results, Status, Variant
from ctkmatrix.needs import lack, target
from ctkmatrix.page import Column, Entry, Fact, Graph, Grid, HeatStep, Row, RowGroup, Span
from ctkmatrix.quantities import brief, counted, half, in_percent, nanoseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


Fields: TypeAlias = dict[tuple[str, str, str], Field]
"""Every planned field by (cell, case, variant)."""

TIME, INSTRUCTIONS = "time", "instructions"
"""What a matrix shows."""

FLAGS_OF_COUNTS = frozenset({Flag.INTERPRETER_BUILD, Flag.NO_NVCC, Flag.FREE_THREADED})
"""What weakens a count as it does a time: what was compiled otherwise. Load, clocks and rounds are about time alone."""

STEPS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Upper bounds of the colour scale's steps, as shares of the target; a last step lies beyond them."""

COLUMN_MARKS = {
    Flag.INTERPRETER_BUILD: "\N{DAGGER}",
    Flag.NO_NVCC: "\N{DOUBLE DAGGER}",
    Flag.FREE_THREADED: "\N{SECTION SIGN}",
    Flag.THROTTLED: "\N{PILCROW SIGN}",
    Flag.CLOCKS_UNLOCKED: "\N{DOUBLE VERTICAL LINE}",
    Flag.OTHER_LOAD: "*",
}
"""What a column's head carries for the flags that set its cell apart from others of the run."""


class Standing(enum.StrEnum):
    """Where an overhead stands against its target, by its 95 % interval."""

    WITHIN = "within"
    OVER = "over"
    UNSURE = "unsure"


MARKS = {
    Status.MEASURED: "no value",
    Status.FAILED: "failed",
    Status.NOT_RUN: "not run",
    Status.NOT_APPLICABLE: "n/a",
}


@dataclass(frozen=True, slots=True)
class Face:
    """What a matrix shows of the fields of *results*, and how: the variants of a case that get a row, and their entries.

    ``flags`` are those that weaken what it shows; ``anchors`` begins those of its rows: a page may have two matrices.
    """

    quantity: str
    title: str
    variants: Callable[[Case], tuple[Variant, ...]]
    entry: Callable[[Case, Variant, Cell], Entry]
    flags: frozenset[Flag]
    anchors: tuple[str, ...] = ()


def by_key(results: Results) -> Fields:
    """Index the fields: every planned (cell, case, variant) has one."""
    return {(field.cell, field.case, field.variant): field for field in results.fields}


def ran(result: CellResult) -> bool:
    """Whether anything of a cell was measured, or nothing in it failed."""
    return result.processes > 0 or result.outcome.status is Status.MEASURED


def python_side(case: Case) -> tuple[Variant, ...]:
    """Return the variants of *case* that get a row: all but the native twins, which the others are set against."""
    return tuple(variant for variant in case.variants if not variant.name.startswith("native")) or case.variants


def anchor(*names: str) -> str:
    """Make an element's id, and the fragment that leads to it, of *names*: without a character that either refuses."""
    return quote("/".join(names), safe="/")


def standing(overhead: Estimate, target: float) -> Standing:
    """Say where *overhead* stands against *target*, both in seconds a turn.

    Within where the whole interval is; over where the whole interval is and its half-width is at most half the value, so that
    noise alone never leads a list; else, and without an interval, there is no saying.
    """
    if overhead.low is None or overhead.high is None:
        return Standing.UNSURE
    if overhead.high <= target:
        return Standing.WITHIN
    return Standing.OVER if overhead.low > target and half(overhead) <= overhead.value / 2 else Standing.UNSURE


def target_of(results: Results, case: Case) -> float:
    """Return the target of a turn of *case*, in seconds: its own or the run's, which are a call's."""
    return (case.target or results.target) * case.calls_per_turn


def heat(share: float) -> int:
    """Return the step of the colour scale for a *share* of the target."""
    return bisect_left(STEPS, share)


def scale(target: float) -> tuple[HeatStep, ...]:
    """Return the legend of the colour scale: bounds in ns a call for a *target* in seconds."""
    bounds = [nanoseconds(step * target) for step in STEPS]
    steps = [HeatStep(level, f"≤ {bound}", STEPS[level] > 1) for level, bound in enumerate(bounds)]
    return (*steps, HeatStep(len(STEPS), f"> {bounds[-1]}", over=True))


def mark(results: Results, variant: Variant, field: Field) -> str:
    """Say in a word why *field* has no number."""
    manifest = results.manifest
    lacking = lack(variant.needs, target(manifest.device_kind, str(manifest.device["architecture"])))
    if lacking and field.outcome.status is Status.NOT_APPLICABLE:
        return lacking.partition(":")[0]
    return MARKS[field.outcome.status]


def told(word: str, reason: str) -> str:
    """Say the *reason* after its *word*, unless it begins with it."""
    return reason if reason.startswith(word) else f"{word}: {reason}"


def weakening(metric: Metric) -> frozenset[Flag]:
    """Return the flags that weaken what a run of *metric* measured."""
    return FLAGS_OF_COUNTS if metric is Metric.INSTRUCTIONS else frozenset(Flag)


def grid(results: Results, fields: Fields, graphs: Sequence[tuple[str, profiles.Made]] = ()) -> Grid:
    """Lay out the matrix of overheads; *graphs* as for ``layout``."""

    def entry(case: Case, variant: Variant, cell: Cell) -> Entry:
        return _entry(results, fields, case, variant, cell)

    face = Face(TIME, "Overhead over native, ns a turn", python_side, entry, frozenset(Flag))
    return replace(layout(results, face, graphs), scale=scale(results.target))


def layout(results: Results, face: Face, graphs: Sequence[tuple[str, profiles.Made]] = ()) -> Grid:
    """Lay out a matrix. Columns keep the order of ``results.cells``, rows that of ``results.cases`` within their area.

    graphs
        Flame graphs, each with its case's id.
    """
    cells, apart, linked = [result.cell for result in results.cells], _apart(results, face), graph_links(graphs)
    releases = _spans(cells, _releases)
    starts = {0, *accumulate(span.width for span in releases)}
    groups = tuple(
        RowGroup(
            area, anchor(*face.anchors, "area", area), tuple(row for case in own for row in _rows(results, face, case, linked))
        )
        for area, own in by_area(results).items()
    )
    return Grid(
        quantity=face.quantity,
        title=face.title,
        toolkits=_spans(cells, lambda cell: f"CUDA {cell.toolkit}"),
        releases=releases,
        columns=tuple(_column(result, position in starts, face, apart) for position, result in enumerate(results.cells)),
        groups=groups,
        marks=tuple(Fact(sign, flag.value) for flag, sign in apart.items()),
        flagged=any(entry.flagged for group in groups for row in group.rows for entry in row.entries),
    )


def _apart(results: Results, face: Face) -> dict[Flag, str]:
    """Return the marks of flags that some of the cells that ran carry and others do not: those of all set none apart."""
    ran_ = [face.flags.intersection(result.flags) for result in results.cells if ran(result)]
    return {flag: sign for flag, sign in COLUMN_MARKS.items() if 0 < sum(flag in flags for flags in ran_) < len(ran_)}


def graph_links(graphs: Sequence[tuple[str, profiles.Made]]) -> dict[tuple[str, str], tuple[Graph, ...]]:
    """Return the links of each (case, variant)."""
    linked: defaultdict[tuple[str, str], list[Graph]] = defaultdict(list)
    for case, made in graphs:
        against = f" against {made.against}" if made.against else ""
        unit = "" if made.unit == profiles.INSTRUCTIONS else f", {made.unit}"
        linked[case, made.variant].append(Graph(quote(made.path), f"{made.cell}{against}{unit}"))
    return {key: tuple(links) for key, links in linked.items()}


def by_area(results: Results) -> dict[str, list[Case]]:
    """Return the cases of each area, in order of first appearance."""
    areas: dict[str, list[Case]] = {}
    for case in results.cases:
        areas.setdefault(case.area, []).append(case)
    return areas


def _spans(cells: list[Cell], label: Callable[[Cell], str]) -> tuple[Span, ...]:
    """Heads over neighbours that agree in *label*; a head of the lower level never spans two toolkits."""
    runs = groupby(cells, key=lambda cell: (cell.toolkit, label(cell)))
    return tuple(Span(text, len(list(run))) for (_, text), run in runs)


def _releases(cell: Cell) -> str:
    """Name what tells a column from its neighbours on the same toolkit and Python."""
    return " · ".join((f"bindings {cell.bindings}", f"core {cell.core or 'none'}", *cell.extras))


def _column(result: CellResult, starts: bool, face: Face, apart: dict[Flag, str]) -> Column:
    lines = (
        result.cell.id,
        counted(result.processes, "process", "processes") if face.quantity == TIME else "",
        told(MARKS[result.outcome.status], result.outcome.reason) if result.outcome.reason else "",
        *(flag for flag in result.flags if flag in face.flags),
    )
    return Column(
        cell=result.cell.id,
        anchor=anchor("cell", result.cell.id),
        text=result.cell.python,
        starts=starts,
        marks="".join(sign for flag, sign in apart.items() if flag in result.flags),
        state="" if ran(result) else MARKS[result.outcome.status],
        detail="\n".join(line for line in lines if line),
    )


def _rows(results: Results, face: Face, case: Case, linked: Mapping[tuple[str, str], tuple[Graph, ...]]) -> list[Row]:
    return [
        Row(
            case=case.id,
            variant=variant.name,
            anchor=anchor(*face.anchors, case.id, variant.name),
            about=anchor(f"case-{case.id}"),
            leads=position == 0,
            detail=_about(case, variant, face),
            graphs=linked.get((case.id, variant.name), ()),
            entries=tuple(face.entry(case, variant, result.cell) for result in results.cells),
        )
        for position, variant in enumerate(face.variants(case))
    ]


def _about(case: Case, variant: Variant, face: Face) -> str:
    target = f": the target is {case.calls_per_turn} times as high" if face.quantity == TIME else ""
    lines = (
        f"{case.id} / {variant.name}",
        case.title,
        variant.differs and f"Unlike the native twin: {variant.differs}",
        case.without_native and f"No native twin: {case.without_native}",
        variant.calls and f"Driver calls of a turn: {', '.join(variant.calls)}",
        case.calls_per_turn > 1 and f"{case.calls_per_turn} calls a turn{target}.",
        case.target
        and face.quantity == TIME
        and f"Its own target is {nanoseconds(case.target)} ns a call: colours are shares of it.",
    )
    return "\n".join(line for line in lines if line)


def _entry(results: Results, fields: Fields, case: Case, variant: Variant, cell: Cell) -> Entry:
    field = fields[cell.id, case.id, variant.name]
    flagged = bool(field.flags)
    if field.time is None:
        return Entry("mark", mark(results, variant, field), "", None, "", flagged=False)
    if case.unit == "share":
        return Entry("time", *in_percent(field.time), None, "", flagged)
    if field.overhead is None:
        return Entry("time", *brief(field.time), None, "", flagged)
    target = target_of(results, case)
    stands = standing(field.overhead, target)
    level = None if stands is Standing.UNSURE else heat(field.overhead.value / target)
    return Entry("overhead", *brief(field.overhead), level, stands, flagged)
