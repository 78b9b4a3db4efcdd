"""``python -m ctkmatrix.selfbench``: measure, print the rows, and write docs/evidence/selfbench.md after a full run.

A full run is one without ``--processes``, ``--case`` or ``--part``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ctkmatrix import job as jobs
from ctkmatrix.errors import UsageError
from ctkmatrix.flags import VERDICT_PROCESSES
from ctkmatrix.model import Profile
from ctkmatrix.selfbench import document, peer, race, rows
from ctkmatrix.selfbench.bench import ROOT, Bench, tell
from ctkmatrix.standalone import standalone

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ctkmatrix.job import Place
    from ctkmatrix.model import Case

EVIDENCE = ROOT / "docs" / "evidence" / "selfbench.md"
PARTS = ("speed", "turn", "scale", "page")

SAMPLE = ("enum.member", "device.current", "memory.alloc_free", "launch.16_pointers")
"""The fast cases that pyperf measures without ``--all``, in all variants: with and without a native twin, by bindings and core,
from a nanosecond to a microsecond a turn."""

RACE = Profile("race", 80, 1, 0.008, 60, 80)
"""What runs against pyperf: many short processes, one value each. What a process differs from the next is most of the noise, so a
second value narrows an interval less than its time spent on another process does."""


def strata(cases: Sequence[Case], benchmarks: Sequence[str], chosen: Collection[str]) -> tuple[race.Stratum, ...]:
    """Return the *cases* by what a turn costs: of the fast ones pyperf measures the *chosen*, the slow ones always."""
    found = []
    for name, slow in (("fast", False), ("slow", True)):
        own = tuple(case for case in cases if bool(case.seconds_per_turn) is slow)
        ids = [case.id for case in own]
        sampled = tuple(case for case in ids if slow or case in chosen)
        found.append(race.Stratum(name, tuple(ids), sampled, tuple(one for one in benchmarks if race.case_of(one) in ids)))
    return tuple(found)


def choose(options: argparse.Namespace, known: Sequence[Case]) -> Sequence[str]:
    """Return the ids of the fast cases that pyperf measures. Raises UsageError on one that is none."""
    fast = [case.id for case in known if not case.seconds_per_turn]
    chosen: Sequence[str] = fast if options.all else options.case or SAMPLE
    if unknown := [one for one in chosen if one not in fast]:
        raise UsageError(f"--case {unknown[0]}: there are {', '.join(fast)}")
    return chosen


def speed(place: Place, options: argparse.Namespace) -> tuple[list[rows.Row], str]:
    """Return the rows on speed, and the text that says what they were made of: a trial, then each peer and a trial after it."""
    first = Bench(place, RACE, options.processes)
    kinds = strata(first.job.cases, first.benchmarks, choose(options, first.job.cases))
    trials, peers = [first.trial()], []
    for name in peer.FLAGS:
        peers.append(measure_peer(first, name, kinds, options.processes))
        trials.append(Bench(place, RACE, options.processes).trial())
    profile = first.job.profile
    found = rows.Race(tuple(trials), tuple(peers), kinds, min(VERDICT_PROCESSES, profile.processes))
    share = Bench(place, processes=options.processes).timed_share()
    return [*rows.speed_rows(found), rows.share_row(share)], document.details(found, profile)


def measure_peer(bench: Bench, name: str, kinds: Sequence[race.Stratum], processes: int | None) -> peer.Peer:
    """Measure the sample of *kinds* by pyperf under the flags of *name*, or with *processes* alone: --fast has its own number."""
    flags = peer.FLAGS[name] if processes is None else (f"--processes={processes}",)
    measured = {}
    with tempfile.TemporaryDirectory() as directory:
        packages = Path(directory)
        peer.provide(packages, bench.setup.python)
        for benchmark in [one for kind in kinds for one in kind.chosen]:
            measured[benchmark] = peer.measure(bench, benchmark, flags, packages)
            tell(f"{name}: {benchmark} took {measured[benchmark].wall:.1f} s")
    return peer.Peer(name, measured)


def child(python: str | Path, *words: str) -> str:
    """Return what ``python WORDS`` prints, from the checkout's root."""
    return subprocess.run([str(python), *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def rendering(cells: int) -> dict[str, float]:
    """Return what it costs to render so many *cells*."""
    cost: dict[str, float] = json.loads(child(sys.executable, "-m", "ctkmatrix.selfbench.pages", str(cells)))
    return cost


def main(words: Sequence[str]) -> int:
    """Measure, print, and write the evidence of a full run; return the exit code."""
    options = parser().parse_args(words)
    place, parts, text = jobs.Place(ROOT), options.part or PARTS, ""
    found: list[rows.Row] = []
    if "speed" in parts:
        found, text = speed(place, options)
    if "turn" in parts:
        python = Bench(place).setup.python
        found.append(rows.turn_row(json.loads(child(python, "ctkmatrix/selfbench/turn.py", str(ROOT)))))
    if "scale" in parts:
        found.append(rows.scale_row(json.loads(child(sys.executable, "-m", "ctkmatrix.selfbench.scale"))))
    if "page" in parts:
        found += [rows.page_row(cells, rendering(cells)) for cells in rows.PAGES]
    found.append(rows.ELSEWHERE)
    written = document.page(found, text, " ".join(["python -m ctkmatrix.selfbench", *words]))
    print(written)
    if not (options.part or options.case or options.processes):
        EVIDENCE.parent.mkdir(parents=True, exist_ok=True)
        EVIDENCE.write_text(written, encoding="utf-8")
    return 0


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    made = argparse.ArgumentParser(prog="selfbench", description="Measure ctkmatrix itself, next to pyperf.")
    made.add_argument("--all", action="store_true", help="let pyperf measure every case, not a sample (twenty minutes more)")
    made.add_argument("--case", action="append", metavar="ID", help="let pyperf measure this fast case (again: and that)")
    made.add_argument("--part", action="append", choices=PARTS, help="this part alone (again: and that)")
    made.add_argument("--processes", type=int, metavar="N", help="N processes a side, at least 2: to try it out, not to tell")
    return made


if __name__ == "__main__":
    with standalone():
        sys.exit(main(sys.argv[1:]))
