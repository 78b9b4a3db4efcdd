"""Which of our processes a comparison with pyperf takes, and what they cost: on trials with given widths and seconds."""

from __future__ import annotations

import statistics

import pytest

from ctkmatrix import journal, stats
from ctkmatrix.errors import MachineError
from ctkmatrix.selfbench import race
from ctkmatrix.selfbench.race import READINGS, Round, Stratum, Trial

STRICT, EVEN = READINGS
WIDE = (1.0, 2.0, 3.0, 4.0)
FAST = Stratum("fast", ("a.x", "a.y", "a.z", "a.w"), ("a.x", "a.y"), ("a.x/core", "a.y/core", "a.z/core", "a.w/core"))
SLOW = Stratum("slow", ("b.x",), ("b.x",), ("b.x/core", "b.x/native"))


def trial(**noise: float) -> Trial:
    """Return 30 rounds in which each of five cases takes 1 s, and starting takes 10 s; *noise* by the name of the case."""
    rounds = [
        Round(
            around=10.0,
            blocks=dict.fromkeys((*FAST.cases, *SLOW.cases), 1.0),
            points={
                one: 1.0 + noise.get(race.case_of(one).replace(".", "_"), 0.1) * (-1) ** number
                for one in (*FAST.benchmarks, *SLOW.benchmarks)
            },
        )
        for number in range(30)
    ]
    return Trial("run", 100.0, tuple(rounds))


def bounds(count: int) -> dict[str, float]:
    """Return pyperf's half-widths: those that noise of 0.1 has after *count* rounds."""
    return {one: trial().half(one, count) for one in (*FAST.benchmarks, *SLOW.benchmarks)}


def test_one_function_gives_both_sides_their_interval() -> None:
    """Half of the width that `stats.estimate` gives; a single process has none."""
    found = stats.estimate(WIDE)
    assert found.low is not None
    assert found.high is not None
    assert race.half(WIDE) == pytest.approx((found.high - found.low) / 2)
    with pytest.raises(ValueError, match="one process"):
        race.half([1.0])


def test_the_strict_reading_ends_each_case_by_itself() -> None:
    """A noisier case goes on; what is narrow enough at once takes the least number of rounds."""
    found = race.stops(trial(a_y=0.12), [FAST, SLOW], STRICT, bounds(12), 12)
    assert found["a.x"] == found["b.x"] == 12
    assert found["a.y"] is not None
    assert found["a.y"] > 12


def test_the_even_reading_ends_a_stratum_as_a_whole() -> None:
    """One case twice as wide is made up for by another of half the width; the other stratum is by itself."""
    found = race.stops(trial(a_x=0.05, a_y=0.19, b_x=0.2), [FAST, SLOW], EVEN, bounds(12), 12)
    assert found == {"a.x": 12, "a.y": 12, "b.x": None}


def test_an_interval_of_equal_width_is_narrow_enough() -> None:
    """And one that is never so narrow has no stop."""
    found = trial()
    equal = {"a.x/core": found.half("a.x/core", 20)}
    assert race.first(found, ["a.x/core"], equal, max, 20) == 20
    assert race.first(found, ["a.x/core"], {"a.x/core": 1e-9}, max, 20) is None


def test_the_widest_of_a_case_s_variants_decides() -> None:
    """By the strict reading; by the even one, the geometric mean of the ratios."""
    found = trial()
    theirs = {"b.x/core": found.half("b.x/core", 12) * 2, "b.x/native": found.half("b.x/native", 12) / 1.9}
    assert race.first(found, list(theirs), theirs, statistics.geometric_mean, 12) == 12
    strict = race.first(found, list(theirs), theirs, max, 12)
    assert strict is None or strict > 12


def test_all_cases_are_paid_until_the_first_stop() -> None:
    """Twelve rounds of all: what is fixed, the starts and every block, those that pyperf did not measure too."""
    until = {"a.x": 12, "a.y": 12, "b.x": 12}
    assert race.wall(trial(), [FAST, SLOW], until) == 100 + 12 * (10 + 5)


def test_what_goes_on_stands_for_its_own_stratum() -> None:
    """Two more rounds of one of two sampled fast cases: half of all four; the slow one and every start are not scaled."""
    assert race.wall(trial(), [FAST, SLOW], {"a.x": 14, "a.y": 12, "b.x": 12}) == 100 + 12 * 15 + 2 * (10 + 2)
    assert race.wall(trial(), [FAST, SLOW], {"a.x": 12, "a.y": 12, "b.x": 14}) == 100 + 12 * 15 + 2 * (10 + 1)


def test_without_a_stop_everything_is_paid() -> None:
    """All thirty rounds of the case."""
    assert race.wall(trial(), [FAST, SLOW], {"a.x": 12, "a.y": 12, "b.x": None}) == 100 + 12 * 15 + 18 * 11


def opened(number: int) -> journal.Opened:
    """Return a worker's first record."""
    return journal.Opened(cell="c", process=number, round=number, cpu=0, padding=0, identity={})


def measured(number: int, *values: float, failures: dict[str, str] | None = None) -> journal.Measured:
    """Return a block of one variant."""
    results = {"core": journal.Values(1, values, ())}
    return journal.Measured(cell="c", process=number, round=number, case="a.x", results=results, failures=failures or {})


def closed(number: int) -> journal.Closed:
    """Return a worker's last record."""
    return journal.Closed(cell="c", process=number, lifetime=1.0, looped=1.0)


def test_a_run_s_seconds_are_all_given_to_something() -> None:
    """A block's from the record before it; starting and ending are around. A process's point is the median of its values."""
    records: list[race.Stamped] = [
        (12.0, opened(0)),
        (15.0, measured(0, 3.0, 1.0, 2.0)),
        (15.5, closed(0)),
        (16.5, opened(1)),
        (17.5, measured(1, 5.0, 5.0, 9.0)),
        (18.0, closed(1)),
    ]
    assert race.rounds(10.0, records) == (
        Round(2.5, {"a.x": 3.0}, {"a.x/core": 2.0}),
        Round(1.5, {"a.x": 1.0}, {"a.x/core": 5.0}),
    )


@pytest.mark.parametrize(
    "last",
    [
        measured(0, 1.0, failures={"native": "gone"}),
        journal.Lost(cell="c", process=0, round=0, case="a.x", reason="crashed: SIGSEGV"),
    ],
)
def test_a_trial_in_which_something_failed_is_none(last: journal.Record) -> None:
    """It would be quick by what it left out."""
    with pytest.raises(MachineError, match=r"a\.x (failed|was lost)"):
        race.rounds(0.0, [(1.0, opened(0)), (2.0, last)])
