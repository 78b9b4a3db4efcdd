"""What the tests of the case set share: a worker that turns single variants over a null driver, and what it wrote down."""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctkmatrix import compilers, device, nulldriver, protocol
from ctkmatrix.workers import Launch, WorkerLost, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Bench

LIMIT = 120.0
"""Seconds for one variant: a compilation takes part of one."""


@dataclass(frozen=True)
class Turned:
    """What came of a variant: an empty ``failure`` where all went well; ``absent`` where this release lacks it."""

    failure: str
    absent: bool
    dirt: str


@dataclass(frozen=True)
class Turner:
    """A worker of one cell, and the trace of its driver."""

    worker: WorkerProcess
    trace: Path

    def turn(self, case: str, variant: str, turns: int) -> Turned:
        """Turn one variant *turns* times."""
        try:
            answer = self.worker.ask({"op": "run", "case": case, "variant": variant, "turns": turns}, LIMIT)
        except WorkerLost as lost:
            return Turned(str(lost), absent=False, dirt="")
        return Turned(answer["failures"].get(variant, ""), variant in answer["not_applicable"], answer["dirt"])

    def lines(self, case: str, variant: str, turns: int) -> list[str]:
        """Return what the driver wrote down of a run of *turns* turns. Raises AssertionError where it fails."""
        before = len(self.trace.read_bytes())
        turned = self.turn(case, variant, turns)
        assert not turned.failure, f"{case}/{variant}: {turned.failure}"
        return self.trace.read_bytes()[before:].decode().splitlines()

    def calls(self, case: str, variant: str) -> list[str]:
        """Return the driver's lines of one turn, the first in the order of the alphabet where they go round."""
        self.lines(case, variant, 1)  # what is made on first use
        return per_turn(self.lines(case, variant, 1), self.lines(case, variant, 3))


def per_turn(once: list[str], thrice: list[str]) -> list[str]:
    """Return what one turn adds: *thrice* is *once* with its turn repeated twice more. Raises AssertionError where it is not."""
    length, rest = divmod(len(thrice) - len(once), 2)
    assert rest == 0, f"a turn does not always make as many calls: {len(once)} and {len(thrice)} lines"
    if not length:
        return []
    for start in range(len(once) + 1):
        turn = thrice[start : start + length]
        if thrice == [*once[:start], *turn, *turn, *once[start:]]:
            return min(turn[at:] + turn[:at] for at in range(length))
    raise AssertionError(f"turns make different calls:\n{chr(10).join(thrice)}")


def tracing_driver(bench: Bench, toolkit: Path) -> Path:
    """Return the null driver that writes down what it is asked, built from the headers of *toolkit*."""
    include = next(path.parent for path in sorted(toolkit.rglob("cuda.h")))
    return nulldriver.build(include, bench.workshop.build / "nulldriver", compilers.host_compiler(), trace=True)


@contextmanager
def turner(bench: Bench, libcuda: str, directory: Path) -> Iterator[Turner]:
    """Open a worker of *bench* over *libcuda*, its log and its trace in *directory*."""
    setup = bench.workshop.setup(bench.cell, bench.environment, bench.baselines, libcuda)
    trace = directory / "trace"
    trace.touch()
    setup = dataclasses.replace(setup, variables=setup.variables | {"CTK_NULL_TRACE": str(trace)})
    launch = Launch(setup.python, directory / "log", setup.variables, padding=0)
    with WorkerProcess(launch) as worker:
        protocol.open_worker(worker, setup, device.NULL, LIMIT)
        yield Turner(worker, trace)
