"""Bursts: the choice of their length, on made-up times, and its measuring, in real workers."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from ctkmatrix import bursts, device, envs, interpreters, journal, matrix, prepare
from ctkmatrix.errors import EnvironmentFailed
from ctkmatrix.measure import Measurer
from ctkmatrix.model import Burst, BurstTime, Case, Cell, Matrix, Profile, Variant
from ctkmatrix.plan import rounds
from ctkmatrix.protocol import Setup, open_worker
from ctkmatrix.store import Run, Store
from ctkmatrix.workers import Launch, WorkerProcess
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ctkmatrix.job import Place
    from tests.conftest import Bench

NONE = {"reason": "none"}
"""A toolkit that gave no native baselines."""

LAUNCH = Case("launch.empty", "", (Variant("native", ()), Variant("bindings", ())), asynchronous=True)
IDLE = Case("loop.empty", "", (Variant("native", ()), Variant("python", ())))
PROFILE = Profile("test", processes=1, values=2, seconds_per_value=0.0005, block_limit=30)


def times(**ratios: tuple[float, float]) -> list[BurstTime]:
    """Return times of both cases by length: a launch takes 4 µs in few turns, and so many times as long in many."""
    return [
        BurstTime(int(length.removeprefix("of_")), case, {100: 4e-6, 10_000: 4e-6 * ratio})
        for length, both in ratios.items()
        for case, ratio in zip(bursts.CASES, both, strict=True)
    ]


@pytest.mark.parametrize(
    ("ratios", "length"),
    [
        ({"of_512": (1.0, 1.0), "of_256": (1.0, 1.0)}, 512),
        ({"of_512": (1.0, 1.3), "of_256": (1.0, 1.04), "of_128": (1.0, 1.0)}, 256),
        ({"of_512": (1.2, 1.0), "of_256": (1.0, 0.9), "of_128": (0.96, 1.04), "of_64": (1.0, 1.0)}, 128),
        ({"of_512": (1.06, 1.0), "of_64": (1.0, 1.0)}, 64),
    ],
)
def test_the_longest_whose_times_agree_is_chosen(ratios: dict[str, tuple[float, float]], length: int) -> None:
    """For both cases, within 5 %, slower or faster in many turns; a shorter one that agrees better does not count."""
    found = bursts.choose("c", "native", times(**ratios))
    assert found == Burst(length, "c", "native", tuple(times(**ratios)))


def test_where_none_agrees_the_shortest_is_taken_and_that_is_said() -> None:
    """With the times that say so."""
    found = bursts.choose("c", "native", times(of_512=(1.5, 1.5), of_256=(1.0, 1.3), of_64=(1.2, 1.0)))
    assert found.length == 64
    assert found.reason == "in none does a launch take as long in 100 turns as in 10\N{NARROW NO-BREAK SPACE}000"
    assert len(found.times) == 6


def test_what_takes_no_time_agrees_but_for_the_clock() -> None:
    """Over the null driver reading the clock is more than 5 % of a launch, and fills no queue."""
    assert bursts.agrees(BurstTime(512, "launch.empty", {100: 2e-9, 10_000: 1.6e-9}))
    assert not bursts.agrees(BurstTime(512, "launch.empty", {100: 2e-9, 10_000: 15e-9}))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A new run."""
    return Store(tmp_path).create()


def setup_of(bench: Bench, **changes: Any) -> Setup:
    """Return what workers of *bench* are started with, but for *changes*."""
    return dataclasses.replace(bench.workshop.setup(bench.cell, bench.environment, bench.baselines, bench.libcuda), **changes)


def measurer(setup: Setup, run: Run) -> Measurer:
    """Return a measurer of one cell over the null driver."""
    return Measurer(run, device.NULL, PROFILE, {setup.cell.id: setup}, lambda _units, _what: None)


@pytest.mark.slow
@pytest.mark.parametrize(("native", "variant"), [(None, "native"), ({"native": NONE}, "bindings"), ({}, "bindings")])
def test_a_worker_measures_it(newest_bench: Bench, run: Run, native: dict[str, Any] | None, variant: str) -> None:
    """Natively, or by cuda.bindings where there is no baseline: both cases at both numbers of turns, in the journal too."""
    made = measurer(setup_of(newest_bench, **({} if native is None else {"native": native})), run)
    found = bursts.settle(made, [LAUNCH])
    assert found is not None
    assert (found.cell, found.variant, made.burst) == (newest_bench.cell.id, variant, found.length)
    assert found.length in bursts.LENGTHS
    assert [one.case for one in found.times[:2]] == list(bursts.CASES)
    assert all(tuple(one.seconds) == bursts.TURNS and min(one.seconds.values()) > 0 for one in found.times)
    assert run.records() == [journal.Settled(burst=found)]


