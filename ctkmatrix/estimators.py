"""Estimators of a centre with a 95 % interval, for many samples at once: what `simulate` chooses among. Pure, on numpy.

Each takes an array of one sample a row. What the harness itself uses is `stats.trimmed_mean`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

ALPHA = 0.05

HUBER = 1.345
"""Where Huber's weights begin to fall, in standard deviations: 95 % efficient for normal data."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """For each sample: the centre and the interval's ends."""

    centre: Array
    low: Array
    high: Array


def mean(samples: Array) -> Bounds:
    """Return the mean with Student's t."""
    error = samples.std(axis=1, ddof=1) / samples.shape[1] ** 0.5
    return _student(samples.mean(axis=1), error, samples.shape[1] - 1)


def trimmed(share: float) -> Callable[[Array], Bounds]:
    """Return the mean without *share* of the points at each end, with Tukey and McLaughlin's (1963) interval."""

    def interval(samples: Array) -> Bounds:
        count = samples.shape[1]
        cut = int(share * count)
        ordered = np.sort(samples, axis=1)
        kept = ordered[:, cut : count - cut]
        freedom = kept.shape[1] - 1
        squares = np.clip(ordered, kept[:, :1], kept[:, -1:]).var(axis=1) * count
        return _student(kept.mean(axis=1), np.sqrt(squares / (kept.shape[1] * freedom)), freedom)

    return interval


def median(samples: Array) -> Bounds:
    """Return the median with Hettmansperger and Sheather's (1986) interval, interpolated between order statistics.

    With fewer than 6 points no two of them bound a 95 % interval: the range is given.
    """
    count = samples.shape[1]
    ordered = np.sort(samples, axis=1)
    centre = np.median(ordered, axis=1)
    depth = next((depth for depth in range(count // 2, 0, -1) if _between(depth, count) >= 1 - ALPHA), 0)
    if depth == 0:
        return Bounds(centre, ordered[:, 0], ordered[:, -1])
    outer, inner = _between(depth, count), _between(depth + 1, count)
    part = (outer - (1 - ALPHA)) / (outer - inner)
    weight = (count - depth) * part / (depth + (count - 2 * depth) * part)
    low = (1 - weight) * ordered[:, depth - 1] + weight * ordered[:, depth]
    high = (1 - weight) * ordered[:, count - depth] + weight * ordered[:, count - depth - 1]
    return Bounds(centre, low, high)


def _between(depth: int, count: int) -> float:
    """Return how likely the median lies between the *depth*-th smallest and the *depth*-th largest of *count* points."""
    return float(1 - 2 * stats.binom.cdf(depth - 1, count, 0.5))


def hodges_lehmann(samples: Array) -> Bounds:
    """Return the median of all pairs' means with Wilcoxon's interval.

    With fewer than 6 points no pairs bound a 95 % interval: the range is given.
    """
    one, other = np.triu_indices(samples.shape[1])
    pairs = np.sort((samples[:, one] + samples[:, other]) / 2, axis=1)
    cut = max(int(np.searchsorted(_signed_ranks(samples.shape[1]), ALPHA / 2, side="right")), 1)
    return Bounds(np.median(pairs, axis=1), pairs[:, cut - 1], pairs[:, -cut])


def _signed_ranks(count: int) -> Array:
    """Return the distribution function of Wilcoxon's signed-rank statistic for *count* points."""
    density = np.ones(1)
    for rank in range(1, count + 1):
        wider = np.zeros(len(density) + rank)
        wider[: len(density)] += density / 2
        wider[rank:] += density / 2
        density = wider
    return np.cumsum(density)


def huber(samples: Array) -> Bounds:
    """Return Huber's M-estimate, scaled by the median absolute deviation, with Student's t on its asymptotic error."""
    count = samples.shape[1]
    centre = np.median(samples, axis=1)
    scale = np.median(abs(samples - centre[:, None]), axis=1) * 1.4826
    for _ in range(30):
        away = abs(samples - centre[:, None]) / scale[:, None]
        weights = np.minimum(1.0, HUBER / np.maximum(away, HUBER / 2))
        centre = (weights * samples).sum(axis=1) / weights.sum(axis=1)
    scores = (samples - centre[:, None]) / scale[:, None]
    inside = (abs(scores) <= HUBER).mean(axis=1)
    spread = np.sqrt((np.clip(scores, -HUBER, HUBER) ** 2).sum(axis=1) / (count - 1))
    return _student(centre, scale * spread / np.maximum(inside, 1 / count) / count**0.5, count - 1)


def _student(centre: Array, error: Array, freedom: int) -> Bounds:
    half = stats.t.ppf(1 - ALPHA / 2, freedom) * error
    return Bounds(centre, centre - half, centre + half)


ESTIMATORS: dict[str, Callable[[Array], Bounds]] = {
    "mean, t": mean,
    "10 % trimmed mean": trimmed(0.1),
    "20 % trimmed mean": trimmed(0.2),
    "25 % trimmed mean": trimmed(0.25),
    "median, Hettmansperger-Sheather": median,
    "Hodges-Lehmann, Wilcoxon": hodges_lehmann,
    "Huber, t": huber,
}
"""By the name that the table shows."""
