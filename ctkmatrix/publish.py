"""A run is put away: from its journal everything that people read is derived and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctkmatrix import collected, interrupts, journal, machine, pyperf_files, render, results
from ctkmatrix.model import Status

if TYPE_CHECKING:
    from pathlib import Path

    from ctkmatrix.job import Job
    from ctkmatrix.model import Results
    from ctkmatrix.store import Run, Store


def put_away(store: Store, run: Run, job: Job, seconds: float, *, interrupted: bool) -> Results:
    """End a *run* that took *seconds*, so that nothing of it is lost; no signal disturbs that. Returns its results."""
    interrupts.ignore()
    run.append(journal.Paused(at=machine.now(), interrupted=interrupted, wall=seconds))
    return publish(store, run, job)


def publish(store: Store, run: Run, job: Job) -> Results:
    """Derive from the journal everything that people read: results, pyperf files, page; return the results."""
    records = run.records()
    found = collected.collect(records)
    whole = results.assemble(found, job.cases, job.matrix.excluded, job.matrix.target, job.matrix.margins)
    run.write_results(whole, pyperf_files.suites(collected.samples(records), whole))
    render_page(run, whole, store.directory)
    if found.points or found.counted or whole.manifest.status != "interrupted":  # one without numbers hides no earlier one
        store.point_latest(run)
    return whole


def render_page(run: Run, whole: Results, reports: Path) -> Path:
    """Write the page of a *run* and return its path, with the end of the log of every cell of which something failed."""
    failed = [result.cell.id for result in whole.cells if result.outcome.status is not Status.MEASURED]
    return render.write(whole, run.page, reports, run.last_words(failed))
