"""Flags: each is raised where it should be and not where it should not, on known distributions with fixed seeds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pynvml
import pytest

from ctkmatrix import flags, journal
from ctkmatrix.model import Burst, Case, Cell, Estimate, Field, Flag, Outcome, Profile, Status
from ctkmatrix.stats import estimate
from tests.test_journal import BEGAN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TRIALS = 500
CLEAN = 0.97
"""Of clean data sets so many raise nothing."""

FOUND = 0.9
"""Of data sets that show what a flag tells of, so many raise it."""

CELL = Cell("13.5", "3.14", "13.5.0", "1.2.2")
CASE = Case("launch.empty", "Launch.", (), asynchronous=True)
ADAPTIVE = Profile("standard", 12, 5, 0.01, 60, max_processes=30)
GPU = msgspec.structs.replace(
    BEGAN, device={"kind": "gpu"}, profile=ADAPTIVE, machine={"governor": "performance"}, cells=(CELL,), cases={CASE.id: "1"}
)
IDENTITY = {"python": {"optimised": "yes"}}
H200_MODES = (7605, 7572, 7611, 7762, 7951, 12912, 14040, 12654, 13945, 12450, 13556, 8342)
"""ns of ``launch.16_pointers``/``bindings`` in twelve processes on an H200's host."""


def normal(random: np.random.Generator, count: int = 12, spread: float = 0.02) -> list[float]:
    """Return *count* processes around 1 µs."""
    return list(random.normal(1e-6, spread * 1e-6, count))


def share(raises: Callable[[list[float]], bool], make: Callable[[np.random.Generator], list[float]]) -> float:
    """Return in how many of all trials *raises* holds of what *make* makes."""
    random = np.random.default_rng(20260301)
    return sum(raises(make(random)) for _ in range(TRIALS)) / TRIALS


def drifts(points: Sequence[float]) -> bool:
    """Whether *points*, one a round, drift."""
    return flags.drifting(range(len(points)), points)


def field(points: Sequence[float], overhead: Estimate | None = None) -> Field:
    """Return a measured field of *points*."""
    return Field(CELL.id, CASE.id, "bindings", Outcome(Status.MEASURED), estimate(points), overhead)


def of(points: Sequence[float], began: journal.Began = GPU, **more: Any) -> set[Flag]:
    """Return the flags of a field of *points*."""
    alone = flags.of_points(range(len(points)), points)
    return {*alone, *flags.of_field(field(points, more.get("overhead")), more.get("native"), CASE, began)}


@pytest.mark.parametrize("count", [4, 8, 12, 30])
@pytest.mark.parametrize("raises", [flags.noisy, flags.bimodal, drifts])
def test_clean_data_raise_nothing(raises: Callable[[list[float]], bool], count: int) -> None:
    """Normal, 2 %: what quiet machines show."""
    assert 1 - share(raises, lambda random: normal(random, count)) >= CLEAN


def test_clean_fields_have_no_flag() -> None:
    """All flags that processes' values raise together, over the trials; a width that misses its target is a fact."""
    assert share(lambda points: not of(points) - {Flag.TARGET_NOT_REACHED}, normal) >= CLEAN


def test_a_spread_beyond_a_tenth_is_noisy() -> None:
    """20 % is; one process in eight at twice the time is an outlier and is not."""
    assert share(flags.noisy, lambda random: normal(random, spread=0.2)) >= FOUND
    assert not flags.noisy([*[1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01] * 2, 2.0, 2.0])


def test_two_modes_are_told_from_one_broad_one() -> None:
    """Modes at 1 and 1.4 are found; even a spread of 15 %, or a long tail, has one mode."""
    assert share(flags.bimodal, lambda random: normal(random, 8) + [1.4 * point for point in normal(random, 4)]) >= FOUND
    assert share(flags.bimodal, lambda random: normal(random, spread=0.15)) <= 1 - CLEAN
    assert share(flags.bimodal, lambda random: list(random.lognormal(0, 0.1, 20))) <= 1 - CLEAN


