"""Results -> a page of plain dataclasses. Pure: no I/O, no clock, no markup."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from ctkmatrix import caseview, provenance
from ctkmatrix.countgrid import UNSETTLED, count_grid, in_short
from ctkmatrix.grid import (
    Fields,
    Standing,
    anchor,
    by_area,
    by_key,
    grid,
    heat,
    python_side,
    ran,
    standing,
    target_of,
    weakening,
)
from ctkmatrix.missing import cells_named, missing
from ctkmatrix.model import Case, Flag, Metric, Results, Status
from ctkmatrix.page import AreaSummary, Fact, Names, Page, Warned, Worst
from ctkmatrix.pagedata import payload
from ctkmatrix.quantities import counted, duration, half_width, moment, nanoseconds, number, percent
from ctkmatrix.results import over_null

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctkmatrix.model import Estimate, Field
    from ctkmatrix.page import CellRow, Grid
    from ctkmatrix.profiles import Made
    from ctkmatrix.published import Figure

WORST = 5
"""So many of the greatest overheads stand at the top of the page."""

NULL_BANNER = (
    "Driver calls are answered at once and do no work; the Python layer, the native baseline and NVRTC really run. "
    "Never set these numbers against a GPU's."
)
ALERTS = {
    "complete": "",
    "incomplete": "This run is incomplete: some of what was planned did not run, for the reasons given below.",
    "interrupted": "This run was interrupted: {missing} of {planned} processes are missing. To go on with it: --resume.",
}
COUNTS_MISSING = "This run was interrupted while it counted instructions. To go on with it: --resume."


@dataclass(frozen=True, slots=True)
class _Overhead:
    """One measured overhead. ``share`` is of the target; ``at_least`` is that of the interval's lower end."""

    case: Case
    variant: str
    cell: str
    estimate: Estimate
    standing: Standing
    share: float
    at_least: float


def view(
    results: Results,
    graphs: Sequence[tuple[str, Made]] = (),
    logs: Mapping[str, str] | None = None,
    figures: Sequence[Figure] = (),
) -> Page:
    """Say all of *results* in words and small numbers.

    graphs
        Flame graphs to link to, each with its case's id; their paths are from the page's directory.
    figures
        What others have published, to stand beside.
    logs
        By the ids of cells of which something failed: the end of what their workers printed.
    """
    fields = by_key(results)
    overheads = _overheads(results, fields)
    manifest = results.manifest
    timed = manifest.metric is not Metric.INSTRUCTIONS
    return Page(
        title="What the Python layer costs",
        run=manifest.run,
        banner=NULL_BANNER if manifest.device_kind == "null" else "",
        alert=_alert(results),
        verdict=_verdict(overheads) if timed else _extent(fields),
        target=f"{nanoseconds(results.target)} ns" if timed else "",
        counted=in_short(fields) if manifest.metric is not Metric.TIME else "",
        head=_head(results, fields),
        worst=_worst(overheads),
        unsure=_unsure(overheads),
        flags=(*_flags(results), *_field_flags(fields), *_unsettled(fields)),
        areas=_areas(results, overheads),
        grids=_grids(results, fields, graphs),
        missing=missing(results, fields),
        cases=caseview.views(results, fields, figures, graphs),
        cells=_cells(results, logs or {}),
        cell_heads=provenance.CELL_HEADS,
        manifest=provenance.manifest(manifest),
        data=payload(results, fields),
    )


def _cells(results: Results, logs: Mapping[str, str]) -> tuple[CellRow, ...]:
    fields: defaultdict[str, list[Field]] = defaultdict(list)
    for field in results.fields:
        fields[field.cell].append(field)
    return tuple(
        provenance.cell_row(result, results.manifest, fields[result.cell.id], logs.get(result.cell.id, ""))
        for result in results.cells
    )


def _grids(results: Results, fields: Fields, graphs: Sequence[tuple[str, Made]]) -> tuple[Grid, ...]:
    """Lay out a matrix of each quantity that was to be measured."""
    metric = results.manifest.metric
    return (
        *([grid(results, fields, graphs)] if metric is not Metric.INSTRUCTIONS else []),
        *([count_grid(results, fields, graphs)] if metric is not Metric.TIME else []),
    )


