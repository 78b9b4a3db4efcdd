"""What was measured -> the rows of the evidence, each a target and whether it is met; and the evidence in Markdown. Pure."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctkmatrix.selfbench import race

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctkmatrix.selfbench.peer import Peer
    from ctkmatrix.selfbench.race import Reading, Stratum, Trial

TIMES_LESS = {"pyperf": 20.0, "pyperf --fast": 8.0}


SMALL_PAGE = 32
PAGES = {SMALL_PAGE: 5, 1000: 60}
"""By number of cells: seconds that rendering may take."""


@dataclass(frozen=True, slots=True)
class Row:
    """A target, and what was measured; ``met`` is ``None`` where another command tells."""

    what: str
    measured: str
    target: str
    met: bool | None

    def cells(self) -> tuple[str, str, str, str]:
        """Return the texts of a table's row."""
        return self.what, self.measured, self.target, {True: "met", False: "not met", None: ""}[self.met]


ELSEWHERE = Row(
    "false alarms (A/A) and detection", "docs/evidence/selftest-stats.md, by `nox -s selftest-stats`", "see there", None
)


@dataclass(frozen=True, slots=True)
class Race:
    """Our trials, the peers, and what they ran over. ``least`` is the number of rounds below which none of ours is taken."""

    trials: tuple[Trial, ...]
    peers: tuple[Peer, ...]
    strata: tuple[Stratum, ...]
    least: int

    def outcomes(self, peer: Peer, reading: Reading) -> list[Outcome]:
        """Return what each trial comes to against *peer*."""
        return [self._outcome(trial, peer, reading) for trial in self.trials]

    def _outcome(self, trial: Trial, peer: Peer, reading: Reading) -> Outcome:
        stops = race.stops(trial, self.strata, reading, peer.halves, self.least)
        return Outcome(race.wall(trial, self.strata, stops), peer.wall(self.strata), stops)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A trial against a peer: seconds of wall time for all benchmarks, and after how many rounds each sampled case ended."""

    ours: float
    theirs: float
    stops: Mapping[str, int | None]

    @property
    def wider(self) -> tuple[str, ...]:
        """The cases that were not as narrow even after all rounds."""
        return tuple(case for case, stop in self.stops.items() if stop is None)

    @property
    def ratio(self) -> float:
        """How many times less ours took."""
        return self.theirs / self.ours


def speed_rows(found: Race) -> list[Row]:
    """Return a row for each peer and reading."""
    return [
        speed_row(found.outcomes(peer, reading), peer.name, reading)
        for peer in reversed(found.peers)
        for reading in race.READINGS
    ]


def speed_row(outcomes: Sequence[Outcome], peer: str, reading: Reading) -> Row:
    """Return how many times less ctkmatrix took than *peer*, by the median of its trials; one that stayed wider is the last."""
    ordered = sorted(outcomes, key=lambda one: (not one.wider, one.ratio))
    middle, target = ordered[(len(ordered) - 1) // 2], TIMES_LESS[peer]
    ratios = [one.ratio for one in outcomes]
    spread = f"median of {len(ratios)} trials, {min(ratios):.1f} to {max(ratios):.1f}"
    measured = f"{middle.ratio:.1f} times less ({spread}): {middle.ours:.0f} s against {middle.theirs:.0f} s"
    wide = [one.wider for one in outcomes if one.wider]
    if wide:
        cases = ", ".join(dict.fromkeys(case for cases in wide for case in cases))
        measured += f"; wider even after all rounds in {len(wide)} of {len(ratios)}: {cases}"
    met = middle.ratio >= target and not middle.wider
    return Row(f"wall time against {peer}, {reading.words}", measured, f"≥ {target:g} times less", met)


def share_row(share: float) -> Row:
    """Return which share of the workers' lives was timed."""
    return Row(
        "wall time of workers, spawn to exit, inside timed loops (standard profile)", f"{share:.1%}", "≥ 80 %", share >= 0.8
    )


def turn_row(trials: Sequence[float]) -> Row:
    """Return what a turn costs; *trials* in ns."""
    cost = statistics.median(trials)
    quarters = statistics.quantiles(trials)
    measured = f"{cost:.2f} ns (median of {len(trials)} trials; quartiles {quarters[0]:.2f} and {quarters[2]:.2f})"
    return Row("a turn of `loop` over a bare `repeat`", measured, "≤ 2 ns", cost <= 2)


def scale_row(cost: Mapping[str, float]) -> Row:
    """Return what planning and statistics cost: seconds by step, and ``peak`` in bytes."""
    steps = {step: seconds for step, seconds in cost.items() if step != "peak"}
    total, peak = sum(steps.values()), cost["peak"] / 2**30
    parts = ", ".join(f"{step} {seconds:.1f}" for step, seconds in steps.items())
    what = "planner and statistics, 1,000 cells of 100 cases, 20 processes"
    return Row(what, f"{total:.1f} s ({parts}), {peak:.2f} GiB", "< 10 s, < 1 GiB", total < 10 and peak < 1)


def page_row(cells: int, cost: Mapping[str, float]) -> Row:
    """Return what rendering *cells* costs: ``seconds``, ``bytes`` of the page, and ``peak`` in bytes. Limits are in ``PAGES``."""
    seconds, what = PAGES[cells], f"rendering {cells:,} cells of 100 cases, 300 variants, 12 processes"
    size, peak = cost["bytes"] / 1e6, cost["peak"] / 2**30
    measured = f"{cost['seconds']:.1f} s, {size:.1f} MB, {peak:.2f} GiB"
    if cells == SMALL_PAGE:
        return Row(what, measured, f"< {seconds} s, < 3 MB", cost["seconds"] < seconds and size < 3)
    return Row(what, measured, f"< {seconds} s, < 2 GiB", cost["seconds"] < seconds and peak < 2)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *rows))
