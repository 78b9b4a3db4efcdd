"""One cell over the null driver, made ready and measured by our own means, each step with the seconds that it took."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ctkmatrix import bursts, collected, envs, journal, machine, matrix, plan, prepare, publish, runs
from ctkmatrix import job as jobs
from ctkmatrix import measure as measuring
from ctkmatrix.evidence import FIRST_CASES
from ctkmatrix.selfbench import race
from ctkmatrix.store import Run, Store

if TYPE_CHECKING:
    from ctkmatrix.job import Job, Place
    from ctkmatrix.model import Profile

ROOT = Path(__file__).parents[2]


class Stamping(Run):
    """A run that remembers when each record was written."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.stamped: list[race.Stamped] = []

    def append(self, record: journal.Record) -> None:
        """Put *record* into the journal and stamp it."""
        super().append(record)
        self.stamped.append((time.perf_counter(), record))


class Bench:
    """A new run of the newest cell, the first cases, ready to be measured; the standard profile where none is given."""

    def __init__(self, place: Place, profile: Profile | None = None, processes: int | None = None) -> None:
        began = time.perf_counter()
        cell = matrix.newest(matrix.load(place.root / "matrix.toml").cells)
        loaded = jobs.load(place, [cell.id], ["--device", "null"])
        chosen = profile or loaded.profile
        seed = measuring.new_seed()
        first = tuple(case for case in loaded.cases if case.id in FIRST_CASES)
        counted = replace(chosen, processes=processes or chosen.processes)
        self.job: Job = replace(loaded, cases=first, profile=counted, seed=seed)
        self._store = Store(place.build / "selfbench")
        self._run = Stamping(runs.begin(self._store, place, self.job).directory)
        workshop = prepare.Workshop(place.root, place.build, self.job.device, tell)
        environment = envs.ensure(cell, place.build)
        baselines = workshop.baselines({cell.toolkit: environment})[cell.toolkit]
        libcuda = str(workshop.null_driver(self.job.newest_toolkit))
        self._run.append(prepare.record(cell, environment, baselines, libcuda))
        self.setup = workshop.setup(cell, environment, baselines, libcuda)
        self._processes = self.job.processes(seed)
        self._measurer = measuring.Measurer(self._run, self.job.device, self.job.profile, {cell.id: self.setup}, _ignore)
        bursts.settle(self._measurer, self.job.cases)
        self._ready = time.perf_counter() - began

    @property
    def burst(self) -> int:
        """Turns between two drains of an asynchronous case."""
        return self._measurer.burst

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """All that can run over the null driver, ``<case>/<variant>``."""
        return tuple(f"{case.id}/{variant}" for case in self.job.cases for variant in plan.variants_of(case, "null"))

    def records(self) -> list[journal.Record]:
        """Return the run's journal so far."""
        return self._run.records()

    def trial(self) -> race.Trial:
        """Measure everything and render the page. Raises MachineError where a case was lost or failed."""
        starting = program_start()
        rounds = race.rounds(*self._measure())
        publishing = time.perf_counter()
        publish.publish(self._store, self._run, self.job)
        return race.Trial(self._run.id, starting + self._ready + time.perf_counter() - publishing, rounds)

    def timed_share(self) -> float:
        """Measure everything; return the share of the workers' lives, spawn to exit, that was spent inside timed loops."""
        self._measure()
        found = collected.collect(self.records())
        return found.looped / found.lifetime

    def _measure(self) -> tuple[float, list[race.Stamped]]:
        """Measure all processes; return when that began, and what was written since."""
        self._run.stamped.clear()
        began = time.perf_counter()
        for process in self._processes:
            self._measurer.measure(process)
        stamped = list(self._run.stamped)
        self._run.append(journal.Paused(at=machine.now(), interrupted=False, wall=time.perf_counter() - began))
        return began, stamped


def program_start() -> float:
    """Return the seconds that starting the program takes, which this process has behind it."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import ctkmatrix.__main__"], cwd=ROOT, check=True)
    return time.perf_counter() - began


def tell(line: str) -> None:
    """Say what is going on, at once."""
    print(line, flush=True)


def _ignore(_units: float, _what: str) -> None:
    """Show no progress: its lines would disturb what is measured."""
