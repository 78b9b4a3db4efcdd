"""What `nox -s validate` is to do: its words -> a task, checked whole before anything is made, and said before it is done."""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ctkmatrix import announce, args, candidates, comparing, device, matrix, sideplan, validatewords, waivers
from ctkmatrix import job as jobs
from ctkmatrix.candidates import EarlierRun
from ctkmatrix.errors import NotComparable, UsageError
from ctkmatrix.flags import VERDICT_PROCESSES
from ctkmatrix.model import Metric
from ctkmatrix.store import Store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctkmatrix.candidates import Asked
    from ctkmatrix.job import Job, Place
    from ctkmatrix.judged import Side
    from ctkmatrix.model import Cell, Matrix
    from ctkmatrix.sideplan import PlannedPair
    from ctkmatrix.validatewords import Words


@dataclass(frozen=True, slots=True)
class Task:
    """What was asked for, checked whole before anything is made. ``earlier`` is the run that is the reference, if one is.

    The cells of ``job`` are those of every pair that can be tried.
    """

    place: Place
    words: Words
    asked: Asked
    planned: tuple[PlannedPair, ...]
    job: Job
    earlier: Side | None = None

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """What is judged by."""
        return (Metric.TIME, Metric.INSTRUCTIONS) if self.job.metric is Metric.BOTH else (self.job.metric,)

    @property
    def versions(self) -> dict[str, str]:
        """The candidate's version of each package under test."""
        return {given.package: given.version for given in self.asked.candidate}


def load(place: Place, words: Sequence[str]) -> Task:
    """Return what *words* ask for.

    Raises UsageError, MachineError, NotComparable where an earlier run will not do, and MatrixError where a waiver has expired.
    """
    said, loaded = validatewords.parse(words), matrix.load(place.root / "matrix.toml")
    arguments = _arguments(said, loaded)
    asked = candidates.read(said.candidate, said.reference, sideplan.pythons_of(loaded))
    earlier = _earlier(place, asked.reference, arguments.metric) if isinstance(asked.reference, EarlierRun) else None
    planned = _planned(loaded, said, asked, earlier)
    for fault in waivers.expired(loaded.waivers, {given.package: given.version for given in asked.candidate}):
        raise fault
    cells = [cell for pair in planned if not pair.reason for cell in _cells(pair)]
    job = jobs.of(place, loaded, cells, arguments, words)
    return Task(place, said, asked, planned, job, _only(earlier, job) if earlier and said.case else earlier)


def _arguments(said: Words, loaded: Matrix) -> args.Arguments:
    """Return how it is measured. Raises UsageError where a profile can judge nothing."""
    args.see_profile(said.profile, [profile.name for profile in loaded.profiles])
    metric = said.metric or (Metric.TIME if device.find(said.device).kind == "gpu" else Metric.INSTRUCTIONS)
    many = loaded.profile(said.profile).processes
    if metric != Metric.INSTRUCTIONS and many < VERDICT_PROCESSES:
        raise UsageError(
            f"--profile {said.profile}: {many} processes a side give no verdict on times, which takes {VERDICT_PROCESSES}: "
            "leave it out, or write --profile thorough"
        )
    return args.Arguments(case=said.case, metric=metric, profile=said.profile, device=said.device, seed=said.seed)


def _earlier(place: Place, named: EarlierRun, metric: str) -> Side:
    """Return the run that is the reference. Raises UsageError, and NotComparable where it holds nothing by *metric*."""
    run = Store(place.reports).find(named.run)
    found = run.results()
    wanted = {Metric.TIME, Metric.INSTRUCTIONS} if metric == Metric.BOTH else {Metric(metric)}
    if lacking := wanted - comparing.metrics(found):
        raise NotComparable(f"--reference {named.run}: run {run.id} has no {' and no '.join(sorted(lacking))} to compare with")
    return comparing.side(run, found)


def _only(side: Side, job: Job) -> Side:
    """Return *side* without the cases that the job does not measure."""
    own = {case.id for case in job.cases}
    cases = tuple(case for case in side.results.cases if case.id in own)
    fields = tuple(one for one in side.results.fields if one.case in own)
    return replace(side, results=replace(side.results, cases=cases, fields=fields))


def _planned(loaded: Matrix, said: Words, asked: Asked, earlier: Side | None) -> tuple[PlannedPair, ...]:
    machine = platform.machine()
    if isinstance(asked.reference, EarlierRun):
        had = earlier.results.cells if earlier else ()
        return sideplan.plan_beside(
            loaded, asked.candidate, asked.reference, had, machine, toolkit=said.toolkit, pythons=said.python
        )
    return sideplan.plan(loaded, asked.candidate, asked.reference, machine, toolkit=said.toolkit, pythons=said.python)


def _cells(pair: PlannedPair) -> list[Cell]:
    """Return the cells of *pair* that are to be measured."""
    return [side.cell for side in (pair.reference, pair.candidate) if side.packages is None]


def told(task: Task) -> list[str]:
    """Say what will be done."""
    names = [f"{one.package} {one.version}" for one in task.asked.candidate]
    then = task.asked.reference
    than = f"run {then.run}" if isinstance(then, EarlierRun) else ", ".join(f"{one.package} {one.version}" for one in then)
    return [
        f"candidate {', '.join(names)} against {than}",
        *announce.work(task.job),
        "  what is suspected is then measured once more, by processes of its own",
        *(f"  {warning}" for warning in left_out(task)),
        *(f"  Python {pair.python} is not judged: {pair.reason}" for pair in task.planned if pair.reason),
    ]


def left_out(task: Task) -> tuple[str, ...]:
    """Say which files of the given directories are not installed, and why."""
    then = () if isinstance(task.asked.reference, EarlierRun) else task.asked.reference
    return tuple(f"{file} {why}, and is left out." for given in (*task.asked.candidate, *then) for file, why in given.left_out)
