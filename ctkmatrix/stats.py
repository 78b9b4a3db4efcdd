"""Samples -> estimates. Pure; Student's t is scipy's.

The process is the unit of inference: values within a process share its memory layout and hash seed, so pooling them would call
noise between processes an effect. A process's value is the median of its values.
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from ctkmatrix.model import Estimate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ctkmatrix.journal import Measured

TRIM = 0.2
"""Share cut from each end before averaging: one process in eight at twice the time moves nothing from five processes on."""

CONFIDENCE = 0.95

NOTHING = array("d", [math.nan])
"""In place of a value that was not measured."""


def median(values: Sequence[float]) -> float:
    """Return the median of *values*; ``statistics.median`` at half its cost, for the millions of a large matrix.

    Raises IndexError without values.
    """
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


class Points:
    """Each process's value of everything that was measured, seconds a turn. Holds the (cell id, case id, variant) of each.

    A large matrix has millions, hence numbers in arrays, at half the memory and time of objects in dictionaries: in each cell a
    column a process, and a row a (case id, variant).
    """

    def __init__(self) -> None:
        self._rows: dict[str, dict[tuple[str, str], int]] = defaultdict(lambda: defaultdict(itertools.count().__next__))
        self._columns: dict[str, dict[int, array[float]]] = defaultdict(dict)

    def add(self, block: Measured) -> None:
        """Take the values of a *block*: a process's is the median of its values."""
        case, rows, columns = block.case, self._rows[block.cell], self._columns[block.cell]
        column = columns.get(block.process)
        if column is None:
            column = columns[block.process] = NOTHING * len(rows)
        for variant, values in block.results.items():
            row = rows[case, variant]
            if row >= len(column):
                column.extend(NOTHING * (row + 1 - len(column)))
            column[row] = median(values.values)

    def processes(self, cell: str) -> list[int]:
        """Return the processes of a *cell*, in order."""
        return sorted(self._columns.get(cell, ()))

    def table(self, cell: str, names: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return a row for each of *names*, and a column for each of the *cell*'s processes; NaN where nothing was measured."""
        rows, columns = self._rows[cell], [self._columns[cell][process] for process in self.processes(cell)]
        values = np.full((len(columns), len(rows)), math.nan)
        for place, column in enumerate(columns):
            values[place, : len(column)] = column
        return values.T[[rows[name] for name in names]]

    def of(self, cell: str, case: str, variant: str) -> dict[int, float]:
        """Return the value of each process that measured this."""
        if (cell, case, variant) not in self:
            return {}
        row, columns = self._rows[cell][case, variant], self._columns[cell]
        return {
            process: value for process, column in columns.items() if row < len(column) and not math.isnan(value := column[row])
        }

    def __contains__(self, key: tuple[str, str, str]) -> bool:
        return key[1:] in self._rows.get(key[0], ())

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return ((cell, *name) for cell, rows in self._rows.items() for name in rows)

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))


@lru_cache(maxsize=1024)
def _quantile(freedom: float, share: float) -> float:
    """Return Student's t below which *share* of its distribution lies; the same few are asked for again and again."""
    return float(special.stdtrit(freedom, share))


