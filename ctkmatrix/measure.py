"""Runs planned processes and writes down what they answer, as it arrives. All that is lost is the case that was lost."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ctkmatrix import device as devices
from ctkmatrix import journal, machine
from ctkmatrix.workers import OPEN_LIMIT, Launch, WorkerLost, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from ctkmatrix.device import Device
    from ctkmatrix.model import Cell, Profile
    from ctkmatrix.plan import Block, Process
    from ctkmatrix.store import Run


@dataclass(frozen=True, slots=True)
class Setup:
    """All that a worker of one cell needs. ``native`` maps variants to a ``path``, or to the ``reason`` why there is none."""

    cell: Cell
    python: Path
    cases: Path
    cubin: str
    native: dict[str, dict[str, str]]
    variables: dict[str, str]
    libcuda: str
    burn: int = 0
    """A known slow-down of every Python turn, see ``probe/loop.py``: for the harness's own proof."""


@dataclass
class Measurer:
    """Measures process after process; remembers calibrated loops and what has been given up."""

    run: Run
    device: Device
    profile: Profile
    setups: dict[str, Setup]
    advance: Callable[[float, str], None]
    burst: int = 0
    """Turns between two drains of an asynchronous case, see ``bursts``; 0 drains never."""
    loops: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """By (cell, case, variant): turns behind a value, calibrated once and then fixed."""
    given_up: set[tuple[str, str]] = field(default_factory=set)
    """(cell, case) that crashed, hung, or left dirt: once is enough."""
    failed: set[tuple[str, str, str]] = field(default_factory=set)
    processes: int = 0
    _round: tuple[int, int] | None = None

    def recall(self, records: Iterable[journal.Record]) -> None:
        """Go on from *records*: a resumed run keeps its burst, its loops, its failures and its count of processes."""
        for record in records:
            if isinstance(record, journal.Measured):
                self._learn(record)
            elif isinstance(record, journal.Lost):
                self.given_up.add((record.cell, record.case))
            elif isinstance(record, journal.Opened):
                self.processes = max(self.processes, record.process + 1)
            elif isinstance(record, journal.Settled):
                self.burst = record.burst.length

    def measure(self, process: Process) -> None:
        """Measure all blocks of *process*; a worker that is lost is replaced for the blocks that are left."""
        left = list(process.blocks)
        while left:
            taken = self._one_worker(process, left)
            left = left[taken:]

    def _one_worker(self, process: Process, blocks: list[Block]) -> int:
        """Run *blocks* in one worker until one loses or soils it; return how many were taken."""
        cell, number = process.cell.id, self.processes
        wanted = [block for block in blocks if self._variants(cell, block)]
        if not wanted or (cell, "") in self.given_up:
            self._skip(blocks, cell)
            return len(blocks)
        self.processes += 1
        setup, cpu = self.setups[cell], self._cpu(process.round)
        looped, current, taken = 0.0, "", 0
        launch = Launch(setup.python, self.run.log(cell), setup.variables, process.padding)
        worker = None
        try:
            with WorkerProcess(launch) as worker:
                self._open(worker, process, number, setup, cpu)
                for block in blocks:
                    current, taken = block.case.id, taken + 1
                    record = self._block(worker, process, number, block)
                    looped += record.looped if record else 0.0
                    if record and record.dirt:
                        break
        except WorkerLost as lost:
            self.given_up.add((cell, current))
            self.run.append(journal.Lost(cell=cell, process=number, round=process.round, case=current, reason=str(lost)))
        self.run.append(
            journal.Closed(
                cell=cell,
                process=number,
                lifetime=worker.lifetime if worker else 0.0,
                looped=looped,
                telemetry=machine.telemetry(self.device),
            )
        )
        return taken

    def _skip(self, blocks: list[Block], cell: str) -> None:
        for block in blocks:
            self.advance(1, f"{cell} {block.case.id}")

    def _open(self, worker: WorkerProcess, process: Process, number: int, setup: Setup, cpu: int | None) -> None:
        answer = worker.ask(opening(setup, self.device) | {"cpu": cpu}, OPEN_LIMIT)
        if "error" in answer:
            raise WorkerLost(answer["error"])
        mismatch = differences(setup.cell, answer)
        if mismatch:
            raise WorkerLost(mismatch)
        self.run.append(
            journal.Opened(
                cell=setup.cell.id,
                process=number,
                round=process.round,
                cpu=cpu,
                padding=process.padding,
                identity=answer,
                telemetry=machine.telemetry(self.device),
            )
        )

    def _block(self, worker: WorkerProcess, process: Process, number: int, block: Block) -> journal.Measured | None:
        cell, case = process.cell.id, block.case.id
        variants = self._variants(cell, block)
        if not variants:
            self.advance(1, f"{cell} {case}")
            return None
        request = {
            "op": "block",
            "case": case,
            "variants": variants,
            "loops": {v: self.loops[cell, case, v] for v in variants if (cell, case, v) in self.loops},
            "values": self.profile.values,
            "seconds": self.profile.seconds_per_value,
            "seed": block.seed,
            "burn": self.setups[cell].burn,
            "burst": self.burst,
        }
        answer = worker.ask(request, self.profile.block_limit)
        if "error" in answer:
            raise WorkerLost(answer["error"])
        try:
            record = _measured(process, number, case, answer)
        except (KeyError, TypeError, AttributeError) as error:
            raise WorkerLost(f"the worker's answer makes no sense: {error!r}") from error
        self._learn(record)
        self.run.append(record)
        self.advance(1, f"{cell} {case}")
        return record

    def _variants(self, cell: str, block: Block) -> list[str]:
        if (cell, block.case.id) in self.given_up:
            return []
        core = self.setups[cell].cell.core
        return [
            variant
            for variant in block.variants
            if (cell, block.case.id, variant) not in self.failed and (core is not None or variant != "core")
        ]

    def _learn(self, record: journal.Measured) -> None:
        for variant, values in record.results.items():
            self.loops.setdefault((record.cell, record.case, variant), values.loops)
        self.failed |= {(record.cell, record.case, variant) for variant in (*record.failures, *record.absent)}
        if record.dirt:
            self.given_up.add((record.cell, record.case))

    def _cpu(self, number: int) -> int | None:
        """Return the CPU for round *number*, the same for all its cells: the least loaded one near the device."""
        if self._round is None or self._round[0] != number:
            near = devices.near_cpus(self.device, os.sched_getaffinity(0))
            self._round = (number, machine.least_loaded(near))
        return self._round[1]


