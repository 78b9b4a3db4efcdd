"""How far counts of equal things lie apart: two environments of one cell, counted in alternation; ``nox -s selftest-count``.

The journal is kept in ``docs/evidence/data/``, and ``docs/evidence/count.md`` is written from it.
"""

from __future__ import annotations

import argparse
import dataclasses
import lzma
import sys
import time
from typing import TYPE_CHECKING

from ctkmatrix import counting, device, journal, machine, matrix, plan, runs, selftest
from ctkmatrix.count_evidence import page
from ctkmatrix.job import Place
from ctkmatrix.model import Metric
from ctkmatrix.progress import Display
from ctkmatrix.standalone import standalone
from ctkmatrix.store import Store, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGE = selftest.PAGE.with_name("count.md")
NAME = "count"


def measure(display: Display) -> list[journal.Record]:
    """Count both environments of each cell in alternation; return the journal. Raises CtkmatrixError."""
    setups, job, place = {}, None, Place(selftest.ROOT)
    cells = matrix.load(place.root / "matrix.toml").cells
    for cell in (matrix.newest(cells), cells[0]):  # the oldest: another interpreter, another line of bindings
        made = selftest.bench(display, cell, [f"--metric={Metric.INSTRUCTIONS}"])
        for label, setup in made.setups.items():
            labelled = dataclasses.replace(cell, label=label)
            setups[labelled.id] = dataclasses.replace(setup, cell=labelled)
        job = made.job
    assert job is not None  # noqa: S101 -- there is always a newest cell
    job = dataclasses.replace(job, cells=tuple(setup.cell for setup in setups.values()))
    assert job.counter is not None  # noqa: S101 -- this metric finds it, or raises
    run = runs.begin(Store(place.reports), place, job)
    display.say(f"run {run.id}: {', '.join(setups)}")
    counter = counting.Counter(run, device.NULL, job.counter, setups, display.advance)
    processes = list(plan.heaps(job.cells, job.cases, plan.COUNT.processes))
    began = time.perf_counter()
    with display.measuring(sum(len(process.blocks) for process in processes)):
        counter.count(processes)
    run.append(journal.Paused(at=machine.now(), interrupted=False, wall=time.perf_counter() - began))
    return run.records()


def from_data() -> str:
    """Return the evidence that the journal beside it gives."""
    records = journal.decode(lzma.decompress((selftest.DATA / f"{NAME}.jsonl.xz").read_bytes()))
    return page(records, matrix.load(selftest.ROOT / "matrix.toml").margins, "nox -s selftest-count")


def main(words: Sequence[str]) -> None:
    """Count, judge, and write the evidence; or write it again from the journal that lies beside it."""
    parser = argparse.ArgumentParser(prog="nox -s selftest-count --", description="Count equal things against each other.")
    parser.add_argument("--again", action="store_true", help="count nothing: judge the journal in docs/evidence/data again")
    asked, display = parser.parse_args([word for word in words if word != "--"]), Display()
    if not asked.again:
        selftest.keep(NAME, measure(display))
    replace(PAGE, from_data().encode())
    display.say(str(PAGE))


if __name__ == "__main__":
    with standalone():
        main(sys.argv[1:])