def test_the_two_modes_of_a_real_gpu_host_are_found() -> None:
    """Seven processes near 7.7 µs, five near 13 µs."""
    assert flags.bimodal(H200_MODES)
    assert Flag.BIMODAL in of([point * 1e-9 for point in H200_MODES])


def test_single_processes_are_no_mode() -> None:
    """One far process, or two of twenty, are outliers; beside two real modes they hide nothing; two processes have none."""
    assert not flags.bimodal([*[1.0, 1.01, 0.99, 1.02] * 3, 2.0])
    assert not flags.bimodal([*[1.0, 1.01, 0.99] * 6, 2.0, 2.01])
    assert flags.bimodal([1.0, 1.01, 0.99, 1.02, 1.0, 1.5, 1.51, 1.5, 9.0])
    assert not flags.bimodal([1.0, 2.0])


def test_a_drift_is_found() -> None:
    """10 % from the first round to the last, within noise of 2 %; a move of 1 % is of no consequence, however steady."""
    assert share(drifts, lambda random: [p * (1 + 0.1 * n / 11) for n, p in enumerate(normal(random))]) >= FOUND
    assert not drifts([1 + 0.01 * n / 11 for n in range(12)])
    assert drifts([1 - 0.05 * n / 11 for n in range(12)])


def test_a_drift_needs_eight_processes_and_values_that_differ() -> None:
    """Seven in perfect order are too few; constant values and processes of one round have no order."""
    assert not drifts([1 + 0.1 * n for n in range(7)])
    assert drifts([1 + 0.1 * n for n in range(8)])
    assert not drifts([1.0] * 12)
    assert not flags.drifting([0] * 12, [1 + 0.1 * n for n in range(12)])


def test_values_are_set_against_their_own_rounds() -> None:
    """A steady rise is a drift."""
    assert Flag.DRIFT in of([1e-6 * (1 + 0.1 * n / 11) for n in range(12)])


@pytest.mark.parametrize(
    ("python", "native", "full"), [(20.4, 20.0, True), (20.0, 20.4, True), (22.0, 20.0, False), (9.0, 9.0, False)]
)
def test_times_that_agree_may_be_the_gpu_s(python: float, native: float, full: bool) -> None:
    """Both above 10 µs and within 5 %; on a GPU and in an asynchronous case alone, and only beside a twin."""
    assert flags.queue_full(python * 1e-6, native * 1e-6) is full
    points, twin = [python * 1e-6] * 12, estimate([native * 1e-6] * 12)
    assert (Flag.QUEUE_FULL in of(points, native=twin)) is full
    assert Flag.QUEUE_FULL not in of(points)
    assert Flag.QUEUE_FULL not in of(points, msgspec.structs.replace(GPU, device={"kind": "null"}), native=twin)
    synchronous = replace(CASE, asynchronous=False)
    assert Flag.QUEUE_FULL not in flags.of_field(field(points), twin, synchronous, GPU)


def test_a_burst_that_is_not_proven_is_told() -> None:
    """Of asynchronous cases alone, and only where something kept the length from being chosen by agreement."""
    chosen, measured = Burst(64, CELL.id), field([1e-6] * 12)
    unproven = replace(chosen, reason="none could be measured: crashed: SIGSEGV")
    assert Flag.BURST_UNPROVEN in flags.of_field(measured, None, CASE, GPU, unproven)
    assert Flag.BURST_UNPROVEN not in flags.of_field(measured, None, CASE, GPU, chosen)
    assert Flag.BURST_UNPROVEN not in flags.of_field(measured, None, replace(CASE, asynchronous=False), GPU, unproven)


def test_a_target_that_was_not_reached_is_told() -> None:
    """By the overhead's interval, else the time's, and no interval at all; only where a profile adds processes."""
    points, wide = [1e-6, 1.001e-6] * 6, Estimate(5e-7, 4e-7, 6e-7, ())
    assert of(points) == set()
    assert of(points, overhead=wide) == {Flag.TARGET_NOT_REACHED}
    assert of([1e-6]) == {Flag.TARGET_NOT_REACHED}
    assert of([1e-6, 1.08e-6] * 3) == {Flag.TARGET_NOT_REACHED}
    fixed = msgspec.structs.replace(GPU, profile=replace(ADAPTIVE, max_processes=12))
    assert of(points, fixed, overhead=wide) == set()