@dataclass(frozen=True, slots=True)
class Mean:
    """A robust mean or difference, its standard error, and the degrees of freedom of Student's t that go with it.

    With no more than one point nothing is known of the spread: the error is infinite.
    """

    value: float
    error: float
    freedom: float

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the two-sided interval at *confidence*, between 0 and 1."""
        if math.isinf(self.error):
            return -math.inf, math.inf
        half = _quantile(self.freedom, (1 + confidence) / 2) * self.error
        return self.value - half, self.value + half

    def p(self) -> float:
        """Return the two-sided p value of a true value of 0."""
        if math.isinf(self.error) or self.value == 0:
            return 1.0
        if self.error == 0:
            return 0.0
        return 2 * float(special.stdtr(self.freedom, -abs(self.value) / self.error))


def trimmed_mean(points: Sequence[float]) -> Mean:
    """Return the trimmed mean of *points* with Tukey and McLaughlin's (1963) standard error.

    g = floor(0.2 n) points are cut at each end, which leaves h = n - 2g; the squared error is the winsorised sum of squares over
    h (h - 1), on h - 1 degrees of freedom. Raises ValueError without points.
    """
    if not points:
        raise ValueError("no points: nothing was measured")
    ordered, cut = sorted(points), int(TRIM * len(points))
    kept = ordered[cut : len(ordered) - cut]
    low, high, total, freedom = kept[0], kept[-1], math.fsum(kept), len(kept) - 1
    value = total / len(kept)
    if not freedom:
        return Mean(value, math.inf, freedom)
    middle = (total + cut * (low + high)) / len(ordered)  # winsorised: what is cut counts as the nearest that is kept
    squares = math.fsum([(point - middle) * (point - middle) for point in kept])
    squares += cut * ((low - middle) * (low - middle) + (high - middle) * (high - middle))
    return Mean(value, math.sqrt(squares / (len(kept) * freedom)), freedom)


def difference(reference: Sequence[float], candidate: Sequence[float]) -> Mean:
    """Return the trimmed mean of *candidate* minus that of *reference*, two independent samples: Yuen's (1974) Welch test.

    Raises ValueError where one has no points.
    """
    then, now = trimmed_mean(reference), trimmed_mean(candidate)
    value, error = now.value - then.value, math.hypot(then.error, now.error)
    if error == 0 or math.isinf(error):
        return Mean(value, error, min(then.freedom, now.freedom))
    shares = [(side.error / error) ** 4 / side.freedom for side in (then, now)]
    return Mean(value, error, 1 / sum(shares))


def estimate(points: Sequence[float]) -> Estimate:
    """Return the trimmed mean of *points*, one a process, and its 95 % interval.

    With fewer than two points there is no interval. Raises ValueError without points.
    """
    return described(trimmed_mean(points), points)


def described(mean: Mean, points: Sequence[float]) -> Estimate:
    """Return *mean* with its 95 % interval, and the points that it came from."""
    if math.isinf(mean.error):
        return Estimate(mean.value, None, None, tuple(points))
    return Estimate(mean.value, *mean.interval(CONFIDENCE), tuple(points))


def estimates(table: NDArray[np.float64]) -> list[Estimate | None]:
    """Return the ``estimate`` of each row of a *table*, in which NaN is no point; ``None`` where a row has none.

    They are made together, as a large matrix has hundreds of thousands.
    """
    found: list[Estimate | None] = [None] * len(table)
    for rows, places in alike(table):
        for row, one in zip(rows.tolist(), _estimates(chosen(table[rows], places)), strict=True):
            found[row] = one
    return found


def alike(table: NDArray[np.float64]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.bool_]]]:
    """Yield, together, the rows of a *table* that have as many points, and where in each they are; not those that have none."""
    places = ~np.isnan(table)
    counts = places.sum(axis=1)
    for count in sorted(set(counts.tolist()) - {0}):
        rows = np.flatnonzero(counts == count)
        yield rows, places[rows]


def chosen(rows: NDArray[Any], places: NDArray[np.bool_]) -> NDArray[Any]:
    """Return of each of *rows* what is at its *places*, of which each has as many."""
    return rows[places].reshape(len(places), -1)


def _estimates(points: NDArray[np.float64]) -> Iterator[Estimate]:
    """Yield the ``estimate`` of each row of *points*: ``trimmed_mean`` for many at once."""
    series = map(tuple, points.tolist())
    count, cut = points.shape[1], int(TRIM * points.shape[1])
    if count < 2:
        return map(estimate, series)
    kept = np.sort(points, axis=1)[:, cut : count - cut].T
    low, high, total, freedom = kept[0], kept[-1], _sums(kept), len(kept) - 1
    value, middle = total / len(kept), (total + cut * (low + high)) / count
    squares = _sums((kept - middle) ** 2) + cut * ((low - middle) ** 2 + (high - middle) ** 2)
    half = _quantile(freedom, (1 + CONFIDENCE) / 2) * np.sqrt(squares / (len(kept) * freedom))
    return map(Estimate, value.tolist(), (value - half).tolist(), (value + half).tolist(), series)


def _sums(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each row of which *columns* are given, to the last bit that of ``trimmed_mean``."""
    return np.array([math.fsum(row) for row in columns.T.tolist()])
