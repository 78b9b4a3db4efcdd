"""What a comparison should have judged and could not: cells without a number, cases that are lost, failures. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctkmatrix.model import Metric, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ctkmatrix.comparison import Comparison
    from ctkmatrix.judged import Lacking
    from ctkmatrix.model import Results


@dataclass(frozen=True, slots=True)
class Unjudged:
    """What should have been judged and was not, and why.

    Without a ``variant`` it is a whole cell; without a ``candidate`` cell it is what ``what`` says, such as a Python.
    """

    what: str
    reason: str
    reference: str = ""
    candidate: str = ""
    case: str = ""
    variant: str = ""
    metric: Metric | None = None


def unjudged(comparison: Comparison, reference: Results, candidate: Results) -> tuple[tuple[Unjudged, ...], tuple[Unjudged, ...]]:
    """Return what a *comparison* of two runs lacks, and apart from it what only the candidate can run, which is no lack.

    A cell that has no number at all is told once, not by each of its cases.
    """
    status = [{(one.cell, one.case, one.variant): one.outcome.status for one in side.fields} for side in (reference, candidate)]
    lost: list[Unjudged] = []
    gained: list[Unjudged] = []
    empty = dict(_empty_cells(comparison, reference, candidate))
    for one in comparison.lacking:
        if (one.reference, one.candidate) not in empty:
            (gained if _is_gained(one, status[0]) else lost).append(_of(one))
    cells = [Unjudged(f"cell {pair[1]}", reason, *pair) for pair, reason in empty.items()]
    return (*_interrupted(comparison), *_alone(comparison), *cells, *lost), tuple(gained)


def _is_gained(one: Lacking, reference: Mapping[tuple[str, str, str], Status]) -> bool:
    """Whether the candidate has a number of what the reference cannot run, or was not asked for."""
    status = reference.get((one.reference, one.case, one.variant), Status.NOT_APPLICABLE)
    return not one.candidate_reason and status is Status.NOT_APPLICABLE


def _of(one: Lacking) -> Unjudged:
    sides = (("reference", one.reference_reason), ("candidate", one.candidate_reason))
    reason = "; ".join(f"the {side}: {why}" for side, why in sides if why)
    return Unjudged(f"{one.case} {one.variant}", reason, one.reference, one.candidate, one.case, one.variant, one.metric)


def _empty_cells(comparison: Comparison, reference: Results, candidate: Results) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield each pair of cells of which a side has no number at all, and why."""
    then, now = ({one.cell.id: one for one in side.cells} for side in (reference, candidate))
    for pair in zip(comparison.reference.cells, comparison.candidate.cells, strict=True):
        sides = (("reference", then[pair[0]]), ("candidate", now[pair[1]]))
        why = (
            f"the {side} was not measured: {one.outcome.reason or one.outcome.status}" for side, one in sides if not one.processes
        )
        if reason := "; ".join(why):
            yield pair, reason


def _interrupted(comparison: Comparison) -> tuple[Unjudged, ...]:
    runs = dict.fromkeys(side.run for side in (comparison.reference, comparison.candidate) if side.status == "interrupted")
    return tuple(Unjudged(f"run {run}", "it was interrupted") for run in runs)


def _alone(comparison: Comparison) -> tuple[Unjudged, ...]:
    sides = zip(("candidate", "reference"), comparison.alone, strict=True)
    return tuple(Unjudged(f"cell {cell}", f"the {other} has no such cell") for other, cells in sides for cell in cells)
