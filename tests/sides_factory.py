"""Two sides of known effect, for the tests of comparisons alone: no number of it was measured."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from ctkmatrix import comparison, counts, pairing, stats
from ctkmatrix.judged import Side
from ctkmatrix.model import Margin, Metric
from tests.results_factory import results

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctkmatrix.collected import Key
    from ctkmatrix.comparison import Comparison
    from ctkmatrix.model import Cell, CellResult, Count, Field, Results

MARGINS = (("*", Margin(0.03, 10e-9, 0.01)),)
PROCESSES = 12
OLD, NEW = "13.4", "13.5"
"""Toolkits of the reference's and the candidate's cells."""

EFFECTS = {
    ("event.record", "core"): 1.25,
    ("launch.empty", "bindings"): 1.08,
    ("stream.create_destroy", "core"): 0.7,
}
"""What the candidate takes, as a multiple of the reference; all else takes the same."""

RESTLESS = ("memory.alloc_free", "core")
"""Its processes differ so much that nothing can be said."""


def machine(whole: Results) -> Results:
    """Give a run's machine a name, which runs must share to be compared."""
    return replace(whole, manifest=replace(whole.manifest, machine={**whole.manifest.machine, "id": "5f1c"}))


def base(rows: int = 25, *, processes: int = PROCESSES, device_kind: str = "null") -> Results:
    """Return a run of both metrics."""
    return machine(results(rows, device_kind, "complete", processes, Metric.BOTH))


def usual(key: Key) -> float:
    """Return about how long anything takes, seconds a turn: the same in every cell."""
    return random.Random("/".join(key[1:])).uniform(200e-9, 4e-6)


def effect(key: Key) -> float:
    """Return by how much a cell takes longer than the old ones."""
    return EFFECTS.get(key[1:], 1.0) if key[0].startswith(f"cu{NEW}") else 1.0


def points(key: Key, *, processes: int = PROCESSES, changed: Callable[[Key], float] = effect) -> dict[int, float]:
    """Return a value a round: rounds move all cells alike, by up to a tenth, and processes by half a per cent."""
    own = random.Random("/".join(key))
    noise = 0.25 if key[1:] == RESTLESS else 0.005
    middle = usual(key) * changed(key)
    return {
        number: middle * (1 + 0.1 * random.Random(number).random()) * (1 + noise * own.uniform(-1, 1))
        for number in range(processes)
    }


def side(
    whole: Results,
    *,
    paired: bool = True,
    processes: int = PROCESSES,
    changed: Callable[[Key], float] = effect,
) -> Side:
    """Return a run with those points; not *paired*, without what rounds move. Fields have numbers that go with them."""

    def found(key: Key) -> dict[int, float]:
        made = points(key, processes=processes, changed=changed)
        return made if paired else {number: value / (1 + 0.1 * random.Random(number).random()) for number, value in made.items()}

    return Side(replace(whole, fields=tuple(_with_numbers(field, found, changed) for field in whole.fields)), found)


def _with_numbers(field: Field, found: Callable[[Key], dict[int, float]], changed: Callable[[Key], float]) -> Field:
    key = (field.cell, field.case, field.variant)
    time = stats.estimate(list(found(key).values())) if field.time else None
    return replace(field, time=time, count=_count(key, changed) if field.count else None)


def _count(key: Key, changed: Callable[[Key], float]) -> Count:
    least = 5e9 * usual(key) * changed(key)
    points = [least * (1 + 0.0004 * number) for number in range(5)]
    return counts.summary(points, turns=10000, settled=True)


def cells(whole: Results, toolkit: str) -> tuple[Cell, ...]:
    """Return the cells of one toolkit that ran."""
    return tuple(one.cell for one in whole.cells if one.cell.toolkit == toolkit and one.processes)


def within(metric: Metric = Metric.BOTH, rows: int = 25, device_kind: str = "null") -> Comparison:
    """Compare two toolkits within one run."""
    whole = base(rows, device_kind=device_kind)
    one = side(whole)
    return comparison.compare(one, one, pairing.by_axes(cells(whole, OLD), cells(whole, NEW)), MARGINS, metric)


def between(then: Side, now: Side, metric: Metric = Metric.TIME) -> Comparison:
    """Compare the cells of two runs."""
    own = [[one.cell for one in each.results.cells if one.processes] for each in (then, now)]
    return comparison.compare(then, now, pairing.by_id(*own), MARGINS, metric)


def another(whole: Results) -> Results:
    """Return *whole* as another run."""
    return replace(whole, manifest=replace(whole.manifest, run="20260302T120000Z-77aa"))


def alter_cell(whole: Results, cell: str, change: Callable[[CellResult], CellResult]) -> Results:
    """Return *whole* with one cell changed."""
    return replace(whole, cells=tuple(change(one) if one.cell.id == cell else one for one in whole.cells))
