"""The shell that joins the parts. Each command returns an exit code or raises a CtkmatrixError."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctkmatrix import announce, comparing, comparisonview, publish, runs
from ctkmatrix import job as jobs
from ctkmatrix.errors import Exit
from ctkmatrix.model import Metric
from ctkmatrix.progress import Display
from ctkmatrix.store import Store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ctkmatrix.job import Job, Place


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
    run = job.earlier.run if job.earlier else runs.begin(store, place, job)
    run.hold()
    if job.earlier:
        run.mend()
    display.say(f"run {run.id}")
    interrupted = True
    try:
        if environments := runs.environments(place, job, run, built_before=bool(options.only)):
            runs.measure_cells(place, job, run, display, environments)
        interrupted = False
    finally:
        found = publish.put_away(store, run, job, time.perf_counter() - began, interrupted=interrupted)
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
    print(publish.render_page(run, run.results(), place.reports))
    return Exit.PASSED


def announce_to(display: Display, place: Place, job: Job) -> None:
    """Say what will be done."""
    for line in announce.before(place, job):
        display.say(line)
