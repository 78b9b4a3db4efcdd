"""Samples -> estimates: known distributions, fixed seeds."""

from __future__ import annotations

import numpy as np
import pytest

from ctkmatrix.model import Estimate, Sample
from ctkmatrix.stats import by_process, estimate, paired


def sample(process: int, values: tuple[float, ...]) -> Sample:
    """Return a sample of one process."""
    return Sample("cell", "case", "core", process, 0, 100, values)


def test_a_process_counts_once_by_its_median() -> None:
    """One wild value in a process moves nothing, and many values weigh no more than few."""
    samples = [sample(0, (1.0, 1.0, 9.0)), sample(1, (2.0,) * 400)]
    assert by_process(samples) == {0: 1.0, 1: 2.0}


def test_nothing_measured_is_an_error() -> None:
    """No points, no number."""
    with pytest.raises(ValueError, match="no points"):
        estimate([])


def test_one_process_has_no_interval() -> None:
    """Without a second process nothing is known of the spread."""
    assert estimate([3.0]) == Estimate(3.0, None, None, (3.0,))


def test_points_keep_their_order() -> None:
    """The page shows each process as it came."""
    assert estimate([3.0, 1.0, 2.0]).points == (3.0, 1.0, 2.0)


@pytest.mark.parametrize("count", [2, 3, 4, 8, 12, 30])
def test_the_interval_covers_what_it_says(count: int) -> None:
    """For normal data the 95 % interval holds the truth in about 95 of 100 trials."""
    random = np.random.default_rng(7)
    trials = [estimate(list(random.normal(100.0, 3.0, count))) for _ in range(1500)]
    hits = sum(one.low <= 100.0 <= one.high for one in trials if one.low is not None and one.high is not None)
    assert 0.93 <= hits / len(trials) <= 0.985


def test_one_process_in_eight_at_twice_the_time_moves_nothing() -> None:
    """Shared GPU machines show such processes; the estimate stays within 1 % of the rest."""
    random = np.random.default_rng(11)
    points = [float(point) for point in random.normal(100.0, 1.0, 16)]
    points[3] *= 2
    points[9] *= 2
    found = estimate(points)
    assert found.value == pytest.approx(100.0, rel=0.01)
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low < 3


def test_overhead_is_paired_within_processes() -> None:
    """What a process adds to both sides cancels; processes that lack one side do not count."""
    shift = {0: 0.0, 1: 50.0, 2: 10.0, 3: 90.0}
    native = {process: 100 + shift[process] for process in shift}
    python = {process: 400 + shift[process] for process in shift} | {7: 9999.0}
    found = paired(python, native)
    assert found is not None
    overhead, ratio = found
    assert overhead == Estimate(300.0, 300.0, 300.0, (300.0,) * 4)
    assert ratio.value < 4


def test_nothing_in_common_is_no_overhead() -> None:
    """Two sides from different processes are not set against each other."""
    assert paired({0: 1.0}, {1: 1.0}) is None


def test_a_negative_overhead_stays_negative() -> None:
    """Nothing is clamped at zero."""
    found = paired({0: 1.0, 1: 1.0}, {0: 2.0, 1: 2.0})
    assert found is not None
    assert found[0].value == -1.0
