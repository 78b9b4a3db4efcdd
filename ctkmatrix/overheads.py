"""The overheads of a run, held against the target: what its page sums up at the top. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from ctkmatrix.flags import VERDICT_PROCESSES
from ctkmatrix.grid import Standing, anchor, by_area, heat, python_side, standing, target_of
from ctkmatrix.model import Flag
from ctkmatrix.page import AreaSummary, Worst
from ctkmatrix.quantities import THIN, TIMES, counted, half_width, nanoseconds, number, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sized

    from ctkmatrix.grid import Fields
    from ctkmatrix.model import Case, Estimate, Results

WORST = 5
"""So many of the greatest overheads stand at the top of the page."""

OVER, NEAREST = "Furthest over the target", "Nearest to the target, and within it"
"""Titles of the greatest overheads: of those that are over the target, or, where none is, of those within."""

FIRST_SIGHT = f"No verdict, with fewer than {VERDICT_PROCESSES} processes. At first sight, "


@dataclass(frozen=True, slots=True)
class Overhead:
    """One measured overhead. ``share`` is of the target; ``at_least`` is that of the interval's lower end."""

    case: Case
    variant: str
    cell: str
    estimate: Estimate
    standing: Standing
    share: float
    at_least: float


def measured(results: Results, fields: Fields) -> list[Overhead]:
    """Return every overhead that was measured, case by case."""
    found = []
    for case in results.cases:
        for variant in python_side(case):
            for result in results.cells:
                estimate = fields[result.cell.id, case.id, variant.name].overhead
                if estimate is not None:
                    found.append(_overhead(case, variant.name, result.cell.id, estimate, target_of(results, case)))
    return found


def _overhead(case: Case, variant: str, cell: str, estimate: Estimate, target: float) -> Overhead:
    low = estimate.value if estimate.low is None else estimate.low
    return Overhead(case, variant, cell, estimate, standing(estimate, target), estimate.value / target, low / target)


def _those(overheads: Iterable[Overhead], standing: Standing) -> list[Overhead]:
    return [each for each in overheads if each.standing is standing]


def _certain(overheads: Iterable[Overhead]) -> list[Overhead]:
    return [each for each in overheads if each.standing is not Standing.UNSURE]


def _furthest(overheads: list[Overhead]) -> list[Overhead]:
    """For each (case, variant) over the target the cell where it is furthest, furthest first; where none is, of those within.

    What counts is how far it is at least, the interval's lower end; what is too uncertain does not count.
    """
    furthest: dict[tuple[str, str], Overhead] = {}
    listed = _those(overheads, Standing.OVER) or _those(overheads, Standing.WITHIN)
    for each in sorted(listed, key=lambda each: -each.at_least):
        furthest.setdefault((each.case.id, each.variant), each)
    return list(furthest.values())


def verdict(results: Results, overheads: list[Overhead]) -> str:
    """Count the case variants that are within in all cells, over in some, and those that neither can be said of."""
    if not overheads:
        return "No overhead was measured."
    of = {each: {(one.case.id, one.variant) for one in _those(overheads, each)} for each in Standing}
    over = of[Standing.OVER]
    unsure = of[Standing.UNSURE] - over
    within = of[Standing.WITHIN] - over - unsure
    all_of_them = counted(len(over) + len(unsure) + len(within), "case variant")
    parts = [f"{len(within)} of {all_of_them} {_are(within)} within the target in every cell"]
    parts += [f"{len(over)} {_are(over)} over it in some cell"] if over else []
    parts += [f"{len(unsure)} {_are(unsure)} too uncertain to say"] if unsure else []
    return f"{FIRST_SIGHT if _few(results, overheads) else ''}{'; '.join(parts)}."


def _are(those: Sized) -> str:
    return "is" if len(those) == 1 else "are"


def _few(results: Results, overheads: Iterable[Overhead]) -> bool:
    """Whether processes are too few for a verdict: in the profile, as the flag says, or because the run was interrupted."""
    flagged = any(Flag.FEW_PROCESSES in each.flags for each in results.cells)
    return flagged or any(len(each.estimate.points) < VERDICT_PROCESSES for each in overheads)


def _share(share: float) -> str:
    """Say a share of the target: ``58 %``, and from ten targets on ``34 ×``."""  # noqa: RUF002 -- the sign that is shown
    return percent(share) if share < 10 else f"{number(share)}{THIN}{TIMES}"


def title(overheads: Iterable[Overhead]) -> str:
    """Return the title over ``worst``."""
    return OVER if _those(overheads, Standing.OVER) else NEAREST


def worst(overheads: list[Overhead]) -> tuple[Worst, ...]:
    """Return the greatest overheads, each case variant once."""
    return tuple(
        Worst(
            case=each.case.id,
            variant=each.variant,
            row=anchor(each.case.id, each.variant),
            cell=each.cell,
            overhead=nanoseconds(each.estimate.value),
            interval=half_width(each.estimate),
            share=_share(each.share),
            heat=heat(each.share),
        )
        for each in _furthest(overheads)[:WORST]
    )


def unsure(overheads: list[Overhead]) -> str:
    """Say what the list of the greatest leaves out: those behind its last one, and what is too uncertain."""
    furthest, left_out = _furthest(overheads), _those(overheads, Standing.UNSURE)
    over = any(each.standing is Standing.OVER for each in furthest)
    parts = (
        f"{WORST} of {counted(len(furthest), 'case variant')} that are over it." if over and len(furthest) > WORST else "",
        f"Left out as too uncertain: {_so_many(left_out, overheads)}." if left_out else "",
    )
    return " ".join(filter(None, parts))


def _so_many(some: Sized, overheads: Sized) -> str:
    return f"{number(len(some), 9)} of {counted(len(overheads), 'overhead')}"


def of_areas(overheads: list[Overhead]) -> str:
    """Say which overheads median and greatest are of: the same for both."""
    certain = _certain(overheads)
    if len(certain) == len(overheads):
        return "Median and greatest are of all overheads." if overheads else ""
    return (
        f"Median and greatest are of the {_so_many(certain, overheads)} of which the interval says whether they are within the "
        "target. The unsure are in neither, and may be over it."
    )


def areas(results: Results, overheads: list[Overhead]) -> tuple[AreaSummary, ...]:
    """Sum up every area that has an overhead."""
    by_name = {area: [each for each in overheads if each.case.area == area] for area in by_area(results)}
    return tuple(_area(area, each) for area, each in by_name.items() if each)


def _a_call(overhead: Overhead) -> float:
    return overhead.estimate.value / overhead.case.calls_per_turn


def _area(name: str, overheads: list[Overhead]) -> AreaSummary:
    """Sum up one area, a call: cases of several calls a turn weigh like the others. What is too uncertain is counted alone."""
    certain = _certain(overheads)
    greatest = max(certain, key=lambda each: each.share, default=None)
    return AreaSummary(
        name=name,
        anchor=anchor("area", name),
        median=nanoseconds(median(map(_a_call, certain))) if certain else "",
        median_share=_share(median(each.share for each in certain)) if certain else "",
        greatest=nanoseconds(_a_call(greatest)) if greatest else "",
        greatest_share=_share(greatest.share) if greatest else "",
        greatest_heat=heat(greatest.share) if greatest else 0,
        greatest_where=f"{greatest.case.id}/{greatest.variant} in {greatest.cell}" if greatest else "",
        over=len(_those(certain, Standing.OVER)),
        certain=len(certain),
        unsure=len(overheads) - len(certain),
    )
