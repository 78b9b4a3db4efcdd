"""How processes may differ: times whose truth is known, for simulations. Pure, on numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctkmatrix.estimators import Array

    Draw = Callable[[np.random.Generator, int, int], Array]
    """Draws (trials, processes) times."""

TRUE = 100.0
"""What a turn takes where nothing disturbs it: widths read as per cent."""


@dataclass(frozen=True, slots=True)
class Noise:
    """A way to differ. ``truth`` is what an interval should cover; ``None``: what its estimator tends to with many processes."""

    title: str
    draw: Draw
    truth: float | None = TRUE


def clean(spread: float) -> Draw:
    """Draw normal times, *spread* per cent apart."""

    def draw(random: np.random.Generator, trials: int, count: int) -> Array:
        return TRUE + spread * random.standard_normal((trials, count))

    return draw


def skewed(spread: float) -> Draw:
    """Draw lognormal times, *spread* per cent apart, and an exponential delay of 0.6 times as much on top."""

    def draw(random: np.random.Generator, trials: int, count: int) -> Array:
        base = TRUE * np.exp(spread / 100 * random.standard_normal((trials, count)))
        return base + random.exponential(0.6 * spread, (trials, count))

    return draw


def slowed(share: float, factor: float, spread: float) -> Draw:
    """Draw clean times, each of which takes *factor* times as long by the chance *share*."""

    def draw(random: np.random.Generator, trials: int, count: int) -> Array:
        times = clean(spread)(random, trials, count)
        return np.where(random.random((trials, count)) < share, factor * times, times)

    return draw


def drifting(spread: float) -> Draw:
    """Draw clean times that rise by 8 per cent from the first round to the last, the same in every trial."""

    def draw(random: np.random.Generator, trials: int, count: int) -> Array:
        return np.linspace(-4, 4, count) + clean(spread)(random, trials, count)

    return draw


NOISES = (
    Noise("Clean: normal, 2 % apart", clean(2)),
    Noise("Skewed: lognormal, 5 % apart, and an exponential delay of 3 %", skewed(5), None),
    Noise("Bimodal: 1 process in 8 at 2 times, 2 % apart", slowed(1 / 8, 2.0, 2)),
    Noise("Bimodal: 3 processes in 10 at 1.8 times, 2 % apart", slowed(0.3, 1.8, 2)),
    Noise("Drift: 8 % from the first round to the last, 1 % apart", drifting(1)),
)
