"""Results -> a page of plain dataclasses. Pure: no I/O, no clock, no markup."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from ctkmatrix import provenance
from ctkmatrix.grid import Fields, anchor, by_area, by_key, grid, heat, python_side, ran, share_of_target
from ctkmatrix.missing import cells_named, missing
from ctkmatrix.model import Case, Flag, Results, Status
from ctkmatrix.page import AreaSummary, Fact, Page, Warned, Worst
from ctkmatrix.quantities import counted, duration, half_width, moment, nanoseconds, number, percent

if TYPE_CHECKING:
    from ctkmatrix.model import Estimate

WORST = 5
"""So many of the greatest overheads stand at the top of the page."""

NULL_BANNER = (
    "Every figure is pure host overhead over a null driver, which answers each driver call at once and does no work. "
    "Never set these numbers against a GPU's."
)
ALERTS = {
    "complete": "",
    "incomplete": "This run is incomplete: some of what was planned did not run, for the reasons given below.",
    "interrupted": "This run was interrupted: the page shows what was measured until then. Continue it with --resume.",
}


@dataclass(frozen=True, slots=True)
class _Overhead:
    """One measured overhead. ``share`` is of the target; ``certain`` is that of the interval's lower end."""

    case: Case
    variant: str
    cell: str
    estimate: Estimate
    share: float
    certain: float


def view(results: Results) -> Page:
    """Say all of *results* in words and small numbers."""
    fields = by_key(results)
    overheads = _overheads(results, fields)
    manifest = results.manifest
    return Page(
        title="What the Python layer costs",
        run=manifest.run,
        banner=NULL_BANNER if manifest.device_kind == "null" else "",
        alert=ALERTS[manifest.status],
        verdict=_verdict(overheads),
        target=f"{nanoseconds(results.target)} ns",
        head=_head(results, fields),
        worst=_worst(overheads),
        flags=_flags(results),
        areas=_areas(results, overheads),
        grid=grid(results, fields),
        missing=missing(results, fields),
        cells=tuple(provenance.cell_row(result) for result in results.cells),
        cell_heads=provenance.CELL_HEADS,
        manifest=provenance.manifest(manifest),
    )


def _overheads(results: Results, fields: Fields) -> list[_Overhead]:
    found = []
    for case in results.cases:
        for variant in python_side(case):
            for result in results.cells:
                estimate = fields[result.cell.id, case.id, variant.name].overhead
                if estimate is not None:
                    share = share_of_target(results, case, estimate.value)
                    low = estimate.value if estimate.low is None else estimate.low
                    certain = share_of_target(results, case, low)
                    found.append(_Overhead(case, variant.name, result.cell.id, estimate, share, certain))
    return found


def _furthest(overheads: list[_Overhead]) -> list[_Overhead]:
    """For each (case, variant) the cell where it is furthest from the target; furthest first.

    What counts is how far it is for certain, the interval's lower end: noise alone leads no list.
    """
    furthest: dict[tuple[str, str], _Overhead] = {}
    for each in sorted(overheads, key=lambda each: -each.certain):
        furthest.setdefault((each.case.id, each.variant), each)
    return list(furthest.values())


def _verdict(overheads: list[_Overhead]) -> str:
    if not overheads:
        return "No overhead was measured."
    measured = {(each.case.id, each.variant) for each in overheads}
    over = {(each.case.id, each.variant) for each in overheads if each.share > 1}
    within = len(measured) - len(over)
    return f"Within the target in every cell measured: {within} of {counted(len(measured), 'case variant')}."


def _head(results: Results, fields: Fields) -> tuple[Fact, ...]:
    manifest = results.manifest
    cells = sum(ran(result) for result in results.cells)
    planned = [field for field in fields.values() if field.outcome.status is not Status.NOT_APPLICABLE]
    measured = sum(field.time is not None for field in planned)
    return (
        Fact("Device", provenance.device(manifest)),
        Fact("Cells", f"{cells} of {len(results.cells)} planned"),
        Fact("Measurements", f"{number(measured, 9)} of {number(len(planned), 9)} planned"),
        Fact("Profile", provenance.profile(manifest.profile)),
        Fact("Started", moment(manifest.started)),
        Fact("Took", duration(manifest.wall_seconds)),
    )


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
    return tuple(
        Warned(flag.value, cells_named(cells, results))
        for flag in Flag
        if flag is not Flag.NULL_DRIVER and (cells := [each.cell.id for each in results.cells if flag in each.flags])
    )


def _areas(results: Results, overheads: list[_Overhead]) -> tuple[AreaSummary, ...]:
    by_name = {area: [each for each in overheads if each.case.area == area] for area in by_area(results)}
    return tuple(_area(results.target, area, each) for area, each in by_name.items() if each)


def _area(target: float, name: str, overheads: list[_Overhead]) -> AreaSummary:
    """Sum up one area, a call: cases of several calls a turn weigh like the others."""
    worst = max(overheads, key=lambda each: each.share)
    middle = median(each.share for each in overheads)
    return AreaSummary(
        name=name,
        anchor=anchor("area", name),
        measured=len(overheads),
        over=sum(each.share > 1 for each in overheads),
        worst=nanoseconds(worst.share * target),
        worst_share=percent(worst.share),
        worst_heat=heat(worst.share),
        worst_where=f"{worst.case.id}/{worst.variant} in {worst.cell}",
        median=nanoseconds(middle * target),
        median_share=percent(middle),
        median_heat=heat(middle),
    )