def opening(setup: Setup, device: Device) -> dict[str, Any]:
    """Return the request that makes a worker of *setup* ready, pinned to no CPU."""
    return {
        "op": "open",
        "libcuda": setup.libcuda,
        "cases": str(setup.cases),
        "cubin": setup.cubin,
        "architecture": device.architecture,
        "core": setup.cell.core is not None,
        "native": setup.native,
        "cpu": None,
    }


def _measured(process: Process, number: int, case: str, answer: dict[str, Any]) -> journal.Measured:
    absent = set(answer["not_applicable"])
    failures: dict[str, str] = answer["failures"]
    return journal.Measured(
        cell=process.cell.id,
        process=number,
        round=process.round,
        case=case,
        results={
            variant: journal.Values(values["loops"], tuple(values["values"]), tuple(values["warmups"]))
            for variant, values in answer["results"].items()
        },
        failures={variant: reason for variant, reason in failures.items() if variant not in absent},
        absent={variant: reason for variant, reason in failures.items() if variant in absent},
        dirt=answer["dirt"],
        looped=answer["looped"],
    )


def differences(cell: Cell, identity: dict[str, Any]) -> str:
    """Return how the worker differs from what *cell* asks for, in words; empty where it is the cell."""
    packages = identity["packages"]
    asked = {
        "Python": (cell.python, identity["python"]["minor"]),
        "cuda-bindings": (cell.bindings, packages.get("cuda-bindings", "none")),
        "cuda-core": (cell.core or "none", packages.get("cuda-core", "none")),
        "NVRTC": (cell.toolkit, identity["libraries"]["nvrtc"]["version"]),
    }
    wrong = [f"{name} is {have} where {want} was asked for" for name, (want, have) in asked.items() if want != have]
    return "; ".join(wrong)


def new_seed() -> int:
    """Return a seed for a run that was given none."""
    return random.SystemRandom().getrandbits(32)
