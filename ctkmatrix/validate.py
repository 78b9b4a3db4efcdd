"""The shell of `nox -s validate`: a candidate and a reference -> measured side by side, judged, confirmed, decided, written."""

from __future__ import annotations

import fcntl
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ctkmatrix import (
    announce,
    collected,
    comparing,
    comparison,
    gate,
    machine,
    pairing,
    publish,
    results,
    runs,
    secondset,
    sides,
    stepsummary,
    store,
    validatejob,
    validationtext,
    verdicts,
)
from ctkmatrix.errors import Exit, MachineError
from ctkmatrix.judged import Side
from ctkmatrix.junit import junit
from ctkmatrix.model import Metric
from ctkmatrix.plaintext import one_line
from ctkmatrix.progress import Display
from ctkmatrix.store import Store
from ctkmatrix.unjudged import Unjudged, unjudged
from ctkmatrix.validation import Package, Validation, WheelFile, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ctkmatrix import journal
    from ctkmatrix.app import Options
    from ctkmatrix.comparison import Comparison
    from ctkmatrix.differences import Difference
    from ctkmatrix.envs import Environment
    from ctkmatrix.job import Job, Place
    from ctkmatrix.judged import Row
    from ctkmatrix.sides import Pair
    from ctkmatrix.store import Run
    from ctkmatrix.validatejob import Task


@dataclass(frozen=True, slots=True)
class Judged:
    """One set of processes: the two sides as they are compared, and what that came to."""

    reference: Side
    candidate: Side
    comparison: Comparison


def validate(place: Place, _options: Options, words: Sequence[str]) -> Exit:
    """Measure a candidate beside a reference and decide whether it passes; the exit code says what was decided."""
    display = Display()
    try:
        task = validatejob.load(place, words)
        for line in validatejob.told(task):
            display.say(line)
        with _alone(place.build / "validate", display):
            made = [sides.make(pair, place.build / "validate") for pair in task.planned]
            for planned, pair in zip(task.planned, made, strict=True):
                if pair.reason and not planned.reason:
                    display.say(f"Python {pair.python} is not judged: {one_line(pair.reason)}")
            ready = [pair for pair in made if not pair.reason]
            run = _measured(task, ready, display) if ready else None
        return Exit(_decided(task, made, ready, run, display))
    except KeyboardInterrupt:
        display.say("interrupted: there is no verdict; validate is not resumed, begin it again")
        return Exit.INTERRUPTED


@contextmanager
def _alone(directory: Path, display: Display) -> Iterator[None]:
    """Keep other invocations from remaking the environments in *directory* while they are measured; they wait, and say so."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        file = (directory / "lock").open("w", encoding="utf-8")
    except OSError as error:
        raise MachineError(f"{directory} cannot be made: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            display.say("another validate is at work in this checkout: waiting for its end")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _measured(task: Task, ready: Sequence[Pair], display: Display) -> Run:
    """Measure the pairs that are *ready*, and once more what is then suspected; what was measured is put away in any case."""
    environments = _environments(ready)
    job = _job(task, ready)
    reports = Store(task.place.reports)
    run = runs.begin(reports, task.place, job)
    display.say(f"run {run.id}")
    began, interrupted = time.perf_counter(), True
    try:
        if task.earlier:
            verdicts.refuse(task.earlier.results, _side(job, run.records()).results)
        runs.measure_cells(task.place, job, run, display, environments)
        _again(task, ready, run, display)
        interrupted = False
    finally:
        publish.put_away(reports, run, job, time.perf_counter() - began, interrupted=interrupted)
    return run


def _environments(ready: Sequence[Pair]) -> dict[str, Environment]:
    return {side.cell.id: side.environment for pair in ready for side in (pair.reference, pair.candidate) if side.environment}


def _job(task: Task, ready: Sequence[Pair]) -> Job:
    """Return the task's job for the cells that have an environment."""
    made = _environments(ready)
    return replace(task.job, cells=tuple(cell for cell in task.job.cells if cell.id in made))


def _again(task: Task, ready: Sequence[Pair], run: Run, display: Display) -> None:
    """Measure again, by fresh processes, what is suspected."""
    job = _job(task, ready)
    first, _ = _judged(task, ready, run)
    suspects = gate.suspects(first.comparison.rows, job.matrix.waivers, task.versions)
    if suspects:
        display.say(f"{announce.count(len(suspects), 'verdict')} «slower»: measured again by fresh processes")
    timed, counted = (secondset.wanted(suspects, metric, job.profile) for metric in (Metric.TIME, Metric.INSTRUCTIONS))
    runs.measure_again(task.place, job, run, display, _environments(ready), timed, counted)


