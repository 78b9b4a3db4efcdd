"""The peer in `nox -s selfbench`: one benchmark at a time by `pyperf.Runner`, in a cell's own interpreter."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyperf

from ctkmatrix import workers
from ctkmatrix.errors import MachineError
from ctkmatrix.protocol import opening
from ctkmatrix.selfbench import race

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctkmatrix.selfbench.bench import Bench

ROOT = Path(__file__).parents[2]
RUNNER = Path(__file__).with_name("runner.py")

FLAGS = {"pyperf --fast": ("--fast",), "pyperf": ()}
"""pyperf's own flags by the name of the peer; the one that is less exact first."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What pyperf gave: its wall time in seconds, and the median of each of its processes, seconds a turn."""

    wall: float
    points: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Peer:
    """pyperf under one set of flags, on a sample of the benchmarks."""

    name: str
    measured: Mapping[str, Measured]

    @property
    def halves(self) -> dict[str, float]:
        """Half the width of each benchmark's 95 % interval over process medians, seconds a turn."""
        return {benchmark: race.half(one.points) for benchmark, one in self.measured.items()}

    def wall(self, strata: Iterable[race.Stratum]) -> float:
        """Return the seconds of wall time for all benchmarks of *strata*: in each, the sampled ones' mean for every one."""
        return sum(
            statistics.fmean(self.measured[benchmark].wall for benchmark in stratum.chosen) * len(stratum.benchmarks)
            for stratum in strata
        )


def provide(packages: Path, python: Path) -> None:
    """Put a copy of pyperf, compiled by *python*, into *packages*: the cell's own environment stays as it is."""
    shutil.copytree(Path(pyperf.__file__).parent, packages / "pyperf", ignore=shutil.ignore_patterns("__pycache__", "tests"))
    subprocess.run([str(python), "-m", "compileall", "-q", str(packages)], check=True)


def measure(bench: Bench, benchmark: str, flags: Sequence[str], packages: Path) -> Measured:
    """Measure *benchmark* of *bench*, ``<case>/<variant>``, with ``pyperf.Runner`` under its command-line *flags*.

    packages
        Where ``provide`` has put pyperf.

    Raises MachineError where pyperf fails.
    """
    setup = bench.setup
    with tempfile.TemporaryDirectory() as directory:
        output = Path(directory, "pyperf.json")
        variables = {**setup.variables, "CTK_SELFBENCH": json.dumps(request(bench, benchmark, packages))}
        command = [str(setup.python), str(RUNNER), "--quiet", "--output", str(output), *flags]
        launch = workers.Launch(setup.python, output, variables, padding=0)
        began = time.perf_counter()
        done = subprocess.run(
            [*command, f"--inherit-environ={','.join(variables)}"],
            env=workers.environment(launch, os.environ),
            capture_output=True,
            text=True,
            check=False,
        )
        wall = time.perf_counter() - began
        if done.returncode:
            raise MachineError(f"pyperf could not measure {benchmark}: {done.stderr.strip() or done.stdout.strip()}")
        return Measured(wall, medians(pyperf.Benchmark.load(str(output))))


def request(bench: Bench, benchmark: str, packages: Path) -> dict[str, object]:
    """Return what ``runner.py`` is told; ``open`` is what a worker is opened with, but for the pinning to a CPU."""
    case, _, variant = benchmark.partition("/")
    path = [str(ROOT), str(packages)]
    opened = opening(bench.setup, bench.job.device)
    return {"path": path, "case": case, "variant": variant, "burst": bench.burst, "open": opened}


def medians(benchmark: pyperf.Benchmark) -> tuple[float, ...]:
    """Return the median of the values of every process that has any: one that calibrates has none."""
    return tuple(statistics.median(run.values) for run in benchmark.get_runs() if run.values)
