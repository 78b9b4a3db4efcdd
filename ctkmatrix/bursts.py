"""How many turns an asynchronous case takes between two drains: found by measuring, once a run, and the same for all its cells.

Where the launch queue fills, a launch waits for the GPU; where a drain comes too often, what the first launch after it takes
besides weighs in. In a burst of the right length a launch takes as long in few turns as in many.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from ctkmatrix import device as devices
from ctkmatrix import journal, machine, protocol
from ctkmatrix.model import Burst, BurstTime
from ctkmatrix.probe.registry import NATIVE
from ctkmatrix.quantities import number
from ctkmatrix.workers import OPEN_LIMIT, Launch, WorkerLost, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from ctkmatrix.device import Device
    from ctkmatrix.measure import Measurer
    from ctkmatrix.model import Case
    from ctkmatrix.protocol import Setup

CASES = ("launch.empty", "launch.512_doubles")
"""The least and the most that a launch puts into the queue: no argument, and 4 KiB of them."""

LENGTHS = (512, 256, 128, 64)
"""Candidates, the longest first: half of the launch queue's 1,024 places, and less where arguments fill it sooner."""

TURNS = (100, 10_000)

AGREEMENT = 0.05
CLOCK = 10e-9
"""Seconds. Reading the clock twice, by a hundred turns, is less: it matters to what takes no time, over the null driver."""

PAIRS = 9
"""Beside an H200, where no time depended on the turns, the median of ten pairs was at most 2 % off in 40 trials; the least of ten
single goes at each number of turns, of which the shorter find the quieter moments, was beyond 5 % in 12 of 40."""

LIMIT = 120.0
"""Seconds for one length: two natively on a GPU, twenty by cuda.bindings."""


def settle(measurer: Measurer, cases: Iterable[Case]) -> Burst | None:
    """Give *measurer* its burst and write it down; return it where it was found now.

    Nothing is measured where the run has a burst already, or where nothing asynchronous of *cases* can be measured.
    """
    if measurer.burst or not measurer.setups or not any(case.asynchronous for case in cases):
        return None
    setup = chosen(measurer.setups)
    found = find(setup, measurer.device, measurer.run.log(setup.cell.id))
    measurer.run.append(journal.Settled(burst=found))
    measurer.burst = found.length
    return found


def chosen(setups: Mapping[str, Setup]) -> Setup:
    """Return the last of *setups* that has native baselines, which fill the queue soonest; the last where none has."""
    having = [setup for setup in setups.values() if "path" in setup.native.get(NATIVE, {})]
    return (having or list(setups.values()))[-1]


def find(setup: Setup, device: Device, log: Path) -> Burst:
    """Measure in a worker of *setup*, which writes to *log*. The shortest length, and why, where that fails: no run is lost."""
    try:
        with WorkerProcess(Launch(setup.python, log, setup.variables, padding=0)) as worker:
            variant = _open(worker, setup, device)
            times = _until_one_agrees(worker, variant)
    except WorkerLost as lost:
        return Burst(min(LENGTHS), setup.cell.id, reason=f"none could be measured: {lost}")
    return choose(setup.cell.id, variant, times)


def _open(worker: WorkerProcess, setup: Setup, device: Device) -> str:
    """Make *worker* ready; return the variant to measure: that of ``cuda.bindings`` where there is no native one."""
    cpu = machine.least_loaded(devices.near_cpus(device, os.sched_getaffinity(0)))
    opened = protocol.open_worker(worker, setup, device, OPEN_LIMIT, cpu=cpu)
    return NATIVE if NATIVE in setup.native and NATIVE not in opened["unavailable"] else "bindings"


def _until_one_agrees(worker: WorkerProcess, variant: str) -> list[BurstTime]:
    """Return the times of one length after the other, the longest first, down to one whose times agree."""
    found: list[BurstTime] = []
    for length in LENGTHS:
        times = ask(worker, variant, length)
        found += times
        if all(map(agrees, times)):
            break
    return found


def ask(worker: WorkerProcess, variant: str, length: int) -> list[BurstTime]:
    """Return what each of the cases takes in bursts of *length*. Raises WorkerLost where that cannot be measured."""
    request = {"op": "burst", "cases": CASES, "variant": variant, "burst": length, "turns": TURNS, "pairs": PAIRS}
    answer = worker.ask(request, LIMIT)
    with protocol.making_sense():
        times = msgspec.convert(answer["times"], dict[str, dict[int, float]], str_keys=True)
    return [BurstTime(length, case, seconds) for case, seconds in times.items()]


def choose(cell: str, variant: str, times: Sequence[BurstTime]) -> Burst:
    """Return the longest length whose *times* all agree; the shortest, and that none does, where that is so."""
    lengths = {one.length for one in times}
    agreeing = lengths - {one.length for one in times if not agrees(one)}
    few, many = (number(turns, 9) for turns in TURNS)
    reason = "" if agreeing else f"in none does a launch take as long in {few} turns as in {many}"
    return Burst(max(agreeing, default=min(lengths)), cell, variant, tuple(times), reason)


def agrees(time: BurstTime) -> bool:
    """Whether a launch takes as long whatever the number of turns: within 5 %, or what reading the clock costs."""
    low, high = min(time.seconds.values()), max(time.seconds.values())
    return high - low <= max(AGREEMENT * low, CLOCK)
