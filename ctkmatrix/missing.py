"""What did not run and why, the same reason said once. Pure."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from ctkmatrix.countgrid import uncounted
from ctkmatrix.grid import MARKS, Fields, mark, ran
from ctkmatrix.model import Metric
from ctkmatrix.page import Missing, Names
from ctkmatrix.quantities import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctkmatrix.model import Case, CellResult, Field, Outcome, Results, Variant

LISTED = 3
"""So many names are said outright; more are counted, and listed on demand."""

Reason: TypeAlias = tuple[str, str]
"""A mark and the sentence behind it."""


def missing(results: Results, fields: Fields) -> tuple[Missing, ...]:
    """List whole cells first, then single cases, then what was left out of the plan."""
    return (*_cells(results), *_fields(results, fields), *_excluded(results))


def cells_named(cells: Iterable[str], results: Results) -> Names:
    """*cells* in a few words: ``all 32 cells`` where that is so."""
    cells = tuple(cells)
    if len(cells) == len(results.cells) > 1:
        return Names(f"all {counted(len(cells), 'cell')}")
    return named(cells, "cell")


def named(names: Iterable[str], noun: str) -> Names:
    """Say *names* outright where they are few, else count them as *noun*."""
    names = tuple(names)
    return Names(", ".join(names)) if len(names) <= LISTED else Names(counted(len(names), noun), names)


def _cells(results: Results) -> list[Missing]:
    grouped: defaultdict[Outcome, list[str]] = defaultdict(list)
    for result in results.cells:
        if not ran(result):
            grouped[result.outcome].append(result.cell.id)
    return [
        Missing(MARKS[outcome.status], Names("the whole cell"), cells_named(cells, results), outcome.reason)
        for outcome, cells in grouped.items()
    ]


def _fields(results: Results, fields: Fields) -> list[Missing]:
    """Join the cells of a (case, variant) that share a reason, then the (case, variant)s that share reason and cells."""
    alike: defaultdict[tuple[Reason, tuple[str, ...]], list[str]] = defaultdict(list)
    for case in results.cases:
        for name, reasons in _reasons(results, fields, case).items():
            for reason, cells in reasons.items():
                alike[reason, tuple(cells)].append(name)
    return [
        Missing(word, named(names, "case variant"), cells_named(cells, results), reason)
        for ((word, reason), cells), names in alike.items()
    ]


def _reasons(results: Results, fields: Fields, case: Case) -> dict[str, dict[Reason, list[str]]]:
    """For each variant of *case*: the cells that lack it, by reason."""
    found: dict[str, dict[Reason, list[str]]] = {}
    for variant in case.variants:
        for result in results.cells:
            field = fields[result.cell.id, case.id, variant.name]
            if (reason := _lack(results, variant, field)) and not _told_of_cell(result, field):
                found.setdefault(f"{case.id}/{variant.name}", {}).setdefault(reason, []).append(result.cell.id)
    return found


def _lack(results: Results, variant: Variant, field: Field) -> Reason | None:
    """Say why *field* lacks what was to be measured of it; nothing where it does not."""
    metric = results.manifest.metric
    if metric is not Metric.INSTRUCTIONS and field.time is None:
        return mark(results, variant, field), field.outcome.reason
    if metric is not Metric.TIME and field.count is None:
        return uncounted(results, variant, field)
    return None


def _told_of_cell(result: CellResult, field: Field) -> bool:
    """Whether the reason for the whole cell, which joins those of its fields, covers this one."""
    return not ran(result) and field.outcome.reason in result.outcome.reason


def _excluded(results: Results) -> list[Missing]:
    grouped: defaultdict[str, list[str]] = defaultdict(list)
    for cell, reason in results.excluded:
        grouped[reason].append(cell.id)
    return [Missing("left out", Names("the whole cell"), named(cells, "cell"), reason) for reason, cells in grouped.items()]
