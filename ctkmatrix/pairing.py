"""Which cells are set against each other: those of two runs by id, those of two groups by what they have in common. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ctkmatrix.errors import UsageError
from ctkmatrix.model import Cell
from ctkmatrix.quantities import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

AXES = tuple(field.name for field in fields(Cell))
"""What tells cells apart."""

SHOWN = 4
"""So many names stand in a message; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Pairs of a reference's cell and a candidate's, and the cells of either that have no partner.

    ``axes`` are those on which the cells of every pair differ; none where both are called the same.
    """

    pairs: tuple[tuple[Cell, Cell], ...]
    axes: tuple[str, ...] = ()
    reference_alone: tuple[Cell, ...] = ()
    candidate_alone: tuple[Cell, ...] = ()


def chosen(cells: Sequence[Cell], glob: str, where: str) -> tuple[Cell, ...]:
    """Return those of *cells* whose ids match *glob*. Raises UsageError where none does; *where* names the run."""
    found = tuple(cell for cell in cells if fnmatchcase(cell.id, glob))
    if not found:
        raise UsageError(f"--compare: {glob!r} matches no cell of {where}; it has {_named(cells)}")
    return found


def by_id(reference: Sequence[Cell], candidate: Sequence[Cell]) -> Pairing:
    """Pair the cells of two runs that have the same id. Raises UsageError where there are none."""
    then, now = {cell.id: cell for cell in reference}, {cell.id: cell for cell in candidate}
    pairs = tuple((then[id_], now[id_]) for id_ in then if id_ in now)
    if not pairs:
        raise UsageError(
            f"--compare: the two runs have no cell in common: {_named(reference)}; and {_named(candidate)}. "
            "To set cells that differ against each other, name two groups of them, RUN:GLOB."
        )
    alone = [tuple(cell for cell in own if cell.id not in other) for own, other in ((reference, now), (candidate, then))]
    return Pairing(pairs, (), *alone)


def by_axes(reference: Sequence[Cell], candidate: Sequence[Cell]) -> Pairing:
    """Pair the cells of two groups that are equal but for the axes on which the groups have no value in common.

    Raises UsageError where no two cells go together, or where more than two do.
    """
    apart = tuple(axis for axis in AXES if _values(reference, axis).isdisjoint(_values(candidate, axis)))
    then, now = _by_rest(reference, apart), _by_rest(candidate, apart)
    shared = [rest for rest in then if rest in now]
    if not shared:
        raise UsageError(
            f"--compare: no cell of {_named(reference)} goes with one of {_named(candidate)}: "
            f"none are equal but for {_axes(apart)}, on which the groups differ"
        )
    for rest in shared:
        _see_unambiguous(then[rest], now[rest], apart)
    return Pairing(
        tuple((then[rest][0], now[rest][0]) for rest in shared),
        apart,
        _without(then, shared),
        _without(now, shared),
    )


def see_apart(reference: Iterable[Cell], candidate: Iterable[Cell]) -> None:
    """See that two groups of one run have no cell in common. Raises UsageError."""
    both = [cell for cell in reference if cell in set(candidate)]
    if both:
        raise UsageError(
            f"--compare: {_named(both)} would be compared with itself: it is in both groups. "
            "Within one run, name two groups without a cell in common, such as latest:cu13.0-* and latest:cu13.5-*."
        )


def _values(cells: Iterable[Cell], axis: str) -> set[object]:
    return {getattr(cell, axis) for cell in cells}


def _by_rest(cells: Iterable[Cell], apart: Sequence[str]) -> dict[tuple[object, ...], list[Cell]]:
    """Sort *cells* by their values on all axes but those *apart*."""
    found: dict[tuple[object, ...], list[Cell]] = defaultdict(list)
    for cell in cells:
        found[tuple(getattr(cell, axis) for axis in AXES if axis not in apart)].append(cell)
    return dict(found)


def _without(groups: Mapping[tuple[object, ...], list[Cell]], shared: Sequence[tuple[object, ...]]) -> tuple[Cell, ...]:
    return tuple(cell for rest, cells in groups.items() if rest not in shared for cell in cells)


def _see_unambiguous(reference: Sequence[Cell], candidate: Sequence[Cell], apart: Sequence[str]) -> None:
    if len(reference) > 1 or len(candidate) > 1:
        raise UsageError(
            f"--compare: it is ambiguous which cells go together: {_named(reference)}; and {_named(candidate)}. "
            f"They are equal but for {_axes(apart)}. Narrow the globs until one cell of each is left."
        )


def _axes(axes: Sequence[str]) -> str:
    return " and ".join(axes) or "nothing"


def _named(cells: Sequence[Cell]) -> str:
    names = [cell.id for cell in cells]
    rest = f" and {counted(len(names) - SHOWN, 'other')}" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{rest}"
