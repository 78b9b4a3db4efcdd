"""Results -> the matrix of instructions a turn. Pure."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from ctkmatrix.grid import FLAGS_OF_COUNTS, INSTRUCTIONS, Face, Fields, layout, mark
from ctkmatrix.model import Case, Cell, Field, Results, Status, Variant
from ctkmatrix.needs import NULL, lack
from ctkmatrix.page import Entry, Grid
from ctkmatrix.quantities import counted, instructions, number, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctkmatrix.profiles import Made

UNSETTLED = "Not settled: blocks of turns still differed when it was counted."
OVER_NULL = "instructions are counted over the null driver"


def count_grid(results: Results, fields: Fields, graphs: Sequence[tuple[str, Made]] = ()) -> Grid:
    """Lay out the matrix of instructions; *graphs* as for ``grid.layout``. Native twins have rows of their own."""

    def entry(case: Case, variant: Variant, cell: Cell) -> Entry:
        return _entry(results, fields, case, variant, cell)

    face = Face(INSTRUCTIONS, "Instructions a turn", lambda case: case.variants, entry, FLAGS_OF_COUNTS, (INSTRUCTIONS,))
    return layout(results, face, graphs)


def uncounted(results: Results, variant: Variant, field: Field) -> tuple[str, str]:
    """Say in a word, and in a sentence, why *field* has no count."""
    if field.outcome.status is Status.MEASURED and lack(variant.needs, NULL):
        return "needs a GPU", OVER_NULL
    return mark(results, variant, field), field.outcome.reason or "the run ended before it was counted"


def in_short(fields: Fields) -> str:
    """Sum up the counts of a run: how many there are, and how far their processes lie apart."""
    found = [(field, field.count) for field in fields.values() if field.count]
    if not found:
        return "No instructions were counted."
    processes = sorted({len(count.points) for _, count in found})
    most, widest = max(found, key=lambda each: each[1].spread)
    each = counted(processes[-1], "process", "processes")
    middle = percent(median(count.spread for _, count in found), 2)
    where = f"{most.case}/{most.variant} in {most.cell}"
    parts = (
        f"{counted(len(found), 'field')} counted, each in {'up to ' if len(processes) > 1 else ''}{each}.",
        f"A field's processes lie {middle} apart in the median, {percent(widest.spread, 2)} at most ({where}).",
        f"{number(modes, 9)} have two modes." if (modes := sum(bool(count.modes) for _, count in found)) else "",
    )
    return " ".join(part for part in parts if part)


def _entry(results: Results, fields: Fields, case: Case, variant: Variant, cell: Cell) -> Entry:
    field = fields[cell.id, case.id, variant.name]
    if field.count is None:
        return Entry("mark", uncounted(results, variant, field)[0], "", None, "", flagged=False)
    spread = percent(field.count.spread, 2)
    return Entry("count", instructions(field.count.minimum), spread, None, "", flagged=not field.count.settled)