@pytest.mark.slow
def test_it_is_settled_once_and_every_block_is_told(newest_bench: Bench, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A measurer that goes on from the journal has its burst, measures none again, and asks workers for that one."""
    run.append(journal.Settled(burst=Burst(32, "c")))
    made = measurer(setup_of(newest_bench), run)
    made.recall(run.records())
    assert made.burst == 32
    assert bursts.settle(made, [LAUNCH]) is None
    asked = recorded(monkeypatch)
    for process in rounds([newest_bench.cell], [LAUNCH, IDLE], PROFILE, device="null", seed=1, max_padding=1):
        made.measure(process)
    assert [one["burst"] for one in asked if one["op"] == "block"] == [32, 32]
    assert sum(isinstance(one, journal.Settled) for one in run.records()) == 1


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return a list that every request to a worker will be added to, on its way."""
    asked: list[dict[str, Any]] = []
    ask: Callable[..., dict[str, Any]] = WorkerProcess.ask

    def told(self: WorkerProcess, request: dict[str, Any], limit: float) -> dict[str, Any]:
        asked.append(request)
        return ask(self, request, limit)

    monkeypatch.setattr(WorkerProcess, "ask", told)
    return asked


@pytest.mark.slow
def test_without_an_asynchronous_case_nothing_is_measured(newest_bench: Bench, run: Run) -> None:
    """No time is spent and no record is written; nor where no cell can be measured."""
    made = measurer(setup_of(newest_bench), run)
    assert bursts.settle(made, [IDLE]) is None
    made.setups = {}
    assert bursts.settle(made, [LAUNCH]) is None
    assert not (run.directory / "journal.jsonl").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"libcuda": "/gone/libcuda.so.1"}, "cannot open shared object file"),
        ({"cases": ROOT / "tests" / "bad_cases"}, "launch.empty"),
        ({"python": ROOT / "gone"}, "cannot be started"),
        ({"cell": Cell("13.5", "3.14", "13.0.3", "1.2.2")}, "where 13.0.3 was asked for"),
    ],
    ids=["no driver", "no such case", "no interpreter", "another cell"],
)
def test_a_failure_loses_no_run(newest_bench: Bench, run: Run, change: dict[str, Any], reason: str) -> None:
    """The shortest length is taken, and why is written down."""
    made = measurer(setup_of(newest_bench, **change), run)
    found = bursts.settle(made, [LAUNCH])
    assert found is not None
    assert found.length == made.burst == min(bursts.LENGTHS)
    assert found.reason.startswith("none could be measured: ")
    assert reason in found.reason
    assert run.records() == [journal.Settled(burst=found)]


def test_a_cell_with_native_baselines_is_chosen(newest_bench: Bench) -> None:
    """The newest that has any, or else the newest: Python is too slow to fill the queue soonest."""
    having, lacking = setup_of(newest_bench), setup_of(newest_bench, native={"native": NONE})
    assert bursts.chosen({"a": having, "b": lacking}) is having
    assert bursts.chosen({"a": lacking, "b": having}) is having
    last = dataclasses.replace(lacking, burn=1)
    assert bursts.chosen({"a": lacking, "b": last}) is last


def here(asked: Matrix) -> set[str]:
    """Return the Pythons of *asked* that this machine has."""
    found = set()
    for version in {cell.python for cell in asked.cells}:
        with contextlib.suppress(EnvironmentFailed):
            interpreters.find(version)
            found.add(version)
    return found


@pytest.mark.gpu
@pytest.mark.slow
def test_on_a_gpu_a_launch_takes_as_long_in_few_turns_as_in_many(place: Place, default_matrix: Matrix, tmp_path: Path) -> None:
    """Within 5 %, in every variant of both cases, in bursts of the length that is chosen there, in the newest cell it has."""
    gpu = device.find("gpu")
    workshop = prepare.Workshop(place.root, place.build, gpu, print)
    cell = matrix.newest(cell for cell in default_matrix.cells if cell.python in here(default_matrix))
    environment = envs.ensure(cell, place.build)
    baselines = workshop.baselines({cell.toolkit: environment})[cell.toolkit]
    setup = workshop.setup(cell, environment, baselines, gpu.libcuda)
    chosen = bursts.find(setup, gpu, tmp_path / "log")
    assert not chosen.reason
    with WorkerProcess(Launch(setup.python, tmp_path / "log", setup.variables, padding=0)) as worker:
        open_worker(worker, setup, gpu, bursts.LIMIT)
        found = {variant: bursts.ask(worker, variant, chosen.length) for variant in ("native", "bindings", "core")}
    assert not {variant: times for variant, times in found.items() if not all(map(bursts.agrees, times))}
