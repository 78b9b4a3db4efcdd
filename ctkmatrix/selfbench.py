"""ctkmatrix measured by itself: ``python -m ctkmatrix.selfbench``, behind `nox -s selfbench`. Prints the ratios of one run.

A full run (without ``--processes``, ``--benchmark`` or ``--part``) also writes docs/evidence/selfbench.md.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyperf

from ctkmatrix import app, envs, journal, machine, matrix, plan, prepare, results, selfbench_pyperf, stats, stopping
from ctkmatrix import job as jobs
from ctkmatrix import measure as measuring
from ctkmatrix.errors import CtkmatrixError, MachineError, UsageError
from ctkmatrix.model import Profile
from ctkmatrix.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctkmatrix.job import Job, Place
    from ctkmatrix.store import Run

ROOT = Path(__file__).parent.parent
EVIDENCE = ROOT / "docs" / "evidence" / "selfbench.md"
PARTS = ("speed", "turn", "scale")

SAMPLE = (
    "event.create_destroy/native",
    "enum.member/bindings",
    "device.current/bindings",
    "memory.alloc_free/core",
    "launch.16_pointers/core",
    "nvrtc.compile/bindings",
)
"""What pyperf measures without ``--all``: a native twin, and Python from tens of nanoseconds to milliseconds a turn."""

PEERS = {"pyperf --fast": ("--fast",), "pyperf": ()}
"""pyperf's own flags by the name of the peer; the one that is less exact first."""

TIMES_LESS = {"pyperf": 20.0, "pyperf --fast": 8.0}
RACE = Profile("race", 20, 3, 0.003, 60, 20)
"""What runs against pyperf: as many processes, each with its start-up paid once for all cases, and short values. What a process
differs from the next is most of the noise, so many short processes give narrower intervals than few long ones."""

MOST_PROCESSES = 60
"""Where a benchmark's interval is still wider than pyperf's after so many processes, the target counts as missed."""

Points = dict[str, tuple[float, ...]]
"""By benchmark, ``<case>/<variant>``: the median of each process, seconds a turn."""


@dataclass(frozen=True, slots=True)
class Row:
    """A target, and what was measured; ``met`` is ``None`` where another command tells."""

    what: str
    measured: str
    target: str
    met: bool | None

    def cells(self) -> tuple[str, str, str, str]:
        """Return the texts of a table's row."""
        return self.what, self.measured, self.target, {True: "met", False: "not met", None: ""}[self.met]


@dataclass(frozen=True, slots=True)
class Peer:
    """What pyperf took under one set of flags, by benchmark."""

    name: str
    measured: Mapping[str, selfbench_pyperf.Measured]

    @property
    def halves(self) -> dict[str, float]:
        """Half the width of each benchmark's 95 % interval over process medians, seconds a turn."""
        return {benchmark: half(one.points) for benchmark, one in self.measured.items()}

    def wall(self, count: int) -> float:
        """Return the seconds of wall time for *count* benchmarks: what was measured, scaled by the count."""
        return sum(one.wall for one in self.measured.values()) * count / len(self.measured)


@dataclass(frozen=True, slots=True)
class Extra:
    """Further processes, in seconds of wall time: what they measured, and all else (a process starts once for any number)."""

    looped: float
    around: float

    def for_all(self, scale: float) -> float:
        """Return what they take for *scale* times as many benchmarks."""
        return self.around + self.looped * scale


@dataclass(frozen=True, slots=True)
class Ours:
    """What ctkmatrix took. Seconds of wall time.

    base
        The profile's processes of all benchmarks, from the start of the program to the page.
    extra
        By peer: the further processes until no interval is wider than the peer's; those of the peers before included.
    wider
        By peer: the benchmarks whose interval was wider even so.
    """

    run: str
    base: float
    share: float
    processes: int
    first: Points
    last: Points
    extra: Mapping[str, Extra]
    wider: Mapping[str, tuple[str, ...]]


def half(points: Sequence[float]) -> float:
    """Return half the width of the 95 % interval over *points*, process medians: the one function for both sides.

    Raises ValueError with fewer than two points.
    """
    found = stopping.half_width(stats.estimate(points))
    if found is None:
        raise ValueError("one process has no interval")
    return found


