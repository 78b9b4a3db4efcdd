"""What planning and statistics cost for a matrix of 1,000 cells of 100 cases and 20 processes: a row of `nox -s selfbench`.

``python -m ctkmatrix.selfbench.scale [CELLS]`` prints a line of JSON. It is a process of its own, so that the peak of its memory
is that of this work alone.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ctkmatrix import collected, journal, plan, results, verdicts
from ctkmatrix.model import Case, Cell, Margin, Profile, Variant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ctkmatrix.model import Verdict

CELLS = 1000
CASES = tuple(Case(f"area.case_{number}", "", (Variant("native", ()), Variant("core", ()))) for number in range(100))
PROFILE = Profile("scale", processes=20, values=3, seconds_per_value=0.01, block_limit=60)
MARGIN = Margin(0.03, 10e-9)
TIMES = {"native": 50e-9, "core": 400e-9}
SEED = 1

T = TypeVar("T")


def cells(count: int) -> tuple[Cell, ...]:
    """Return *count* cells of ten toolkits."""
    return tuple(Cell(f"13.{number % 10}", "3.14", f"13.0.{number}", "1.2.2") for number in range(count))


def records(among: Sequence[Cell]) -> Iterator[journal.Record]:
    """Yield the journal of a whole run of *among*: every process of every cell, with random times."""
    yield journal.Began(
        run="scale",
        at="",
        arguments=(),
        profile=PROFILE,
        seed=SEED,
        cells=tuple(among),
        cases={case.id: "" for case in CASES},
        device={"kind": "null", "architecture": "90"},
        machine={},
        harness={},
        orchestrator={},
    )
    random = np.random.default_rng(SEED)
    for number in range(PROFILE.processes):
        for place, cell in enumerate(among):
            yield from _process(cell, number * len(among) + place, number, random)
    yield journal.Paused(at="", interrupted=False, wall=1.0)


def _process(cell: Cell, process: int, number: int, random: np.random.Generator) -> Iterator[journal.Record]:
    identity = {"python": {"optimised": "yes"}}
    yield journal.Opened(cell=cell.id, process=process, round=number, cpu=0, padding=0, identity=identity)
    drawn = {variant: (time * random.normal(1, 0.02, (len(CASES), PROFILE.values))).tolist() for variant, time in TIMES.items()}
    for index, case in enumerate(CASES):
        measured = {variant: journal.Values(1000, tuple(values[index]), (TIMES[variant],)) for variant, values in drawn.items()}
        yield journal.Measured(cell=cell.id, process=process, round=number, case=case.id, results=measured, looped=0.1)
    yield journal.Closed(cell=cell.id, process=process, lifetime=12.0, looped=10.0)


def judged(found: collected.Collected, among: Sequence[Cell]) -> tuple[Verdict, ...]:
    """Compare every second cell with the one before it, in every case, as one invocation: native code is no candidate."""
    return verdicts.judge(
        [
            verdicts.compare(
                collected.by_round(found, (reference.id, case.id, "core")),
                collected.by_round(found, (candidate.id, case.id, "core")),
                verdicts.Subject(reference.id, candidate.id, case.id, "core"),
                MARGIN,
                paired=True,
            )
            for reference, candidate in zip(among[::2], among[1::2], strict=False)
            for case in CASES
        ]
    )


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return the seconds that *work* takes, and what it returns."""
    began = time.perf_counter()
    done = work()
    return time.perf_counter() - began, done


def run(count: int) -> dict[str, float]:
    """Plan and evaluate *count* cells; return the seconds of each step, and the peak of memory in bytes.

    The records are made while they are collected, as their source is no part of the statistics; the time that making them takes
    is measured apart and taken off.
    """
    among = cells(count)
    planning, _ = timed(
        lambda: len(list(plan.rounds(among, CASES, PROFILE, device="null", seed=SEED, max_padding=4096)))  # as Job holds it
    )
    making, _ = timed(lambda: deque(records(among), maxlen=0))
    collecting, found = timed(lambda: collected.collect(records(among)))
    assembling, whole = timed(lambda: results.assemble(found, CASES, (), 1e-6))
    judging, verdict = timed(lambda: judged(found, among))
    if len(whole.fields) != count * len(CASES) * 2 or len(verdict) != count // 2 * len(CASES):
        raise RuntimeError("not everything was evaluated")
    return {
        "plan": planning,
        "collect": collecting - making,
        "assemble": assembling,
        "judge": judging,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]) if len(sys.argv) > 1 else CELLS)))
