"""Which of our processes a comparison with pyperf takes, and what they cost. Pure.

A trial is one run, measured from its first process to its last without a pause. How many of its rounds are needed follows from
the widths of the intervals, as they stand after each round, and pyperf's: the rest counts for nothing. So trials can be measured
before pyperf as well as after it, and one trial answers for every peer and reading.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctkmatrix import journal, stats, stopping
from ctkmatrix.errors import MachineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Stamped = tuple[float, journal.Record]
"""A record, and the clock's seconds at which it was written."""


@dataclass(slots=True)
class Round:
    """One round of our own processes: all cases, once. Seconds of wall time, which add up to the whole of it.

    around
        Starting and ending the processes, and what the orchestrator does meanwhile.
    blocks
        By case.
    points
        By benchmark, ``<case>/<variant>``: the median of the process's values, seconds a turn.
    """

    around: float
    blocks: dict[str, float]
    points: dict[str, float]


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of ours. ``fixed`` is what it takes besides its rounds: start of the program, making ready, page; seconds."""

    run: str
    fixed: float
    rounds: tuple[Round, ...]

    def half(self, benchmark: str, count: int) -> float:
        """Return half the width of *benchmark*'s interval after *count* rounds, seconds a turn."""
        return half([one.points[benchmark] for one in self.rounds[:count]])


@dataclass(frozen=True, slots=True)
class Stratum:
    """Cases that cost alike: what the sampled ones need stands for all."""

    name: str
    cases: tuple[str, ...]
    sampled: tuple[str, ...]
    benchmarks: tuple[str, ...]
    """Those of all cases."""

    @property
    def chosen(self) -> tuple[str, ...]:
        """The benchmarks of the sampled cases: those that pyperf measures."""
        return tuple(one for one in self.benchmarks if case_of(one) in self.sampled)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to tell that our intervals are as narrow as pyperf's.

    summary
        Ratios of widths, ours to theirs, of several benchmarks -> what must not exceed 1.
    by_case
        Whether each case goes on until its own benchmarks are narrow enough, or all cases of a stratum until all together are.
    """

    words: str
    summary: Callable[[Iterable[float]], float]
    by_case: bool


FINEST = 0.01e-9
"""Seconds. An interval of this half-width is as narrow as any: neither page shows a hundredth of a ns more."""

READINGS = (
    Reading("no benchmark's interval wider", max, by_case=True),
    Reading("as wide in the geometric mean", statistics.geometric_mean, by_case=False),
)
"""The strict one, by which the target is judged; and the even one: of two equally exact tools, each has the wider interval in
half of the benchmarks by chance alone."""


def case_of(benchmark: str) -> str:
    """Return the case of ``<case>/<variant>``."""
    return benchmark.partition("/")[0]


def half(points: Sequence[float]) -> float:
    """Return half the width of the 95 % interval over *points*, process medians: the one function for both sides.

    Raises ValueError with fewer than two points.
    """
    found = stopping.half_width(stats.estimate(points))
    if found is None:
        raise ValueError("one process has no interval")
    return found


def rounds(began: float, stamped: Iterable[Stamped]) -> tuple[Round, ...]:
    """Return the rounds of a run whose first process was started at *began*.

    The time between two records goes to the later one's case, or to what is around the cases.
    Raises MachineError where a case was lost or failed.
    """
    found: dict[int, Round] = {}
    number, before = 0, began
    for at, record in stamped:
        spent, before = at - before, at
        if isinstance(record, journal.Lost):
            raise MachineError(f"{record.case or 'a worker'} was lost: {record.reason}")
        if isinstance(record, journal.Opened):
            number = record.round
        one = found.setdefault(number, Round(0.0, {}, {}))
        if isinstance(record, journal.Measured):
            _add(one, record, spent)
        else:
            one.around += spent
    return tuple(found.values())


def _add(to: Round, record: journal.Measured, spent: float) -> None:
    if record.failures:
        raise MachineError(f"{record.case} failed: {record.failures}")
    to.blocks[record.case] = spent
    to.points |= {f"{record.case}/{variant}": stats.median(values.values) for variant, values in record.results.items()}


def stops(
    trial: Trial, strata: Iterable[Stratum], reading: Reading, theirs: Mapping[str, float], least: int
) -> dict[str, int | None]:
    """Return by sampled case after how many rounds, *least* or more, it is as narrow as *theirs*; ``None``: not even at the end.

    theirs
        Half-widths by benchmark, seconds a turn.
    """
    found: dict[str, int | None] = {}
    for stratum in strata:
        together = [(case,) for case in stratum.sampled] if reading.by_case else [stratum.sampled]
        for cases in together:
            benchmarks = [one for one in stratum.chosen if case_of(one) in cases]
            stop = first(trial, benchmarks, theirs, reading.summary, least)
            found |= dict.fromkeys(cases, stop)
    return found


def first(
    trial: Trial,
    benchmarks: Sequence[str],
    theirs: Mapping[str, float],
    summary: Callable[[Iterable[float]], float],
    least: int,
) -> int | None:
    """Return after how many rounds, *least* or more, the *summary* of the ratios of widths is 1 or less; ``None``: never."""
    for count in range(least, len(trial.rounds) + 1):
        if summary([trial.half(one, count) / max(theirs[one], FINEST) for one in benchmarks]) <= 1:
            return count
    return None


def wall(trial: Trial, strata: Sequence[Stratum], until: Mapping[str, int | None]) -> float:
    """Return the seconds that *trial* takes where each sampled case ends after as many rounds as *until* says (``None``: all).

    Of a stratum's cases, as large a share goes on as of its sampled ones. A round's processes are started while any case goes on.
    """
    last = {case: len(trial.rounds) if stop is None else stop for case, stop in until.items()}
    total = trial.fixed
    for number, one in enumerate(trial.rounds[: max(last.values())]):
        total += one.around
        for stratum in strata:
            share = statistics.fmean(number < last[case] for case in stratum.sampled)
            total += share * sum(one.blocks[case] for case in stratum.cases)
    return total
