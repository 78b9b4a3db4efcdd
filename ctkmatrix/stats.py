"""Samples -> estimates. Pure, on numpy and scipy.

The process is the unit of inference: values within a process share its memory layout and hash seed, so pooling them would call
noise between processes an effect. A process's value is the median of its values.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from ctkmatrix.model import Estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctkmatrix.model import Sample

TRIM = 0.2
"""Share cut from each end before averaging: one process in eight at twice the time moves nothing from five processes on."""

CONFIDENCE = 0.95


def by_process(samples: Iterable[Sample]) -> dict[int, float]:
    """Return each process's value, seconds a turn: the median of its values."""
    return {sample.process: statistics.median(sample.values) for sample in samples}


def estimate(points: Sequence[float]) -> Estimate:
    """Return the trimmed mean of *points*, one a process, and its 95 % interval.

    The interval is Tukey and McLaughlin's (1963): Student's t on n - 2g - 1 degrees of freedom, with the winsorised standard
    deviation, g = floor(0.2 n). With fewer than two points there is no interval. Raises ValueError without points.
    """
    if not points:
        raise ValueError("no points: nothing was measured")
    ordered = np.sort(np.asarray(points, dtype=float))
    count, cut = len(ordered), int(TRIM * len(ordered))
    kept = ordered[cut : count - cut]
    middle = float(kept.mean())
    if count < 2:
        return Estimate(middle, None, None, tuple(points))
    winsorised = np.clip(ordered, kept[0], kept[-1])
    error = float(winsorised.std(ddof=1)) / ((1 - 2 * cut / count) * count**0.5)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(kept) - 1)) * error
    return Estimate(middle, middle - half, middle + half, tuple(points))


def paired(python: Mapping[int, float], native: Mapping[int, float]) -> tuple[Estimate, Estimate] | None:
    """Return the overhead (Python minus native, seconds a turn) and the ratio (Python over native), paired within processes.

    ``None`` where no process measured both.
    """
    both = sorted(python.keys() & native.keys())
    if not both:
        return None
    return (
        estimate([python[process] - native[process] for process in both]),
        estimate([python[process] / native[process] for process in both]),
    )
