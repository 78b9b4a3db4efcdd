"""What `nox -s selfbench` makes of what it measured: the pure parts, and the real pieces in small."""

from __future__ import annotations

import pytest

from ctkmatrix import journal, selfbench, selfbench_scale, selfbench_turn, stats
from ctkmatrix.errors import UsageError
from ctkmatrix.selfbench import Ours, Peer
from ctkmatrix.selfbench_pyperf import Measured

NARROW, WIDE = (1.0, 1.1, 1.2, 1.3), (1.0, 2.0, 3.0, 4.0)


def ours(*, extra: float = 0.0, wider: tuple[str, ...] = ()) -> Ours:
    """Return a run of four benchmarks in 10 s, and *extra* seconds to be as exact as pyperf."""
    points: selfbench.Points = {f"a.{number}/core": NARROW for number in range(4)}
    return Ours("run", 10.0, 0.9, 4, points, points, {"pyperf": selfbench.Extra(extra, 0.0)}, {"pyperf": wider})


def peer(wall: float) -> Peer:
    """Return pyperf on half of the benchmarks, *wall* seconds each."""
    return Peer("pyperf", {f"a.{number}/core": Measured(wall, WIDE) for number in range(2)})


def test_one_function_gives_both_sides_their_interval() -> None:
    """Half of the width that `stats.estimate` gives; a single process has none."""
    found = stats.estimate(WIDE)
    assert found.low is not None
    assert found.high is not None
    assert selfbench.half(WIDE) == pytest.approx((found.high - found.low) / 2)
    with pytest.raises(ValueError, match="one process"):
        selfbench.half([1.0])


def test_only_what_is_wider_is_measured_again() -> None:
    """An interval of equal width is narrow enough; what pyperf did not measure does not count."""
    bounds = {"a/core": selfbench.half(NARROW), "b/core": selfbench.half(NARROW)}
    assert selfbench.wider({"a/core": WIDE, "b/core": NARROW, "c/core": WIDE}, bounds) == ("a/core",)


def test_a_sample_is_scaled_by_the_count_on_both_sides() -> None:
    """Two of four benchmarks: pyperf's time and the processes that were added count twice, what was measured whole once."""
    row = selfbench.speed_row(ours(extra=5.0), peer(250.0))
    assert row.measured == "50.0 times less: 20 s against 1000 s"
    assert row.met


@pytest.mark.parametrize(("wall", "wider"), [(40.0, ()), (250.0, ("a.0/core",))])
def test_too_slow_or_too_wide_misses_the_target(wall: float, wider: tuple[str, ...]) -> None:
    """Being quick with wider intervals is no success."""
    row = selfbench.speed_row(ours(wider=wider), peer(wall))
    assert row.met is False
    assert all(name in row.measured for name in wider)


def test_a_process_s_point_is_the_median_of_its_values() -> None:
    """As for pyperf's processes."""
    values = [journal.Values(1, triple, ()) for triple in ((3.0, 1.0, 2.0), (5.0, 5.0, 9.0))]
    records = [
        journal.Measured(cell="c", process=number, round=number, case="a.b", results={"core": each})
        for number, each in enumerate(values)
    ]
    assert selfbench.points(records) == {"a.b/core": (2.0, 5.0)}


@pytest.mark.parametrize(("cost", "met"), [(1.5, True), (2.5, False)])
def test_a_turn_is_judged_by_the_median(cost: float, met: bool) -> None:
    """One disturbed trial moves nothing."""
    assert selfbench.turn_row([cost, cost, 400.0, cost, cost]).met is met


@pytest.mark.parametrize(("seconds", "gibibytes", "met"), [(4.0, 0.5, True), (6.0, 0.5, False), (4.0, 1.5, False)])
def test_scale_is_judged_by_time_and_memory(seconds: float, gibibytes: float, met: bool) -> None:
    """All steps together, and the peak."""
    assert selfbench.scale_row({"plan": seconds, "collect": seconds, "peak": gibibytes * 2**30}).met is met


def test_the_scale_is_of_real_work() -> None:
    """Two cells go through plan, results and verdicts, and every step takes time."""
    cost = selfbench_scale.run(2)
    assert cost["peak"] > 2**20
    assert min(cost[step] for step in ("plan", "assemble", "judge")) > 0
    assert "collect" in cost  # the making of the records is taken off, which leaves next to nothing of so few


def test_the_two_loops_are_timed_in_turn() -> None:
    """As many differences as trials, each far below what a call for every turn would add."""
    found = list(selfbench_turn.trials(3, 100_000))
    assert len(found) == 3
    assert sorted(found)[1] < 200


@pytest.mark.parametrize(("given", "chosen"), [([], selfbench.SAMPLE), (["--all"], "known"), (["--benchmark", "x/y"], ["x/y"])])
def test_what_pyperf_measures_is_chosen(given: list[str], chosen: object) -> None:
    """A sample, everything, or what is named; what is not there is told."""
    known = [*selfbench.SAMPLE, "x/y"]
    options = selfbench.parser().parse_args(given)
    assert selfbench.choose(options, known) == (known if chosen == "known" else chosen)
    with pytest.raises(UsageError, match="x/z"):
        selfbench.choose(selfbench.parser().parse_args(["--benchmark", "x/z"]), known)


def test_the_sample_is_of_one_native_and_three_python_benchmarks_at_least() -> None:
    """So that pyperf's time is not that of one kind alone."""
    native = [one for one in selfbench.SAMPLE if one.endswith("/native")]
    assert native
    assert len(selfbench.SAMPLE) - len(native) >= 3


def test_a_table_says_what_is_met() -> None:
    """Each target on a line."""
    rows = [selfbench.Row("a", "1", "2", met=True), selfbench.Row("b", "1", "2", met=False), selfbench.ELSEWHERE]
    text = selfbench.table(["what", "measured", "target", ""], [row.cells() for row in rows])
    assert "| a | 1 | 2 | met |" in text
    assert "| b | 1 | 2 | not met |" in text
    assert "selftest-stats" in text


def test_only_what_was_measured_is_scaled() -> None:
    """A process of more benchmarks starts once all the same."""
    assert selfbench.Extra(looped=2.0, around=5.0).for_all(7) == 19.0
