"""A run, carried out: begun, its cells measured and counted, by rounds and heaps, and again where that is wanted."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import msgspec

from ctkmatrix import (
    announce,
    bursts,
    collected,
    counting,
    device,
    envs,
    journal,
    machine,
    prepare,
    provenance,
    results,
    stopping,
)
from ctkmatrix import measure as measuring
from ctkmatrix.errors import EnvironmentFailed, NotComparable
from ctkmatrix.model import Metric

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ctkmatrix import plan as plans
    from ctkmatrix.envs import Environment
    from ctkmatrix.job import Job, Place
    from ctkmatrix.model import Cell
    from ctkmatrix.progress import Display
    from ctkmatrix.protocol import Setup
    from ctkmatrix.store import Run, Store

    Only = Mapping[int, Collection[tuple[str, str]]]
    """By the number of a round or heap: (cell id, case id)."""


def begin(store: Store, place: Place, job: Job) -> Run:
    """Make a new run, with its plan and the machine in its journal."""
    run = store.create()
    run.append(
        journal.Began(
            run=run.id,
            at=machine.now(),
            arguments=job.words,
            profile=job.profile,
            seed=measuring.new_seed() if job.seed is None else job.seed,
            cells=job.cells,
            cases={case.id: case.version for case in job.cases},
            device=asdict(job.device) | {"telemetry": machine.telemetry(job.device)},
            machine=machine.describe(),
            harness=machine.harness(place.root),
            orchestrator=machine.orchestrator(),
            metric=job.metric,
            counter={"valgrind": job.counter.version} if job.counter else {},
        )
    )
    return run


def measure_cells(place: Place, job: Job, run: Run, display: Display, environments: Mapping[str, Environment]) -> None:
    """Measure by the job's metric its cells that have an environment in *environments*, by cell id."""
    if job.metric is not Metric.INSTRUCTIONS:
        _rounds(job, run, display, _setups(place, job, run, display, environments))
    if job.counter:
        _count(place, job, run, display, environments, job.heaps())


def measure_again(  # noqa: PLR0913, PLR0917 -- as many facts as measuring has, and what is measured
    place: Place, job: Job, run: Run, display: Display, environments: Mapping[str, Environment], timed: Only, counted: Only
) -> None:
    """Measure in further processes of a *run*: by round, or heap, the (cell id, case id) whose times, or counts, are wanted."""
    if timed:
        measurer = _measurer(job, run, display, _setups(place, job, run, display, environments))
        _measure_all(measurer, display, job.processes(collected.collect(run.records()).began.seed, timed))
    if counted:
        _count(place, job, run, display, environments, job.heaps(counted))


def _count(  # noqa: PLR0913, PLR0917 -- as above
    place: Place,
    job: Job,
    run: Run,
    display: Display,
    environments: Mapping[str, Environment],
    planned: Sequence[plans.Process],
) -> None:
    """Count the instructions of those of the *planned* processes whose cells can be measured."""
    if job.counter is None:
        return
    setups = _setups(place, replace(job, device=device.NULL), run, display, environments)
    counter = counting.Counter(run, device.NULL, job.counter, setups, display.advance)
    counter.recall(run.records())
    heaps = [process for process in planned if process.cell.id in counter.setups]
    with display.measuring(sum(len(process.blocks) for process in heaps)):
        counter.count(heaps)


def _setups(place: Place, job: Job, run: Run, display: Display, environments: Mapping[str, Environment]) -> dict[str, Setup]:
    """Make what the workers of every cell that has an environment are started with on the job's device, by cell id."""
    cells = [cell for cell in job.cells if cell.id in environments]
    workshop = prepare.Workshop(place.root, place.build, job.device, display.say)
    baselines = workshop.baselines({cell.toolkit: environments[cell.id] for cell in cells})
    libcuda = job.device.libcuda or str(workshop.null_driver(job.newest_toolkit))
    setups = {}
    for cell in cells:
        made, baseline = environments[cell.id], baselines[cell.toolkit]
        _append_prepared(run, job, prepare.record(cell, made, baseline, libcuda))
        setups[cell.id] = workshop.setup(cell, made, baseline, libcuda)
    return setups


def _append_prepared(run: Run, job: Job, record: journal.Prepared) -> None:
    """Put *record* into the journal. Raises NotComparable where an earlier part of the run was measured with something else."""
    provenance = msgspec.json.decode(msgspec.json.encode(record.provenance))  # as a journal gives it back
    for before in job.earlier.records if job.earlier else ():
        if isinstance(before, journal.Prepared) and before.cell == record.cell and not before.reason:
            what = [key for key, value in provenance.items() if before.provenance.get(key) != value]
            if what:
                changed = f"{record.cell} was measured with another {' and '.join(what)}"
                raise NotComparable(f"run {run.id} cannot be resumed: {changed}; begin a new run")
    run.append(record)


def environments(place: Place, job: Job, run: Run, *, built_before: bool) -> dict[str, Environment]:
    """Return the environments of the job's cells, by cell id; the journal holds why others have none."""
    return {cell.id: made for cell in job.cells if (made := _environment(place, cell, run, built_before=built_before))}


def _environment(place: Place, cell: Cell, run: Run, *, built_before: bool) -> Environment | None:
    """Return the cell's environment, or put into the journal why there is none.

    Where the cells' own sessions ran before (*built_before*), their failures are not tried again.
    """
    reason = envs.failure(cell, place.build) if built_before else None
    if reason is None:
        try:
            return envs.ensure(cell, place.build)
        except EnvironmentFailed as error:
            reason = str(error)
    run.append(journal.Prepared(cell=cell.id, reason=reason))
    return None


def _rounds(job: Job, run: Run, display: Display, setups: dict[str, Setup]) -> None:
    seed = collected.collect(run.records()).began.seed
    measurer = _measurer(job, run, display, setups)
    if burst := bursts.settle(measurer, job.cases):
        display.say(f"asynchronous cases run {provenance.drained(burst)}")
    began = time.perf_counter()
    _measure_all(measurer, display, job.processes(seed))
    limit = job.profile.seconds_limit * len(setups)
    for number in range(job.profile.processes, job.profile.max_processes):
        timed = [case for case in job.cases if case.unit == "time"]
        fields = results.fields(collected.collect(run.records()), timed)
        wide = stopping.too_wide(job.profile, fields)
        if not wide or time.perf_counter() - began > limit:
            break
        display.say(f"round {number + 1}: {announce.count(len(wide), 'interval')} of cases still wider than asked for")
        _measure_all(measurer, display, job.processes(seed, {number: wide}))


def _measurer(job: Job, run: Run, display: Display, setups: dict[str, Setup]) -> measuring.Measurer:
    """Return a measurer that goes on from what the *run* holds."""
    measurer = measuring.Measurer(run, job.device, job.profile, setups, display.advance)
    measurer.recall(run.records())
    return measurer


def _measure_all(measurer: measuring.Measurer, display: Display, processes: Sequence[plans.Process]) -> None:
    """Measure those of *processes* whose cells can be measured."""
    left = [process for process in processes if process.cell.id in measurer.setups]
    with display.measuring(sum(len(process.blocks) for process in left)):
        for process in left:
            measurer.measure(process)
