"""Two environments of one cell, counted against each other -> how far equal things lie apart, and the page that says so. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctkmatrix import counts, journal, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctkmatrix.model import Margin

    Margins = Sequence[tuple[str, Margin]]

Heaps = dict[int, journal.Instructions]


@dataclass(frozen=True, slots=True)
class Pair:
    """One (case, variant) of a cell in its environments ``a`` and ``b``."""

    cell: str
    case: str
    variant: str
    change: counts.Change

    @property
    def spread(self) -> float:
        """How far the two lie apart, as a part of the first."""
        return abs(self.change.relative)


def pairs(records: Iterable[journal.Record], margins: Margins) -> tuple[Pair, ...]:
    """Return every (cell, case, variant) that was counted in both environments, whose labels are ``a`` and ``b``."""
    found: dict[tuple[str, str, str], dict[str, Heaps]] = defaultdict(lambda: {"a": {}, "b": {}})
    for record in records:
        if isinstance(record, journal.Counted):
            cell, _, label = record.cell.partition("+")
            for variant, count in record.results.items():
                found[cell, record.case, variant][label][record.round] = count
    return tuple(
        Pair(cell, case, variant, _change(sides["a"], sides["b"], verdicts.margin_of(case, margins).instructions))
        for (cell, case, variant), sides in sorted(found.items())
        if sides["a"] and sides["b"]
    )


def _change(reference: Heaps, candidate: Heaps, margin: float) -> counts.Change:
    return counts.Change(counts.of_heaps(reference), counts.of_heaps(candidate), margin)


def page(records: Sequence[journal.Record], margins: Margins, command: str) -> str:
    """Return the evidence as Markdown. Raises ValueError where *records* do not begin with a plan."""
    began = records[0]
    if not isinstance(began, journal.Began):
        raise ValueError("the journal does not begin with a plan")  # noqa: TRY004 -- the content is wrong, not a type
    found = pairs(records, margins)
    false = sum(pair.change.matters for pair in found)
    dirty = " (with changes)" if began.harness["dirty"] else ""
    widest = max(found, key=lambda pair: pair.spread)
    return "\n".join(
        [
            "# How far counts of equal things lie apart",
            "",
            f"Made by `{command}` at {began.at}, run {began.run}, harness {began.harness['commit'][:12]}{dirty}, by",
            f"{began.counter['valgrind']}, on {began.machine['cpu']} with {began.machine['cpus']} CPUs.",
            "",
            "Two environments of the same lock, built one after the other in directories of different length, counted in",
            "alternation, five heaps each. A change matters where it is beyond the margin, and the two do not overlap.",
            "",
            f"**{false} of {len(found)} pairs were told to have changed.** The widest apart: {widest.case}/{widest.variant}, by",
            f"{widest.spread:.2%}. A margin (`instructions` in `matrix.toml`) is at least twice what stands here: a test holds",
            "that.",
            "",
            "| cell | case | variant | a | b | apart | spread of a | spread of b | margin |",
            "|---|---|---|---|---|---|---|---|---|",
            *(
                f"| {pair.cell} | {pair.case} | {pair.variant} | {pair.change.reference.minimum:,.1f} "
                f"| {pair.change.candidate.minimum:,.1f} | {pair.spread:.3%} | {pair.change.reference.spread:.2%} "
                f"| {pair.change.candidate.spread:.2%} | {pair.change.margin:.1%} |"
                for pair in found
            ),
            "",
        ]
    )
