"""`nox -s selfbench` as a command: what is chosen, the real pieces in small, and that nothing else depends on it."""

from __future__ import annotations

import pytest

from ctkmatrix import job, journal
from ctkmatrix.errors import UsageError
from ctkmatrix.model import Case, Profile, Variant
from ctkmatrix.selfbench import __main__ as selfbench
from ctkmatrix.selfbench import document, race, rows, scale, turn
from ctkmatrix.selfbench.bench import Bench
from ctkmatrix.selfbench.peer import FLAGS, Measured, Peer
from tests.conftest import ROOT
from tests.test_layers import imported

CASES = (
    *(Case(name, "", (Variant("core", ()),)) for name in (*selfbench.SAMPLE, "x.y")),
    Case("slow.one", "", (Variant("core", ()),), seconds_per_turn=0.03),
)
BENCHMARKS = tuple(f"{case.id}/core" for case in CASES)


@pytest.mark.parametrize(
    ("given", "chosen"), [([], selfbench.SAMPLE), (["--all"], (*selfbench.SAMPLE, "x.y")), (["--case", "x.y"], ("x.y",))]
)
def test_what_pyperf_measures_is_chosen(given: list[str], chosen: tuple[str, ...]) -> None:
    """A sample, everything, or what is named; what is not there is told."""
    assert tuple(selfbench.choose(selfbench.parser().parse_args(given), CASES)) == chosen
    with pytest.raises(UsageError, match=r"x\.z"):
        selfbench.choose(selfbench.parser().parse_args(["--case", "x.z"]), CASES)


def test_slow_cases_are_a_stratum_of_their_own_and_always_measured() -> None:
    """What 26 ms a turn need says nothing about nanoseconds."""
    fast, slow = selfbench.strata(CASES, BENCHMARKS, ["x.y"])
    assert (slow.cases, slow.sampled, slow.chosen) == (("slow.one",), ("slow.one",), ("slow.one/core",))
    assert fast.sampled == ("x.y",)
    assert set(fast.benchmarks) | set(slow.benchmarks) == set(BENCHMARKS)


def test_the_scale_is_of_real_work() -> None:
    """Two cells go through plan, results and verdicts, and every step takes time."""
    cost = scale.run(2)
    assert cost["peak"] > 2**20
    assert min(cost[step] for step in ("plan", "assemble", "judge")) > 0
    assert "collect" in cost  # the making of the records is taken off, which leaves next to nothing of so few


def test_the_two_loops_are_timed_in_turn() -> None:
    """As many differences as trials, each far below what a call for every turn would add."""
    found = list(turn.trials(3, 100_000))
    assert len(found) == 3
    assert sorted(found)[1] < 200


def test_the_evidence_says_what_it_was_made_of() -> None:
    """Every benchmark with both sides' widths, and the processes that ours took to be as narrow, or that they did not do."""
    points = [1e-9 * point for point in [1.0, 1.1, 0.9] * 6]
    trial = race.Trial("one", 1.0, tuple(race.Round(0.1, {"x.y": 1.0}, {"x.y/core": point}) for point in points))
    wide, narrow = (Measured(9.0, tuple(1e-9 * point for point in each)) for each in ((1, 2, 3), (1, 1.0001, 1.0002)))
    peers = tuple(Peer(name, {"x.y/core": one}) for name, one in zip(FLAGS, (wide, narrow), strict=True))
    found = rows.Race((trial, trial), peers, (race.Stratum("fast", ("x.y",), ("x.y",), ("x.y/core",)),), 12)
    text = document.details(found, selfbench.RACE)
    assert "1 of the 1 fast benchmarks (x.y)" in text
    assert f"| x.y/core | ± {trial.half('x.y/core', 3) * 1e9:.3f} |" in text
    assert "| 12, 12 | > 18, > 18 |" in text


@pytest.mark.slow
def test_a_trial_s_seconds_add_up() -> None:
    """A real run: every case in every round, and the parts of the rounds are what the run took from first to last."""
    bench = Bench(job.Place(ROOT), Profile("test", 2, 2, 0.0005, 60))
    found = bench.trial()
    paused = next(one for one in bench.records() if isinstance(one, journal.Paused))
    assert [set(one.blocks) for one in found.rounds] == [{case.id for case in bench.job.cases}] * 2
    assert all(set(one.points) == set(bench.benchmarks) for one in found.rounds)
    assert sum(one.around + sum(one.blocks.values()) for one in found.rounds) == pytest.approx(paused.wall, abs=0.02)


@pytest.mark.parametrize("cells", [rows.SMALL_PAGE, pytest.param(1000, marks=pytest.mark.slow)])
def test_rendering_keeps_within_its_time_size_and_memory(cells: int) -> None:
    """In a process of its own, as in the evidence; by the CPU's time, as other tests may run beside it."""
    cost = selfbench.rendering(cells)
    row = rows.page_row(cells, cost | {"seconds": cost["cpu"]})
    assert row.met, row.measured


def test_nothing_of_the_harness_imports_its_own_measurement() -> None:
    """It stands above all modules, like the command line."""
    for path in (ROOT / "ctkmatrix").glob("*.py"):
        assert not [name for name in imported(path) if name.startswith("selfbench")], path
