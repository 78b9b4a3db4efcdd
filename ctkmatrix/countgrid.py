"""Results -> the matrix of instructions a turn, and which of its columns may be set against each other. Pure."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from ctkmatrix.counts import MARGIN, refusal
from ctkmatrix.grid import FLAGS_OF_COUNTS, INSTRUCTIONS, Face, Fields, layout, mark, told
from ctkmatrix.model import Case, Cell, CellResult, Count, Field, Results, Status, Variant
from ctkmatrix.page import Changes, Entry, Grid
from ctkmatrix.quantities import TIMES, counted, instructions, number, percent
from ctkmatrix.results import twin

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
    return replace(layout(results, face, graphs), changes=changes(results))


def changes(results: Results) -> Changes:
    """Say which cells' counts may be set against each other: the same interpreter has the same number."""
    first: list[CellResult] = []
    interpreters = []
    for result in results.cells:
        same = next((place for place, other in enumerate(first) if not refusal(other, result)), len(first))
        first += [result] if same == len(first) else []
        interpreters.append(same)
    with_counts = {field.cell for field in results.fields if field.count}
    return Changes(
        margin=MARGIN,
        allowed=percent(MARGIN),
        interpreters=tuple(interpreters),
        refusals=tuple(tuple(refusal(reference, candidate) for candidate in first) for reference in first),
        references=tuple(place for place, result in enumerate(results.cells) if result.cell.id in with_counts),
    )


def uncounted(results: Results, variant: Variant, field: Field) -> tuple[str, str]:
    """Say in a word, and in a sentence, why *field* has no count."""
    if field.outcome.status is Status.MEASURED and variant.needs == "gpu":
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
    title = f"{case.id} / {variant.name}\n{cell.id}"
    if field.count is None:
        word, reason = uncounted(results, variant, field)
        return Entry("mark", word, "", None, "", f"{title}\n{told(word, reason)}", flagged=False)
    native = fields.get((cell.id, case.id, twin(variant.name)))
    return Entry(
        kind="count",
        text=instructions(field.count.minimum),
        interval=percent(field.count.spread, 2),
        heat=None,
        standing="",
        detail=f"{title}\n{_story(case, field.count, native if native is not field else None)}",
        flagged=not field.count.settled,
        span=(field.count.minimum, field.count.maximum),
    )


def _story(case: Case, count: Count, native: Field | None) -> str:
    """Tell a *count*, a line each; *native* is its twin's field."""
    calls, processes = case.calls_per_turn, counted(len(count.points), "process", "processes")
    lines = (
        f"{instructions(count.minimum)} instructions a turn, the least of {processes}",
        f"the most: {instructions(count.maximum)}, spread {percent(count.spread, 2)}",
        count.modes and f"two modes: {_modes(count)}",
        calls > 1 and f"a call: {instructions(count.minimum / calls)}, {calls} calls a turn",
        native and native.count and _beside(count, native.variant, native.count),
        f"counted over blocks of {number(count.turns, 9)} and {counted(2 * count.turns, 'turn')}",
        "settled before it was counted" if count.settled else UNSETTLED,
    )
    return "\n".join(line for line in lines if line)


def _modes(count: Count) -> str:
    return ", ".join(
        f"{instructions(mode.instructions)} ({counted(mode.processes, 'process', 'processes')})" for mode in count.modes
    )


def _beside(count: Count, variant: str, native: Count) -> str:
    """Set *count* against that of its native twin."""
    beyond, ratio = count.minimum - native.minimum, number(count.minimum / native.minimum)
    sign = "+" if beyond > 0 else ""
    return f"{variant}: {instructions(native.minimum)}; against it {sign}{instructions(beyond)}, {ratio} {TIMES}"
