"""The shell that joins the parts. Each command returns an exit code or raises a CtkmatrixError."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from ctkmatrix import (
    announce,
    bursts,
    comparing,
    comparisonview,
    counting,
    device,
    envs,
    interrupts,
    journal,
    machine,
    prepare,
    provenance,
    pyperf_files,
    render,
    results,
    stopping,
)
from ctkmatrix import job as jobs
from ctkmatrix import measure as measuring
from ctkmatrix.errors import EnvironmentFailed, Exit, NotComparable
from ctkmatrix.model import Metric, Status
from ctkmatrix.progress import Display
from ctkmatrix.store import Run, Store

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from ctkmatrix import plan as plans
    from ctkmatrix.envs import Environment
    from ctkmatrix.job import Job, Place
    from ctkmatrix.model import Cell, Results, Sample

    Only = Mapping[int, Collection[tuple[str, str]]]
    """By the number of a round or heap: (cell id, case id)."""


@dataclass(frozen=True, slots=True)
class Options:
    """What nox's sessions tell a command: ids of the cells to take (all, where empty); where to write the cells of a plan."""

    only: tuple[str, ...] = ()
    cells_to: Path | None = None


def plan(place: Place, options: Options, words: Sequence[str]) -> Exit:
    """Say what will be done: cells, cases, device, download size, expected time."""
    job = jobs.load(place, options.only, words)
    announce_to(Display(), place, job)
    if options.cells_to:
        options.cells_to.write_text("\n".join(cell.id for cell in job.cells), encoding="utf-8")
    return Exit.PASSED


def measure(place: Place, options: Options, words: Sequence[str]) -> Exit:
    """Measure the selected cells in interleaved rounds and render one report, also of a run that was interrupted."""
    job, display, store = jobs.load(place, options.only, words), Display(), Store(place.reports)
    began = time.perf_counter()
    announce_to(display, place, job)
    run = job.earlier.run if job.earlier else begin(store, place, job)
    run.hold()
    if job.earlier:
        run.mend()
    display.say(f"run {run.id}")
    interrupted = True
    try:
        if environments := _environments(place, job, run, built_before=bool(options.only)):
            measure_cells(place, job, run, display, environments)
        interrupted = False
    finally:
        found = put_away(store, run, job, time.perf_counter() - began, interrupted=interrupted)
        if not interrupted or any(one.time or one.count for one in found.fields):
            for line in announce.after(found, str(run.page / "index.html")):
                display.say(line)
    return Exit.PASSED if found.manifest.status == "complete" else Exit.INCOMPLETE


def count(place: Place, options: Options, words: Sequence[str]) -> Exit:
    """Count instructions instead of measuring time: the same in all else."""
    return measure(place, options, [*words, f"--metric={Metric.INSTRUCTIONS}"])


def report(place: Place, _options: Options, words: Sequence[str]) -> Exit:
    """Render the page of a run again, the latest or the one that *words* name, or compare two sides."""
    asked = comparing.parse(words)
    if asked.compare:
        found, page = comparing.compare(place, asked.compare)
        print(*comparisonview.in_short(found), page, sep="\n")
        return Exit.PASSED
    run = Store(place.reports).find(asked.run)
    print(render_page(run, run.results(), place.reports))
    return Exit.PASSED


def announce_to(display: Display, place: Place, job: Job) -> None:
    """Say what will be done."""
    for line in announce.before(place, job):
        display.say(line)


