"""Samples -> estimates: known distributions, fixed seeds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ctkmatrix.journal import Measured, Values
from ctkmatrix.model import Estimate
from ctkmatrix.stats import Mean, Points, difference, estimate, estimates, median, trimmed_mean

if TYPE_CHECKING:
    from collections.abc import Callable


def block(process: int, case: str = "a.b", cell: str = "cell", **values: tuple[float, ...]) -> Measured:
    """Return a block whose variants have these *values*."""
    results = {variant: Values(100, some, ()) for variant, some in values.items()}
    return Measured(cell=cell, process=process, round=0, case=case, results=results)


def points(*blocks: Measured) -> Points:
    """Return the points of *blocks*."""
    found = Points()
    for one in blocks:
        found.add(one)
    return found


def test_a_process_counts_once_by_its_median() -> None:
    """One wild value in a process moves nothing, and many values weigh no more than few."""
    assert points(block(0, core=(1.0, 1.0, 9.0)), block(1, core=(2.0,) * 400)).of("cell", "a.b", "core") == {0: 1.0, 1: 2.0}


@pytest.mark.parametrize(
    ("values", "middle"), [((3.0,), 3.0), ((4.0, 1.0), 2.5), ((9.0, 1.0, 2.0), 2.0), ((8.0, 1.0, 4.0, 2.0), 3.0)]
)
def test_the_median_is_the_middle_or_between_the_two(values: tuple[float, ...], middle: float) -> None:
    """In whatever order the values came."""
    assert median(values) == middle


def test_points_are_told_apart() -> None:
    """By cell, case and variant, in whatever order blocks came; what was not measured has none and is not in them."""
    found = points(
        block(4, core=(1.0,)),
        block(4, "c.d", native=(2.0,), core=(3.0,)),
        block(2, native=(4.0,)),
        block(3, "c.d", "other", core=(5.0,)),
        block(4, native=(6.0,)),
    )
    values = {("cell", "a.b", "core"): {4: 1.0}, ("cell", "c.d", "native"): {4: 2.0}, ("cell", "c.d", "core"): {4: 3.0}}
    values |= {("cell", "a.b", "native"): {2: 4.0, 4: 6.0}, ("other", "c.d", "core"): {3: 5.0}}
    assert {key: found.of(*key) for key in found} == values
    assert len(found) == len(values)
    assert [found.processes(cell) for cell in ("cell", "other", "none")] == [[2, 4], [3], []]
    for absent in (("none", "a.b", "core"), ("other", "a.b", "core")):
        assert absent not in found
        assert found.of(*absent) == {}
    assert len(found) == len(values)


def test_what_only_a_later_process_measured_is_its_own() -> None:
    """A process from before has no value of it."""
    found = points(block(0, core=(1.0,)), block(1, native=(2.0,)), block(2, native=(3.0,), python=(4.0,)))
    assert found.of("cell", "a.b", "native") == {1: 2.0, 2: 3.0}
    assert found.of("cell", "a.b", "python") == {2: 4.0}


def test_points_are_a_table_of_a_cell() -> None:
    """A row for each that is asked for, a column for each process in order, NaN where there is nothing."""
    found = points(block(7, native=(1.0,)), block(3, native=(2.0,), core=(3.0,)), block(5, "c.d", core=(4.0,)))
    nan = math.nan
    wanted = [[3.0, nan, nan], [2.0, nan, 1.0], [nan, 4.0, nan]]
    np.testing.assert_array_equal(found.table("cell", [("a.b", "core"), ("a.b", "native"), ("c.d", "core")]), wanted)
    assert found.table("cell", []).shape == (0, 3)
    assert found.table("none", []).shape == (0, 0)


def test_nothing_measured_is_an_error() -> None:
    """No points, no number."""
    with pytest.raises(ValueError, match="no points"):
        estimate([])


def test_one_process_has_no_interval() -> None:
    """Without a second process nothing is known of the spread."""
    assert estimate([3.0]) == Estimate(3.0, None, None, (3.0,))


def test_of_one_point_nothing_is_certain() -> None:
    """Its interval is all there is, and any true value may be behind it; against many, too."""
    for one in (trimmed_mean([3.0]), difference([3.0], [5.0, 6.0, 7.0]), difference([5.0, 6.0, 7.0], [3.0])):
        assert one.error == math.inf
        assert one.interval(0.95) == (-math.inf, math.inf)
        assert one.p() == 1.0


def test_without_any_spread_chance_explains_nothing() -> None:
    """Points that are all alike differ surely from 0, and surely do not where they are 0."""
    assert trimmed_mean([2.0] * 12) == Mean(2.0, 0.0, 7)
    assert trimmed_mean([2.0] * 12).interval(0.95) == (2.0, 2.0)
    assert (trimmed_mean([2.0] * 12).p(), trimmed_mean([0.0] * 12).p()) == (0.0, 1.0)
    assert difference([2.0] * 12, [5.0] * 30) == difference([2.0] * 30, [5.0] * 12) == Mean(3.0, 0.0, 7)
    assert (difference([2.0] * 12, [5.0] * 12).p(), difference([2.0] * 12, [2.0] * 12).p()) == (0.0, 1.0)


def test_the_trimmed_mean_by_hand() -> None:
    """Of 1 to 9 and 100 two are cut at each end: 3 to 8 stay, and the rest count as 3 and 8 in the squares, 42.5 in all."""
    found = trimmed_mean([5.0, 100.0, 1.0, 9.0, 3.0, 2.0, 8.0, 4.0, 7.0, 6.0])
    assert (found.value, found.freedom) == (5.5, 5)
    assert found.error == pytest.approx(math.sqrt(42.5 / (6 * 5)))
    assert found.interval(0.95) == pytest.approx((5.5 - 2.5706 * found.error, 5.5 + 2.5706 * found.error), rel=1e-4)
    assert Mean(2.015, 1.0, 5).p() == pytest.approx(0.1, abs=1e-4)


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


@pytest.mark.parametrize(
    "make",
    [
        lambda random, shape: random.normal(4e-7, 8e-9, shape),
        lambda random, shape: random.lognormal(0, 2, shape),
        lambda random, shape: random.integers(1, 4, shape).astype(float),
        lambda random, shape: random.choice([1.0, 1.7], shape) * random.normal(1e-6, 1e-8, shape),
        lambda _, shape: np.full(shape, 0.1),
    ],
    ids=["normal", "skewed", "tied", "two modes", "constant"],
)
def test_the_estimates_of_a_table_are_those_of_its_rows(
    make: Callable[[np.random.Generator, tuple[int, int]], np.ndarray],
) -> None:
    """To the last bit, whatever rows lack; a row without points has none."""
    random = np.random.default_rng(3)
    for width in (1, 2, 3, 5, 12, 20, 61):
        table = make(random, (60, width))
        table[20:][random.random((40, width)) < 0.2] = math.nan
        table[50] = math.nan
        rows = [[point for point in row if not math.isnan(point)] for row in table.tolist()]
        assert estimates(table) == [estimate(row) if row else None for row in rows]
        assert estimates(table)[50] is None
    assert estimates(np.empty((0, 3))) == []