def wider(ours: Mapping[str, Sequence[float]], theirs: Mapping[str, float]) -> tuple[str, ...]:
    """Return the benchmarks of *theirs*, half-widths, whose interval is wider in *ours*, process medians."""
    return tuple(benchmark for benchmark, bound in theirs.items() if half(ours[benchmark]) > bound)


def points(records: Iterable[journal.Record]) -> Points:
    """Return the process medians of every benchmark in a journal."""
    found: dict[str, list[float]] = {}
    for record in records:
        if isinstance(record, journal.Measured):
            for variant, values in record.results.items():
                found.setdefault(f"{record.case}/{variant}", []).append(statistics.median(values.values))
    return {benchmark: tuple(medians) for benchmark, medians in found.items()}


def speed_row(ours: Ours, peer: Peer) -> Row:
    """Return how many times less ctkmatrix took than *peer* for all benchmarks, at an equal or narrower interval."""
    count, target = len(ours.first), TIMES_LESS[peer.name]
    theirs = peer.wall(count)
    mine = ours.base + ours.extra[peer.name].for_all(count / len(peer.measured))
    measured = f"{theirs / mine:.1f} times less: {mine:.0f} s against {theirs:.0f} s"
    if still := ours.wider[peer.name]:
        measured += f"; the interval stayed wider for {', '.join(still)}"
    what = f"wall time against {peer.name}, {count} benchmarks, equal or narrower intervals"
    return Row(what, measured, f"≥ {target:g} times less", theirs / mine >= target and not still)


def turn_row(trials: Sequence[float]) -> Row:
    """Return what a turn costs; *trials* in ns."""
    cost = statistics.median(trials)
    quarters = statistics.quantiles(trials)
    measured = f"{cost:.2f} ns (median of {len(trials)} trials; quartiles {quarters[0]:.2f} and {quarters[2]:.2f})"
    return Row("a turn of `loop` over a bare `repeat`", measured, "≤ 2 ns", cost <= 2)


def scale_row(cost: Mapping[str, float]) -> Row:
    """Return what planning and statistics cost: seconds by step, and ``peak`` in bytes."""
    steps = {step: seconds for step, seconds in cost.items() if step != "peak"}
    total, peak = sum(steps.values()), cost["peak"] / 2**30
    parts = ", ".join(f"{step} {seconds:.1f}" for step, seconds in steps.items())
    what = "planner and statistics, 1,000 cells of 100 cases, 20 processes"
    return Row(what, f"{total:.1f} s ({parts}), {peak:.2f} GiB", "< 10 s, < 1 GiB", total < 10 and peak < 1)


class Bench:
    """One cell over the null driver, ready to be measured, and the seconds that making it ready took."""

    def __init__(self, place: Place, processes: int | None, profile: Profile | None = None) -> None:
        self.place = place
        self._seconds = _import_seconds()
        began = time.perf_counter()
        cell = matrix.newest(matrix.load(place.root / "matrix.toml").cells)
        loaded = jobs.load(place, [cell.id], ["--device", "null"])
        chosen = profile or loaded.profile
        profile = replace(chosen, processes=processes or chosen.processes)
        self.seed = measuring.new_seed()
        self.job: Job = replace(loaded, profile=profile, seed=self.seed)
        self.store = Store(place.build / "selfbench")
        self.run: Run = app.begin(self.store, place, self.job)
        workshop = prepare.Workshop(place.root, place.build, self.job.device, _tell)
        environment = envs.ensure(cell, place.build)
        baselines = workshop.baselines({cell.toolkit: environment})[cell.toolkit]
        libcuda = str(workshop.null_driver(self.job.newest_toolkit))
        self.run.append(prepare.record(cell, environment, baselines, libcuda))
        self.setup = workshop.setup(cell, environment, baselines, libcuda)
        self._measurer = measuring.Measurer(self.run, self.job.device, profile, {cell.id: self.setup}, _ignore)
        self._rounds = profile.processes
        self._seconds += time.perf_counter() - began

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """All benchmarks that can run over the null driver."""
        return tuple(f"{case.id}/{variant}" for case in self.job.cases for variant in plan.variants_of(case, "null"))

    def measure(self, peers: Sequence[Peer]) -> Ours:
        """Measure everything, then what is wider than in *peers*, peer after peer. Raises MachineError on a failed case."""
        base = self._seconds + self._measure_all()
        records = self.run.records()
        first, found = points(records), results.collect(records)
        if lacking := [one for one in self.benchmarks if len(first.get(one, ())) < self.job.profile.processes]:
            raise MachineError(f"run {self.run.id} did not measure {', '.join(lacking)}: see its page")
        share = found.looped / found.lifetime
        extra, left = {}, {}
        for peer in peers:
            left[peer.name] = self._narrow(peer.halves)
            now = results.collect(self.run.records())
            looped = now.looped - found.looped
            extra[peer.name] = Extra(looped, now.lifetime - found.lifetime - looped)
        last = points(self.run.records())
        return Ours(self.run.id, base, share, self.job.profile.processes, first, last, extra, left)

    def _measure_all(self) -> float:
        began = time.perf_counter()
        for process in self.job.processes(self.seed):
            self._measurer.measure(process)
        self.run.append(journal.Paused(at=app.now(), interrupted=False, wall=time.perf_counter() - began))
        app.publish(self.store, self.run, self.job)
        return time.perf_counter() - began

    def _narrow(self, theirs: Mapping[str, float]) -> tuple[str, ...]:
        """Add processes of the cases whose interval is wider than *theirs*; return the benchmarks where that did not help."""
        while (wide := wider(points(self.run.records()), theirs)) and self._rounds < MOST_PROCESSES:
            cases = {(self.setup.cell.id, benchmark.partition("/")[0]) for benchmark in wide}
            for process in self.job.processes(self.seed, {self._rounds: cases}):
                self._measurer.measure(process)
            self._rounds += 1
        return wide