def _overheads(results: Results, fields: Fields) -> list[_Overhead]:
    found = []
    for case in results.cases:
        for variant in python_side(case):
            for result in results.cells:
                estimate = fields[result.cell.id, case.id, variant.name].overhead
                if estimate is not None:
                    found.append(_overhead(case, variant.name, result.cell.id, estimate, target_of(results, case)))
    return found


def _overhead(case: Case, variant: str, cell: str, estimate: Estimate, target: float) -> _Overhead:
    low = estimate.value if estimate.low is None else estimate.low
    return _Overhead(case, variant, cell, estimate, standing(estimate, target), estimate.value / target, low / target)


def _furthest(overheads: list[_Overhead]) -> list[_Overhead]:
    """For each (case, variant) the cell where it is furthest from the target; furthest first.

    What counts is how far it is at least, the interval's lower end; what is too uncertain does not count.
    """
    furthest: dict[tuple[str, str], _Overhead] = {}
    for each in sorted(_certain(overheads), key=lambda each: -each.at_least):
        furthest.setdefault((each.case.id, each.variant), each)
    return list(furthest.values())


def _certain(overheads: list[_Overhead]) -> list[_Overhead]:
    return [each for each in overheads if each.standing is not Standing.UNSURE]


def _verdict(overheads: list[_Overhead]) -> str:
    """Count the case variants that are within in all cells, over in some, and those that neither can be said of."""
    if not overheads:
        return "No overhead was measured."
    of = {each: {(one.case.id, one.variant) for one in overheads if one.standing is each} for each in Standing}
    over = of[Standing.OVER]
    unsure = of[Standing.UNSURE] - over
    within = of[Standing.WITHIN] - over - unsure
    measured = len(over) + len(unsure) + len(within)
    parts = [f"Within the target for certain in every cell: {len(within)} of {counted(measured, 'case variant')}"]
    parts += [f"over it in some cell: {len(over)}"] if over else []
    parts += [f"too uncertain to say: {len(unsure)}"] if unsure else []
    return "; ".join(parts) + "."


def _extent(fields: Fields) -> str:
    """Say of how many case variants, and in how many cells, there are counts."""
    found = [field for field in fields.values() if field.count]
    variants, cells = {(field.case, field.variant) for field in found}, {field.cell for field in found}
    return f"Instructions counted: {counted(len(variants), 'case variant')} in {counted(len(cells), 'cell')}."


def _unsure(overheads: list[_Overhead]) -> str:
    left_out = len(overheads) - len(_certain(overheads))
    return f"Left out as too uncertain: {number(left_out, 9)} of {counted(len(overheads), 'overhead')}." if left_out else ""


def _alert(results: Results) -> str:
    done, planned = _processes(results)
    if done == planned and results.manifest.status == "interrupted":
        return COUNTS_MISSING
    return ALERTS[results.manifest.status].format(missing=number(planned - done, 9), planned=number(planned, 9))


def _processes(results: Results) -> tuple[int, int]:
    """Return how many of the planned worker processes were measured, and how many were planned.

    Processes beyond a profile's number, which wide intervals have asked for, are not counted.
    """
    planned = results.manifest.profile.processes
    return sum(min(result.processes, planned) for result in results.cells), len(results.cells) * planned


def _head(results: Results, fields: Fields) -> tuple[Fact, ...]:
    manifest = results.manifest
    cells = sum(ran(result) for result in results.cells)
    done, wanted = _processes(results)
    return (
        Fact("Device", provenance.device(manifest)),
        Fact("Cells", f"{cells} of {len(results.cells)} planned"),
        Fact("Processes", f"{number(done, 9)} of {number(wanted, 9)} planned"),
        *_extents(results, fields),
        Fact("Profile", provenance.profile(manifest)),
        Fact("Started", moment(manifest.started)),
        Fact("Took", duration(manifest.wall_seconds)),
    )