def begin(store: Store, place: Place, job: Job) -> Run:
    """Make a new run, with its plan and the machine in its journal."""
    run = store.create()
    run.append(
        journal.Began(
            run=run.id,
            at=now(),
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
        _measure_all(measurer, display, job.processes(results.collect(run.records()).began.seed, timed))
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


def _setups(
    place: Place, job: Job, run: Run, display: Display, environments: Mapping[str, Environment]
) -> dict[str, measuring.Setup]:
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


def _environments(place: Place, job: Job, run: Run, *, built_before: bool) -> dict[str, Environment]:
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


def _rounds(job: Job, run: Run, display: Display, setups: dict[str, measuring.Setup]) -> None:
    seed = results.collect(run.records()).began.seed
    measurer = _measurer(job, run, display, setups)
    if burst := bursts.settle(measurer, job.cases):
        display.say(f"asynchronous cases run {provenance.drained(burst)}")
    began = time.perf_counter()
    _measure_all(measurer, display, job.processes(seed))
    limit = job.profile.seconds_limit * len(setups)
    for number in range(job.profile.processes, job.profile.max_processes):
        timed = [case for case in job.cases if case.unit == "time"]
        fields = results.fields(results.collect(run.records()), timed)
        wide = stopping.too_wide(job.profile, fields)
        if not wide or time.perf_counter() - began > limit:
            break
        display.say(f"round {number + 1}: {announce.count(len(wide), 'interval')} of cases still wider than asked for")
        _measure_all(measurer, display, job.processes(seed, {number: wide}))


def _measurer(job: Job, run: Run, display: Display, setups: dict[str, measuring.Setup]) -> measuring.Measurer:
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


def put_away(store: Store, run: Run, job: Job, seconds: float, *, interrupted: bool) -> Results:
    """End a *run* that took *seconds*, so that nothing of it is lost; no signal disturbs that. Returns its results."""
    interrupts.ignore()
    run.append(journal.Paused(at=now(), interrupted=interrupted, wall=seconds))
    return publish(store, run, job)


def publish(store: Store, run: Run, job: Job) -> Results:
    """Derive from the journal everything that people read: results, pyperf files, page; return the results."""
    records = run.records()
    found = results.collect(records)
    whole = results.assemble(found, job.cases, job.matrix.excluded, job.matrix.target, job.matrix.margins)
    run.write_results(whole, pyperf_suites(results.samples(records), whole))
    render_page(run, whole, store.directory)
    if found.points or found.counted or whole.manifest.status != "interrupted":  # one without numbers hides no earlier one
        store.point_latest(run)
    return whole


def render_page(run: Run, whole: Results, reports: Path) -> Path:
    """Write the page of a *run* and return its path, with the end of the log of every cell of which something failed."""
    failed = [result.cell.id for result in whole.cells if result.outcome.status is not Status.MEASURED]
    return render.write(whole, run.page, reports, run.last_words(failed))


def pyperf_suites(samples: Mapping[results.Key, Sequence[Sample]], whole: Results) -> dict[str, bytes]:
    """Return the pyperf file of every cell that has a measured field, by cell id."""
    timed = {case.id for case in whole.cases if case.unit == "time"}  # pyperf knows no shares: results.json has them
    measured = sorted((one.cell, one.case, one.variant) for one in whole.fields if one.time and one.case in timed)
    return {
        cell: pyperf_files.suite(
            {(case, variant): samples[cell, case, variant] for _, case, variant in fields},
            metadata(whole, cell),
        )
        for cell, fields in groupby(measured, key=lambda key: key[0])
    }


def metadata(whole: Results, cell: str) -> dict[str, str]:
    """Return what every run in a cell's pyperf file carries, under pyperf's own names where it has one."""
    manifest = whole.manifest
    provenance = next(one.provenance for one in whole.cells if one.cell.id == cell)
    python = provenance.get("python")
    return {
        "python_version": str(python["version"]) if isinstance(python, dict) else "unknown",
        "cpu_model_name": str(manifest.machine["cpu"]),
        "hostname": str(manifest.machine["id"]),
        "ctkmatrix_cell": cell,
        "ctkmatrix_run": manifest.run,
        "ctkmatrix_device": f"{manifest.device_kind} {manifest.device['name']}",
    } | ({"ctkmatrix_burst": str(manifest.burst.length)} if manifest.burst else {})


def now() -> str:
    """Return the time of day, ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
