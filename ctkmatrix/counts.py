"""Instructions a turn: from the processes of a variant to its count, and from two counts to a change. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ctkmatrix.model import Count, Mode
from ctkmatrix.probe.count import AGREE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctkmatrix.journal import Instructions
    from ctkmatrix.model import CellResult

MARGIN = 0.01
"""Of the reference: a change of instructions that does not matter."""

SPREADS = 2
"""So many times the spread between two environments of one cell is no change either."""

APART = 2
"""Two modes lie so many times their own width apart."""

INTERPRETER = ("version", "build", "free_threaded", "optimised", "hash")


@dataclass(frozen=True, slots=True)
class Change:
    """A variant's count in a candidate against that in a reference. ``relative`` is of the reference, ``margin`` likewise."""

    reference: Count
    candidate: Count
    margin: float

    @property
    def absolute(self) -> float:
        """Instructions a turn, more or fewer."""
        return self.candidate.minimum - self.reference.minimum

    @property
    def relative(self) -> float:
        """The same as a part of the reference."""
        return self.absolute / self.reference.minimum

    @property
    def matters(self) -> bool:
        """Whether it is beyond the margin, and the two counts' processes do not overlap."""
        apart = self.candidate.minimum > self.reference.maximum or self.candidate.maximum < self.reference.minimum
        return abs(self.relative) > self.margin and apart


def summary(points: Sequence[float], *, turns: int, settled: bool) -> Count:
    """Return the count of one variant from *points*, instructions a turn, one a process, in process order.

    The minimum is what the code itself takes; what a heap adds (a longer probe of a dict, a fresh block of memory) only adds.
    Raises ValueError without points.
    """
    return Count(min(points), max(points), modes(points), tuple(points), turns, settled)


def of_heaps(heaps: Mapping[int, Instructions]) -> Count:
    """Return the count of one variant from what was counted in each of its heaps. Raises ValueError without heaps."""
    own = [heaps[heap] for heap in sorted(heaps)]
    turns, settled = min(one.turns for one in own), all(one.settled for one in own)
    return summary([one.instructions for one in own], turns=turns, settled=settled)


def modes(points: Sequence[float]) -> tuple[Mode, ...]:
    """Return two modes where *points* fall into two groups that are narrow beside the gap between them, else none."""
    ordered = sorted(points)
    gaps = [after - before for before, after in pairwise(ordered)]
    if not gaps or max(gaps) <= AGREE * ordered[0]:
        return ()
    cut = gaps.index(max(gaps)) + 1
    groups = ordered[:cut], ordered[cut:]
    if max(gaps) < APART * max(group[-1] - group[0] for group in groups):
        return ()
    return tuple(Mode(group[0], len(group)) for group in groups)


def margin(spread: float) -> float:
    """Return the part of a reference within which a change does not matter; *spread* is that of an A/A pair, relative."""
    return max(MARGIN, SPREADS * spread)


def refusal(reference: CellResult, candidate: CellResult) -> str:
    """Say why counts of two cells of a run cannot be set against each other: another build of the interpreter; else nothing."""
    then, now = _interpreter(reference), _interpreter(candidate)
    if not then or not now:
        return "what was counted in is not known"
    differing = [key for key in INTERPRETER if then.get(key) != now.get(key)]
    return f"another interpreter: {' and '.join(differing)}" if differing else ""


def _interpreter(cell: CellResult) -> dict[str, object]:
    found = cell.provenance.get("python")
    return found if isinstance(found, dict) else {}