def _extents(results: Results, fields: Fields) -> tuple[Fact, ...]:
    """Say how much was measured of what was planned, time and counts apart."""
    planned = [field for field in fields.values() if field.outcome.status is not Status.NOT_APPLICABLE]
    these = over_null(results.cases)
    to_count = [field for field in planned if (field.case, field.variant) in these]
    times = Fact("Measurements", _of(sum(field.time is not None for field in planned), planned))
    counts = Fact("Counts", _of(sum(field.count is not None for field in to_count), to_count))
    return {Metric.TIME: (times,), Metric.INSTRUCTIONS: (counts,), Metric.BOTH: (times, counts)}[results.manifest.metric]


def _of(done: int, planned: Sequence[Field]) -> str:
    return f"{number(done, 9)} of {number(len(planned), 9)} planned"


def _worst(overheads: list[_Overhead]) -> tuple[Worst, ...]:
    return tuple(
        Worst(
            case=each.case.id,
            variant=each.variant,
            row=anchor(each.case.id, each.variant),
            cell=each.cell,
            overhead=nanoseconds(each.estimate.value),
            interval=half_width(each.estimate),
            share=percent(each.share),
            heat=heat(each.share),
        )
        for each in _furthest(overheads)[:WORST]
    )


def _flags(results: Results) -> tuple[Warned, ...]:
    """Each flag with the cells that it weakens. The null driver's is left to the banner."""
    shown = weakening(results.manifest.metric) - {Flag.NULL_DRIVER}
    return tuple(
        Warned(flag.value, cells_named(cells, results))
        for flag in Flag
        if flag in shown and (cells := [each.cell.id for each in results.cells if flag in each.flags])
    )


def _field_flags(fields: Fields) -> tuple[Warned, ...]:
    """Each flag of single fields with how many of those measured it weakens, and which case variants in how many cells."""
    measured = [field for field in fields.values() if field.time is not None]
    found = {flag: [field for field in measured if flag in field.flags] for flag in Flag}
    return tuple(Warned(flag.value, _rows_named(weak, len(measured))) for flag, weak in found.items() if weak)


def _unsettled(fields: Fields) -> tuple[Warned, ...]:
    """Say which counts did not settle, as is said of flags."""
    found = [field for field in fields.values() if field.count]
    weak = [field for field in found if field.count and not field.count.settled]
    return (Warned(UNSETTLED, _rows_named(weak, len(found))),) if weak else ()


def _rows_named(weak: Iterable[Field], of: int) -> Names:
    """Say how many of so many fields are *weak*; on demand which case variants, in how many cells, the most often first."""
    rows = Counter(f"{field.case}/{field.variant}" for field in weak)
    return Names(
        f"{number(rows.total(), 9)} of {counted(of, 'field')}",
        tuple(f"{row} ({counted(cells, 'cell')})" for row, cells in rows.most_common()),
    )


def _areas(results: Results, overheads: list[_Overhead]) -> tuple[AreaSummary, ...]:
    by_name = {area: [each for each in overheads if each.case.area == area] for area in by_area(results)}
    return tuple(_area(area, each) for area, each in by_name.items() if each)


def _a_call(overhead: _Overhead) -> float:
    return overhead.estimate.value / overhead.case.calls_per_turn


def _area(name: str, overheads: list[_Overhead]) -> AreaSummary:
    """Sum up one area, a call: cases of several calls a turn weigh like the others."""
    certain = _certain(overheads)
    worst = next(iter(_furthest(overheads)), None)
    return AreaSummary(
        name=name,
        anchor=anchor("area", name),
        median=nanoseconds(median(_a_call(each) for each in overheads)),
        median_share=percent(median(each.share for each in overheads)),
        certain=len(certain),
        unsure=len(overheads) - len(certain),
        over=sum(each.standing is Standing.OVER for each in certain),
        worst=nanoseconds(_a_call(worst)) if worst else "",
        worst_share=percent(worst.share) if worst else "",
        worst_heat=heat(worst.share) if worst else 0,
        worst_where=f"{worst.case.id}/{worst.variant} in {worst.cell}" if worst else "",
    )
