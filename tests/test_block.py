"""One block: calibration, alternation, failures."""

from __future__ import annotations

import gc
import random
from typing import TYPE_CHECKING

import pytest

from ctkmatrix.probe.block import MAX_LOOPS, WrongLoop, calibrate, few_and_many, measure, seconds_of
from ctkmatrix.probe.loop import Loop

if TYPE_CHECKING:
    from collections.abc import Callable


def cost(seconds: float, log: list[int] | None = None) -> Callable[[int], float]:
    """Return a variant whose turns take *seconds* each by a perfect clock."""

    def run(turns: int) -> float:
        if log is not None:
            log.append(turns)
        return turns * seconds

    return run


@pytest.mark.parametrize("turn", [1e-9, 3e-8, 1e-6, 7e-4])
def test_calibration_hits_the_target(turn: float) -> None:
    """The turns of a value take about the time that was asked for."""
    assert calibrate(cost(turn), 0.004) * turn == pytest.approx(0.004, rel=0.1)


def test_a_turn_longer_than_a_value_is_taken_once() -> None:
    """A slow case has one turn a value, and calibration turns it once alone."""
    log: list[int] = []
    assert calibrate(cost(0.5, log), 0.004) == 1
    assert log == [1]


def test_calibration_is_capped() -> None:
    """A turn that costs next to nothing does not run for ever."""
    assert calibrate(cost(1e-13), 1.0) == MAX_LOOPS


def test_calibration_is_quick() -> None:
    """Finding the number of turns costs less than a value."""
    log: list[int] = []
    calibrate(cost(5e-8, log), 0.01)
    assert sum(log) * 5e-8 < 0.01


def test_values_are_seconds_a_turn() -> None:
    """Every variant has as many values as asked, each a turn's time, at its own number of turns."""
    results, failures = measure(
        {"fast": cost(1e-8), "slow": cost(1e-5)}, loops={}, values=5, seconds=0.001, order=random.Random(1)
    )
    assert not failures
    assert results["fast"]["values"] == pytest.approx([1e-8] * 5)
    assert results["slow"]["values"] == pytest.approx([1e-5] * 5)
    assert results["fast"]["loops"] == 1000 * results["slow"]["loops"]


def test_given_loops_are_kept() -> None:
    """A variant that was calibrated before is not calibrated again."""
    log: list[int] = []
    results, _ = measure({"v": cost(1e-7, log)}, loops={"v": 800}, values=3, seconds=1.0, order=random.Random(1))
    assert results["v"]["loops"] == 800
    assert log == [1, 200, 800, 800, 800, 1]


def test_variants_alternate_value_by_value() -> None:
    """Between two values of a variant every other variant has one, and the order within a round varies."""
    order: list[str] = []

    def logged(name: str) -> Callable[[int], float]:
        def run(turns: int) -> float:
            order.append(name)
            return turns * 1e-6

        return run

    names = ["a", "b", "c"]
    measure({n: logged(n) for n in names}, loops=dict.fromkeys(names, 10), values=20, seconds=1, order=random.Random(3))
    values = order[6:-3]
    rounds = [values[i : i + 3] for i in range(0, 60, 3)]
    assert all(sorted(one) == names for one in rounds)
    assert len({tuple(one) for one in rounds}) > 3


def test_a_failing_variant_loses_itself_alone() -> None:
    """The others keep their values; the failure is told."""

    def broken(_turns: int) -> float:
        raise RuntimeError("no")

    results, failures = measure({"good": cost(1e-6), "bad": broken}, loops={}, values=4, seconds=0.001, order=random.Random(1))
    assert len(results["good"]["values"]) == 4
    assert "bad" not in results
    assert str(failures["bad"]) == "no"


def test_a_variant_that_fails_late_keeps_nothing() -> None:
    """Values before a failure are not reported as if all had gone well."""
    calls = iter(range(100))

    def late(turns: int) -> float:
        if next(calls) > 4:
            raise RuntimeError("late")
        return turns * 1e-3

    results, failures = measure({"late": late}, loops={"late": 4}, values=10, seconds=1, order=random.Random(1))
    assert not results
    assert str(failures["late"]) == "late"


def test_the_collector_is_off_during_timing_and_on_again_after() -> None:
    """Garbage is collected before; the collector never runs inside a loop; an error leaves it on."""
    seen: list[bool] = []

    def run(turns: int) -> float:
        seen.append(gc.isenabled())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure({"v": run}, loops={}, values=1, seconds=1, order=random.Random(1))
    assert seen == [False]
    assert gc.isenabled()


def test_a_loop_that_was_not_finished_is_an_error() -> None:
    """Turns are counted: a case that leaves early is told, not timed."""
    loop = Loop(5)
    for _ in loop:
        break
    with pytest.raises(WrongLoop, match="before the last turn"):
        seconds_of(loop)


@pytest.mark.parametrize("elapsed", [0.0, -1.0, float("nan"), float("inf")])
def test_no_time_at_all_is_an_error(elapsed: float) -> None:
    """Values that pyperf refuses are that case's failure."""
    loop = Loop(5)
    loop.elapsed = elapsed
    with pytest.raises(WrongLoop):
        seconds_of(loop)


def test_a_slow_case_s_checked_call_is_its_warm_up() -> None:
    """Turns that take longer than a value are not turned for nothing: one call before, the values, one after."""
    log: list[int] = []
    results, _ = measure({"v": cost(0.5, log)}, loops={"v": 1}, values=2, seconds=0.004, order=random.Random(1))
    assert log == [1, 1, 1, 1]
    assert results["v"]["warmups"] == [0.5]


def test_few_turns_and_many_are_as_many_together() -> None:
    """What every go takes besides shows in the few alone, and neither side has more turns to find a quiet moment in."""
    log: list[int] = []
    turn = cost(1e-8, log)
    assert few_and_many(lambda turns: 1e-6 + turn(turns), 10, 1000, 3) == pytest.approx({10: 1.1e-7, 1000: 1.1e-8})
    assert log.count(1000) == 3
    assert log.count(10) == 1 + 3 * 100


def test_the_pair_of_the_median_ratio_counts() -> None:
    """A disturbance that hits one side of a pair, and a machine that slows down from pair to pair, move no ratio."""
    warm_up, pairs = [7.0], (1.1, 2.2, 3.3, 40.0, 5.5)
    few, many = iter([*warm_up, *(seconds for seconds in pairs for _ in range(2))]), iter([2.0, 4.0, 18.0, 8.0, 10.0])
    found = few_and_many(lambda turns: next(few if turns == 1 else many), 1, 2, len(pairs))
    assert found[1] / found[2] == pytest.approx(1.1)
    assert list(found) == [1, 2]
