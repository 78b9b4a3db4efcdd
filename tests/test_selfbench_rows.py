"""The rows of `nox -s selfbench`: what meets a target and what does not."""

from __future__ import annotations

import pytest

from ctkmatrix.selfbench import rows
from ctkmatrix.selfbench.peer import Measured, Peer
from ctkmatrix.selfbench.race import READINGS, Round, Stratum, Trial
from ctkmatrix.selfbench.rows import Outcome, Race, Row

DONE: dict[str, int | None] = {"a.x": 12}


def outcome(seconds: float, stops: dict[str, int | None] = DONE) -> Outcome:
    """Return a trial of so many seconds against 400 s of pyperf's."""
    return Outcome(seconds, 400.0, stops)


def test_the_median_trial_is_told_with_the_range() -> None:
    """One slow trial decides nothing."""
    row = rows.speed_row([outcome(10.0), outcome(100.0), outcome(16.0)], "pyperf", READINGS[0])
    assert row.measured == "25.0 times less (median of 3 trials, 4.0 to 40.0): 16 s against 400 s"
    assert row.met


def test_too_slow_misses_the_target() -> None:
    """By the peer's own."""
    trials = [outcome(25.0)] * 3
    assert rows.speed_row(trials, "pyperf --fast", READINGS[0]).met is True
    assert rows.speed_row(trials, "pyperf", READINGS[0]).met is False


@pytest.mark.parametrize(("stayed", "met"), [(1, True), (2, False)])
def test_a_trial_that_stays_wider_is_the_last(stayed: int, met: bool) -> None:
    """Being quick with wider intervals is no success: it counts below every slower one, and is told."""
    trials = [outcome(1.0, {"a.x": 12, "a.y": None})] * stayed + [outcome(10.0)] * (3 - stayed)
    row = rows.speed_row(trials, "pyperf", READINGS[0])
    assert row.met is met
    assert f"in {stayed} of 3: a.y" in row.measured


def test_every_peer_is_read_both_ways() -> None:
    """On real trials: each row names its peer and its reading."""
    points = [1.0, 1.1, 0.9] * 6
    trial = Trial("run", 1.0, tuple(Round(0.1, {"a.x": 1.0}, {"a.x/core": point}) for point in points))
    peers = tuple(Peer(name, {"a.x/core": Measured(300.0, (1.0, 2.0, 3.0, 4.0))}) for name in rows.TIMES_LESS)
    found = Race((trial,) * 3, peers, (Stratum("fast", ("a.x",), ("a.x",), ("a.x/core",)),), 12)
    made = rows.speed_rows(found)
    assert [row.what for row in made] == [
        f"wall time against {peer.name}, {reading.words}" for peer in reversed(peers) for reading in READINGS
    ]
    assert all(f"{300 / (1 + 12 * 1.1):.1f} times less" in row.measured for row in made)


@pytest.mark.parametrize(("cost", "met"), [(1.5, True), (2.5, False)])
def test_a_turn_is_judged_by_the_median(cost: float, met: bool) -> None:
    """One disturbed trial moves nothing."""
    assert rows.turn_row([cost, cost, 400.0, cost, cost]).met is met


@pytest.mark.parametrize(("seconds", "gibibytes", "met"), [(4.0, 0.5, True), (6.0, 0.5, False), (4.0, 1.5, False)])
def test_scale_is_judged_by_time_and_memory(seconds: float, gibibytes: float, met: bool) -> None:
    """All steps together, and the peak."""
    assert rows.scale_row({"plan": seconds, "collect": seconds, "peak": gibibytes * 2**30}).met is met


@pytest.mark.parametrize(
    ("cells", "seconds", "megabytes", "gibibytes", "met"),
    [
        *((32, 4, 2, 9, True), (32, 6, 2, 1, False), (32, 4, 4, 1, False)),
        *((1000, 50, 90, 1.9, True), (1000, 70, 1, 1, False), (1000, 50, 1, 2.1, False)),
    ],
)
def test_a_page_is_judged_by_time_and_size_or_memory(
    cells: int, seconds: float, megabytes: float, gibibytes: float, met: bool
) -> None:
    """A usual one by its size, as people load it; a huge one by what it takes to make it."""
    cost = {"seconds": seconds, "bytes": megabytes * 1e6, "peak": gibibytes * 2**30}
    assert rows.page_row(cells, cost).met is met


@pytest.mark.parametrize(("share", "met"), [(0.801, True), (0.799, False)])
def test_the_timed_share_has_its_target(share: float, met: bool) -> None:
    """Four fifths."""
    assert rows.share_row(share).met is met


def test_a_table_says_what_is_met() -> None:
    """Each target on a line."""
    found = [Row("a", "1", "2", met=True), Row("b", "1", "2", met=False), rows.ELSEWHERE]
    text = rows.table(["what", "measured", "target", ""], [row.cells() for row in found])
    assert "| a | 1 | 2 | met |" in text
    assert "| b | 1 | 2 | not met |" in text
    assert "selftest-stats" in text