def _judged(task: Task, ready: Sequence[Pair], run: Run) -> tuple[Judged, Judged]:
    """Judge the first set of processes of *run* and, by itself, the second."""
    job = _job(task, ready)
    together = pairing.by_axes([pair.reference.cell for pair in ready], [pair.candidate.cell for pair in ready])
    found = []
    for records in secondset.parted(run.records(), secondset.beginning(job.profile)):
        candidate = _side(job, records)
        reference = task.earlier or candidate
        compared = comparison.compare(reference, candidate, together, job.matrix.margins, job.metric)
        found.append(Judged(reference, candidate, compared))
    return found[0], found[1]


def _side(job: Job, records: Sequence[journal.Record]) -> Side:
    """Return what *records* hold, as a side."""
    found = collected.collect(records)
    whole = results.assemble(found, job.cases, (), job.matrix.target, job.matrix.margins)
    return Side(whole, partial(collected.by_round, found))


def _decided(task: Task, made: Sequence[Pair], ready: Sequence[Pair], run: Run | None, display: Display) -> int:
    """Decide, write the decision, tell it; return the exit code."""
    judged = _judged(task, ready, run) if run else None
    compared = judged[0].comparison if judged else None
    decision = gate.decide(
        _evidence(task, made, judged),
        gate.Terms(task.versions, task.job.matrix.waivers, task.words.fail_on, task.words.narrowed or task.earlier is not None),
    )
    found = Validation(
        packages=_packages(task, made),
        metrics=task.metrics,
        device_kind=task.job.device.kind,
        started=compared.candidate.started if compared else machine.now(),
        runs=tuple(dict.fromkeys(filter(None, (run.id if run else "", task.earlier.run if task.earlier else "")))),
        pairs=tuple((pair.reference.cell.id, pair.candidate.cell.id) for pair in ready),
        decision=decision,
        differences=_differences(task, compared) if compared else (),
        warnings=validatejob.left_out(task),
    )
    directory = task.place.reports / "validations" / (run.id if run else store.new_id())
    _write(found, compared, directory, task.place.root, display)
    return decision.exit


def _evidence(task: Task, made: Sequence[Pair], judged: tuple[Judged, Judged] | None) -> gate.Evidence:
    """Return what is decided by; a Python that could not be compared is never a pass."""
    without = tuple(Unjudged(f"Python {pair.python}", pair.reason) for pair in made if pair.reason)
    if judged is None:
        return gate.Evidence(task.metrics, (), incomplete=without)
    first, second = judged
    lost, gained = unjudged(first.comparison, first.reference.results, first.candidate.results)
    again: tuple[Row, ...] = second.comparison.rows
    return gate.Evidence(task.metrics, first.comparison.rows, again, (*without, *lost), gained)


def _packages(task: Task, made: Sequence[Pair]) -> tuple[Package, ...]:
    """Return the packages under test, with the wheels that were installed from files."""
    cell = made[0].reference.cell
    then = {"cuda-bindings": cell.bindings, "cuda-core": cell.core or ""}
    return tuple(
        Package(
            name,
            then[name],
            version,
            tuple(
                WheelFile(side.cell.label, pair.python, wheel.file, wheel.sha256)
                for pair in made
                for side in (pair.reference, pair.candidate)
                for wheel in side.wheels
                if wheel.package == name
            ),
        )
        for name, version in task.versions.items()
    )


def _differences(task: Task, compared: Comparison) -> tuple[Difference, ...]:
    """Return in what the sides differ besides the packages under test."""
    return tuple(one for one in compared.differences if one.group != "Packages" or one.what not in task.versions)


def _write(found: Validation, compared: Comparison | None, directory: Path, root: Path, display: Display) -> None:
    """Write all that the decision is told in, and tell it: the directory last."""
    if compared:
        comparing.write(compared, directory, validationtext.decided(found))
    page = str((directory / "index.html").relative_to(root)) if compared else ""
    summary = validationtext.markdown(found, page)
    store.replace(directory / "summary.md", summary.encode())
    store.replace(directory / "junit.xml", junit(found))
    store.replace(directory / "verdict.json", to_json(found))
    lines = [
        stepsummary.append(summary),
        validationtext.headline(found.decision),
        *(f"  {validationtext.name(one.row)}: {validationtext.in_words(one.row)}" for one in found.decision.regressions),
        *(f"  {one_line(f'{one.what}: {one.reason}')}" for one in found.decision.incomplete),
        *found.decision.faults,
        f"{directory}",
    ]
    for line in filter(None, lines):
        display.say(line)