def _import_seconds() -> float:
    """Return what starting the program costs, which this process has behind it."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import ctkmatrix.__main__"], cwd=ROOT, check=True)
    return time.perf_counter() - began


def _tell(line: str) -> None:
    print(line, flush=True)


def _ignore(_units: float, _what: str) -> None:
    """Show no progress: its lines would disturb what is measured."""


def child(python: str | Path, *words: str) -> str:
    """Return what ``python WORDS`` prints, from the checkout's root."""
    return subprocess.run([str(python), *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def measure_peers(bench: Bench, chosen: Sequence[str], processes: int | None) -> list[Peer]:
    """Measure the *chosen* benchmarks by pyperf under each set of flags, or *processes* alone: --fast has its own number."""
    fewer = None if processes is None else (f"--processes={processes}",)
    with tempfile.TemporaryDirectory() as directory:
        packages = Path(directory)
        selfbench_pyperf.provide(packages, bench.setup.python)
        return [Peer(name, _measure_peer(bench, chosen, fewer or flags, packages)) for name, flags in PEERS.items()]


def _measure_peer(
    bench: Bench, chosen: Sequence[str], flags: Sequence[str], packages: Path
) -> dict[str, selfbench_pyperf.Measured]:
    measured = {}
    for benchmark in chosen:
        measured[benchmark] = selfbench_pyperf.measure(bench.setup, bench.job.device, benchmark, flags, packages)
        _tell(f"pyperf {' '.join(flags)}: {benchmark} took {measured[benchmark].wall:.1f} s")
    return measured


def speed(bench: Bench, chosen: Sequence[str], processes: int | None) -> tuple[list[Row], str]:
    """Return the rows on speed, and the text that says what they were made of."""
    peers = measure_peers(bench, chosen, processes)
    ours = bench.measure(peers)
    rows = [speed_row(ours, peer) for peer in reversed(peers)]
    share = Bench(bench.place, processes).measure([]).share
    what = "wall time of workers, spawn to exit, inside timed loops (standard profile)"
    rows.append(Row(what, f"{share:.1%}", "≥ 80 %", share >= 0.8))
    return rows, details(ours, peers)


def details(ours: Ours, peers: Sequence[Peer]) -> str:
    """Return in Markdown what was measured how, and the half-widths of each benchmark."""
    some, count = len(peers[0].measured), len(ours.first)
    scaled = f"{some} of {count} benchmarks, scaled by {count}/{some}" if some < count else f"all {count} benchmarks"
    head = ["benchmark", f"ours, {ours.processes} processes", "ours, at the end", *(peer.name for peer in peers)]
    rows = [
        [
            benchmark,
            f"± {half(ours.first[benchmark]) * 1e9:.2f}",
            f"± {half(ours.last[benchmark]) * 1e9:.2f} ({len(ours.last[benchmark])})",
            *(f"± {peer.halves[benchmark] * 1e9:.2f} ({peer.measured[benchmark].wall:.1f} s)" for peer in peers),
        ]
        for benchmark in peers[0].measured
    ]
    further = ", ".join(f"{one.looped:.1f} + {one.around:.1f} s up to {name}" for name, one in ours.extra.items())
    return (
        f"pyperf {pyperf.__version__} measured {scaled}. ctkmatrix measured all {count}, {ours.processes} processes, in "
        f"{ours.base:.1f} s, start of the program and page included ({RACE.values} values of {RACE.seconds_per_value * 1e3:g} ms "
        f"a process); then it added processes to the cases whose interval was wider than pyperf's: {further} "
        f"(what was measured is scaled likewise). Run {ours.run} in `.ctkmatrix/selfbench`.\n\n"
        f"Half of the 95 % interval over process medians, ns a turn (in brackets: processes, or pyperf's wall time):\n\n"
        f"{table(head, rows)}"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *rows))


def page(rows: Sequence[Row], text: str, command: str) -> str:
    """Return the evidence in Markdown."""
    described, harness = machine.describe(), machine.harness(ROOT)
    commit = f"{harness['commit'][:12] or 'unknown'}{', with changes' if harness['dirty'] else ''}"
    where = f"{described['cpus']} CPUs of {described['cpu']}, governor {described['governor']}"
    return (
        "# ctkmatrix measured by itself\n\n"
        f"Made by `{command}` at {app.now()}, commit {commit}, on {where}, load {described['load'][0]:.2f} at the end. "
        "The newest cell over the null driver.\n\n"
        f"{table(['what', 'measured', 'target', ''], [row.cells() for row in rows])}\n{text}"
    )


ELSEWHERE = Row(
    "false alarms (A/A) and detection", "docs/evidence/selftest-stats.md, by `nox -s selftest-stats`", "see there", None
)


def choose(options: argparse.Namespace, known: Sequence[str]) -> Sequence[str]:
    """Return the benchmarks that pyperf measures. Raises UsageError on one that is none."""
    chosen: Sequence[str] = known if options.all else options.benchmark or SAMPLE
    if unknown := [one for one in chosen if one not in known]:
        raise UsageError(f"--benchmark {unknown[0]}: there are {', '.join(known)}")
    return chosen


def main(words: Sequence[str]) -> int:
    """Measure, print, and write the evidence of a full run; return the exit code."""
    options = parser().parse_args(words)
    parts, text = options.part or PARTS, ""
    rows: list[Row] = []
    bench = Bench(jobs.Place(ROOT), options.processes, RACE) if {"speed", "turn"} & set(parts) else None
    if bench and "speed" in parts:
        rows, text = speed(bench, choose(options, bench.benchmarks), options.processes)
    if bench and "turn" in parts:
        rows.append(turn_row(json.loads(child(bench.setup.python, "ctkmatrix/selfbench_turn.py", str(ROOT)))))
    if "scale" in parts:
        rows.append(scale_row(json.loads(child(sys.executable, "-m", "ctkmatrix.selfbench_scale"))))
    rows.append(ELSEWHERE)
    written = page(rows, text, " ".join(["python -m ctkmatrix.selfbench", *words]))
    print(written)
    if not (options.part or options.benchmark or options.processes):
        EVIDENCE.parent.mkdir(parents=True, exist_ok=True)
        EVIDENCE.write_text(written, encoding="utf-8")
    return 0


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    made = argparse.ArgumentParser(prog="selfbench", description="Measure ctkmatrix itself, next to pyperf.")
    made.add_argument("--all", action="store_true", help="let pyperf measure every benchmark, not a sample (half an hour more)")
    made.add_argument(
        "--benchmark", action="append", metavar="CASE/VARIANT", help="let pyperf measure this one (again: and that)"
    )
    made.add_argument("--part", action="append", choices=PARTS, help="this part alone (again: and that)")
    made.add_argument("--processes", type=int, metavar="N", help="N processes a side, at least 2: to try it out, not to tell")
    return made


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except CtkmatrixError as error:
        sys.exit(f"selfbench: {error}")
