"""Samples -> estimates. Pure; Student's t is scipy's.

The process is the unit of inference: values within a process share its memory layout and hash seed, so pooling them would call
noise between processes an effect. A process's value is the median of its values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from scipy import special

from ctkmatrix.model import Estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctkmatrix.model import Sample

TRIM = 0.2
"""Share cut from each end before averaging: one process in eight at twice the time moves nothing from five processes on."""

CONFIDENCE = 0.95


def median(values: Sequence[float]) -> float:
    """Return the median of *values*; ``statistics.median`` at half its cost, for the millions of a large matrix.

    Raises IndexError without values.
    """
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def by_process(samples: Iterable[Sample]) -> dict[int, float]:
    """Return each process's value, seconds a turn: the median of its values."""
    return {sample.process: median(sample.values) for sample in samples}


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


def paired(python: Mapping[int, float], native: Mapping[int, float]) -> tuple[Estimate, Estimate] | None:
    """Return the overhead (Python minus native, seconds a turn) and the ratio (Python over native), paired within processes.

    ``None`` where no process measured both.
    """
    both = sorted([process for process in python if process in native])
    if not both:
        return None
    return (
        estimate([python[process] - native[process] for process in both]),
        estimate([python[process] / native[process] for process in both]),
    )
