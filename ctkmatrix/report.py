"""Results -> a page of plain dataclasses. Pure: no I/O, no clock, no markup."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from ctkmatrix import caseview, overheads, provenance, runfacts
from ctkmatrix.countgrid import UNSETTLED, count_grid, in_short
from ctkmatrix.grid import Fields, by_key, grid, ran, weakening
from ctkmatrix.missing import cells_named, missing
from ctkmatrix.model import Flag, Metric, Results, Status
from ctkmatrix.page import Fact, Names, Page, Warned
from ctkmatrix.pagedata import payload
from ctkmatrix.quantities import counted, duration, moment, nanoseconds, number
from ctkmatrix.results import over_null

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctkmatrix.model import Field
    from ctkmatrix.page import CellRow, Grid
    from ctkmatrix.profiles import Made
    from ctkmatrix.published import Figure

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
    found = overheads.measured(results, fields)
    manifest = results.manifest
    timed = manifest.metric is not Metric.INSTRUCTIONS
    return Page(
        title="What the Python layer costs",
        run=manifest.run,
        banner=NULL_BANNER if manifest.device_kind == "null" else "",
        alert=_alert(results),
        verdict=overheads.verdict(results, found) if timed else _extent(fields),
        target=f"{nanoseconds(results.target)} ns" if timed else "",
        counted=in_short(fields) if manifest.metric is not Metric.TIME else "",
        head=_head(results, fields),
        worst_title=overheads.title(found),
        worst=overheads.worst(found),
        unsure=overheads.unsure(found),
        flags=(*_flags(results), *_field_flags(fields), *_unsettled(fields)),
        areas=overheads.areas(results, found),
        of_areas=overheads.of_areas(found),
        grids=_grids(results, fields, graphs),
        missing=missing(results, fields),
        cases=caseview.views(results, fields, figures, graphs),
        cells=_cells(results, logs or {}),
        cell_heads=provenance.CELL_HEADS,
        manifest=runfacts.manifest(manifest),
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


def _extent(fields: Fields) -> str:
    """Say of how many case variants, and in how many cells, there are counts."""
    found = [field for field in fields.values() if field.count]
    variants, cells = {(field.case, field.variant) for field in found}, {field.cell for field in found}
    return f"Instructions counted: {counted(len(variants), 'case variant')} in {counted(len(cells), 'cell')}."


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
