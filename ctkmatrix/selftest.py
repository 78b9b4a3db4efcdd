"""The harness measures itself: two environments of one cell against each other, and against known slow-downs.

``nox -s selftest-stats`` runs it. Everything goes through the real workers, plan and verdicts, over the null driver. Its journals
are kept in ``docs/evidence/data/``, and ``docs/evidence/selftest-stats.md`` is written from them.
"""

from __future__ import annotations

import argparse
import dataclasses
import lzma
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ctkmatrix import bursts, collected, device, envs, journal, machine, matrix, plan, prepare, runs
from ctkmatrix import job as jobs
from ctkmatrix import measure as measuring
from ctkmatrix.evidence import BURNS, FIRST_CASES, ROUNDS, TOO_SLOW, page
from ctkmatrix.model import DEFAULT_MARGINS, Profile
from ctkmatrix.progress import Display
from ctkmatrix.standalone import standalone
from ctkmatrix.store import Store, replace
from ctkmatrix.workers import MAX_PADDING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctkmatrix.journal import Record
    from ctkmatrix.model import Case, Cell
    from ctkmatrix.protocol import Setup

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "evidence" / "selftest-stats.md"
DATA = ROOT / "docs" / "evidence" / "data"
"""The journals that the page is made from."""

PLACES = ("a", "b-in-a-place-whose-path-is-a-good-deal-longer")
"""Names of the directories of the two environments: another length of path is another memory layout."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The cell in its two environments, and all that its workers need."""

    place: jobs.Place
    cell: Cell
    cases: tuple[Case, ...]
    setups: dict[str, Setup]
    """By environment, ``a`` or ``b``."""
    job: jobs.Job


def bench(display: Display, cell: Cell | None = None, words: Sequence[str] = ("--device", "null")) -> Bench:
    """Make both environments of *cell*, or the newest, one after the other, and the rest. Raises CtkmatrixError."""
    place = jobs.Place(ROOT)
    cell = cell or matrix.newest(matrix.load(ROOT / "matrix.toml").cells)
    job = jobs.load(place, [cell.id], words)
    workshop = prepare.Workshop(ROOT, place.build, device.NULL, display.say)
    setups = {}
    for name in PLACES:
        environment = envs.ensure(cell, place.build / "selftest" / name)
        baselines = workshop.baselines({cell.toolkit: environment})[cell.toolkit]
        libcuda = str(workshop.null_driver(job.newest_toolkit))
        setups[name[0]] = workshop.setup(cell, environment, baselines, libcuda)
        time.sleep(1)  # another time of building, also for file systems that count in seconds
    return Bench(place, cell, suited(job.cases), setups, job)


def suited(cases: Iterable[Case]) -> tuple[Case, ...]:
    """Return those of *cases* that the proof is made with, as all of them would take hours: the first set, but the slow one."""
    return tuple(case for case in cases if case.id in FIRST_CASES and case.id != TOO_SLOW)


def measure(made: Bench, display: Display, burns: Mapping[str, int], profile: Profile) -> list[Record]:
    """Measure the cell under each label of *burns* (its first letter names the environment); return the journal."""
    cells = {label: dataclasses.replace(made.cell, label=label) for label in burns}
    setups = {
        cells[label].id: dataclasses.replace(made.setups[label[0]], cell=cells[label], burn=burn) for label, burn in burns.items()
    }
    job = dataclasses.replace(made.job, cells=tuple(cells.values()), cases=made.cases, profile=profile)
    run = runs.begin(Store(made.place.reports), made.place, job)
    display.say(f"run {run.id}: {', '.join(burns)}; {profile.processes} rounds")
    measurer = measuring.Measurer(run, device.NULL, profile, setups, display.advance)
    processes = list(
        plan.rounds(job.cells, job.cases, profile, device="null", seed=seed_of(run.records()), max_padding=MAX_PADDING)
    )
    bursts.settle(measurer, job.cases)
    began = time.perf_counter()
    with display.measuring(sum(len(process.blocks) for process in processes)):
        for process in processes:
            measurer.measure(process)
    run.append(journal.Paused(at=machine.now(), interrupted=False, wall=time.perf_counter() - began))
    return run.records()


def seed_of(records: Sequence[Record]) -> int:
    """Return the seed of a run."""
    return collected.collect(records).began.seed


def main(words: Sequence[str]) -> None:
    """Measure, judge, and write the evidence; or write it again from the journals that lie beside it."""
    parser = argparse.ArgumentParser(prog="nox -s selftest-stats --", description="Measure how often a verdict is wrong.")
    parser.add_argument("--aa-sets", type=int, default=10, help="sets of 12 rounds for false alarms (10: 1,040 comparisons)")
    parser.add_argument("--burn-sets", type=int, default=3, help="sets of 12 rounds for each known slow-down (3)")
    parser.add_argument("--again", action="store_true", help="measure nothing: judge the journals in docs/evidence/data again")
    own = [word for word in words if word != "--"]
    asked = parser.parse_args(own)
    display = Display()
    if not asked.again:
        measure_all(bench(display), display, asked.aa_sets, asked.burn_sets)
        (DATA / "command").write_text(" ".join(["nox -s selftest-stats", *(["--", *own] if own else [])]), encoding="utf-8")
    replace(PAGE, from_data().encode())
    display.say(str(PAGE))


def measure_all(made: Bench, display: Display, aa_sets: int, burn_sets: int) -> None:
    """Measure both runs and keep their journals beside the evidence."""
    light = Profile("light", aa_sets * ROUNDS, 3, 0.003, 60, aa_sets * ROUNDS)
    keep("aa", measure(made, display, {"a1": 0, "a2": 0, "b1": 0, "b2": 0}, light))
    count = burn_sets * ROUNDS
    standard = dataclasses.replace(made.job.matrix.profile("standard"), processes=count, max_processes=count)
    keep("burn", measure(made, display, {f"b{burn}": burn for burn in BURNS}, standard))


def keep(name: str, records: Sequence[Record]) -> None:
    """Write a journal beside the evidence, compressed, without the paths of the machine that it is from."""
    lines = [journal.encode(without_paths(record)) for record in records if not isinstance(record, journal.Prepared)]
    replace(DATA / f"{name}.jsonl.xz", lzma.compress(b"".join(lines), preset=9))


def without_paths(record: Record) -> Record:
    """Return *record* with what identifies its worker but where that lay."""
    if not isinstance(record, journal.Opened):
        return record
    python = {key: record.identity["python"][key] for key in ("version", "minor", "build", "free_threaded", "optimised")}
    return msgspec.structs.replace(record, identity={"python": python, "packages": record.identity["packages"]})


def from_data() -> str:
    """Return the evidence that the journals beside it give."""
    aa, burn = (journal.decode(lzma.decompress((DATA / f"{name}.jsonl.xz").read_bytes())) for name in ("aa", "burn"))
    return page(aa, burn, DEFAULT_MARGINS, (DATA / "command").read_text(encoding="utf-8"))


if __name__ == "__main__":
    with standalone():
        main(sys.argv[1:])