def test_what_was_not_measured_has_no_flag() -> None:
    """A failed field has no number to weaken."""
    failed = Field(CELL.id, CASE.id, "core", Outcome(Status.FAILED, "why"))
    assert flags.of_field(failed, None, CASE, GPU) == ()


SHAPES: tuple[Callable[[np.random.Generator, int], np.ndarray], ...] = (
    lambda random, count: random.normal(1e-6, 2e-8, count),
    lambda random, count: random.normal(1e-6, 1e-7, count),
    lambda random, count: random.lognormal(0, 0.3, count),
    lambda random, count: random.integers(4, 7, count).astype(float),
    lambda random, count: np.where(random.random(count) < 0.3, 1.4, 1.0) * random.normal(1e-6, 1e-8, count),
    lambda random, count: random.normal(1e-6, 2e-8, count) * (1 + 0.1 * np.arange(count) / count),
    lambda random, count: (random.normal(100, 1, count) * (1 - 0.04 * np.arange(count) / count)).round(),
    lambda _, count: np.zeros(count),
)
"""Quiet, noisy, skewed, tied, with two modes, drifting, drifting with ties, and no time at all."""


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 9, 12, 20])
def test_no_flag_is_missed_without_a_closer_look(count: int) -> None:
    """Whatever the shape, also where rounds came in another order or came twice: what is no suspect has no flag."""
    random = np.random.default_rng(count)
    rows = np.array([shape(random, count) for shape in SHAPES for _ in range(200)])
    for order in (np.arange(count), random.permutation(count), np.arange(count) // 2):
        rounds = np.broadcast_to(order, rows.shape)
        suspects = flags.suspect(rounds, rows)
        quiet = zip(rounds[~suspects].tolist(), rows[~suspects].tolist(), strict=True)
        assert {flags.of_points(*one) for one in quiet} <= {()}
    assert count == 1 or suspects.any()


def test_few_clean_fields_are_looked_at_closer() -> None:
    """That is what it is for: of normal data, 2 %, two in a hundred."""
    random = np.random.default_rng(20260301)
    suspects = flags.suspect(np.tile(np.arange(20), (5000, 1)), random.normal(1e-6, 2e-8, (5000, 20)))
    assert 0 < suspects.mean() < 0.02


def lives(*readings: tuple[dict[str, Any], dict[str, Any]]) -> tuple[list[journal.Opened], list[journal.Closed]]:
    """Return the records of workers with these readings at their starts and ends."""
    opened = [
        journal.Opened(cell=CELL.id, process=n, round=n, cpu=0, padding=0, identity=IDENTITY, telemetry=start)
        for n, (start, _) in enumerate(readings)
    ]
    closed = [
        journal.Closed(cell=CELL.id, process=n, lifetime=4.0, looped=3.0, telemetry=end) for n, (_, end) in enumerate(readings)
    ]
    return opened, closed


def steady(**gpu: Any) -> dict[str, Any]:
    """Return a reading of a GPU at its highest clock, or as *gpu* has it."""
    return {"gpu": {"sm_clock": 1980, "throttle_reasons": 0, **gpu}}


def of_cell(*readings: tuple[dict[str, Any], dict[str, Any]], began: journal.Began = GPU) -> set[Flag]:
    """Return the flags of a cell whose workers gave these readings."""
    return set(flags.of_cell(CELL, began, None, *lives(*readings)))


def test_a_quiet_cell_has_no_flag() -> None:
    """Locked clocks, the governor performance, nobody else; a cell of which no worker opened has none either."""
    assert of_cell((steady(processes=1), steady(processes=0))) == set()
    assert of_cell() == set()


@pytest.mark.parametrize(
    ("reasons", "raised"),
    [
        (pynvml.nvmlClocksThrottleReasonNone, False),
        (pynvml.nvmlClocksThrottleReasonGpuIdle, False),
        (pynvml.nvmlClocksThrottleReasonApplicationsClocksSetting, False),
        (pynvml.nvmlClocksThrottleReasonSwPowerCap, True),
        (pynvml.nvmlClocksThrottleReasonHwSlowdown, True),
        (pynvml.nvmlClocksThrottleReasonSwThermalSlowdown | pynvml.nvmlClocksThrottleReasonGpuIdle, True),
        (1 << 40, True),
        ("Not Supported", False),
    ],
)
def test_throttling_is_told_from_idleness_and_choice(reasons: object, raised: bool) -> None:
    """By NVML's reasons at any reading; one that NVML refuses says nothing."""
    assert (Flag.THROTTLED in of_cell((steady(), steady(throttle_reasons=reasons)))) is raised


def test_throttling_between_two_readings_is_counted() -> None:
    """NVML's counters grow; where they stand still, or are refused, nothing is raised."""
    before, after = steady(power_violation=5, thermal_violation=0), steady(power_violation=6, thermal_violation=0)
    assert Flag.THROTTLED in of_cell((before, after))
    assert Flag.THROTTLED not in of_cell((before, before), (after, after))
    assert Flag.THROTTLED not in of_cell((steady(power_violation="Not Supported"), steady(power_violation=9)))


def idle(**gpu: Any) -> journal.Began:
    """Return a run that began on a GPU with these readings."""
    return msgspec.structs.replace(GPU, device={"kind": "gpu", "telemetry": {"gpu": gpu}})


def test_clocks_that_move_are_not_locked() -> None:
    """While measuring, or from idleness to load; an applications clock that somebody chose may rest while idle."""
    assert Flag.CLOCKS_UNLOCKED in of_cell((steady(), steady(sm_clock=1755)))
    assert Flag.CLOCKS_UNLOCKED not in of_cell((steady(), steady(sm_clock=1965)))
    assert Flag.CLOCKS_UNLOCKED in of_cell((steady(), steady()), began=idle(sm_clock=345))
    chosen = idle(sm_clock=345, applications_clock=1500, applications_clock_default=1980)
    assert Flag.CLOCKS_UNLOCKED not in of_cell((steady(sm_clock=1500), steady(sm_clock=1500)), began=chosen)
    assert Flag.CLOCKS_UNLOCKED in of_cell(({}, {}))


def test_the_governor_is_performance_or_flagged() -> None:
    """Unknown counts as not."""
    for governor, raised in (("performance", False), ("schedutil", True), ("unknown", True)):
        began = msgspec.structs.replace(GPU, machine={"governor": governor})
        assert (Flag.GOVERNOR in of_cell((steady(), steady()), began=began)) is raised


def with_cpu(others: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return readings of a worker of ten seconds that was busy all the time, beside *others* CPUs."""
    start, end = {"busy": 50.0, "ours": 7.0, "clock": 100.0}, {"busy": 60.0 + 10 * others, "ours": 17.0, "clock": 110.0}
    return steady() | {"cpu": start}, steady() | {"cpu": end}


def test_others_on_the_cpus_are_told_from_ourselves() -> None:
    """Half a CPU on average is too much; one process in eight may be disturbed, as the estimator bears."""
    assert Flag.OTHER_LOAD in of_cell(with_cpu(0.6))
    assert Flag.OTHER_LOAD not in of_cell(with_cpu(0.3))
    assert Flag.OTHER_LOAD not in of_cell(with_cpu(0.6), *[with_cpu(0.0)] * 7)
    assert Flag.OTHER_LOAD in of_cell(with_cpu(0.6), with_cpu(0.6), *[with_cpu(0.0)] * 7)


def test_others_on_the_gpu_are_told_from_ourselves() -> None:
    """One process is ours at a worker's start, none at its end."""
    for start, end, raised in ((1, 0, False), (0, 0, False), (2, 0, True), (1, 1, True), ("Not Supported", 0, False)):
        assert (Flag.OTHER_LOAD in of_cell((steady(processes=start), steady(processes=end)))) is raised


def test_the_null_driver_has_no_gpu_to_flag() -> None:
    """Whatever the telemetry holds."""
    began = msgspec.structs.replace(GPU, device={"kind": "null"})
    assert of_cell((steady(), steady(sm_clock=345, throttle_reasons=8)), began=began) == {Flag.NULL_DRIVER}
