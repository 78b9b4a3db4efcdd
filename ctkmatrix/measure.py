"""Runs planned processes and writes down what they answer, as it arrives. All that is lost is the case that was lost."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ctkmatrix import device as devices
from ctkmatrix import journal, machine, protocol
from ctkmatrix.attempts import Attempts
from ctkmatrix.workers import OPEN_LIMIT, Launch, WorkerLost, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctkmatrix.device import Device
    from ctkmatrix.model import Profile
    from ctkmatrix.plan import Block, Process
    from ctkmatrix.protocol import Setup
    from ctkmatrix.store import Run


@dataclass
class Measurer:
    """Measures process after process; remembers calibrated loops and what it has tried."""

    run: Run
    device: Device
    profile: Profile
    setups: dict[str, Setup]
    advance: Callable[[float, str], None]
    burst: int = 0
    """Turns between two drains of an asynchronous case, see ``bursts``; 0 drains never."""
    loops: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """By (cell, case, variant): turns behind a value, calibrated once and then fixed."""
    attempts: Attempts = field(default_factory=Attempts)
    _round: tuple[int, int] | None = None

    def recall(self, records: Iterable[journal.Record]) -> None:
        """Go on from *records*: a resumed run keeps its burst, its loops, its failures and its count of processes."""
        records = list(records)
        self.attempts.recall(records, journal.Measured)
        for record in records:
            if isinstance(record, journal.Measured):
                self._keep_loops(record)
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
        cell = process.cell.id
        if not self.attempts.any_left(process.cell, blocks):
            self._skip(blocks, cell)
            return len(blocks)
        number = self.attempts.begin()
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
            gone = journal.Lost(cell=cell, process=number, round=process.round, case=current, reason=str(lost))
            self.attempts.lose(gone)
            self.run.append(gone)
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
        identity = protocol.open_worker(worker, setup, self.device, OPEN_LIMIT, cpu=cpu)
        self.run.append(
            journal.Opened(
                cell=setup.cell.id,
                process=number,
                round=process.round,
                cpu=cpu,
                padding=process.padding,
                identity=identity,
                telemetry=machine.telemetry(self.device),
            )
        )

    def _block(self, worker: WorkerProcess, process: Process, number: int, block: Block) -> journal.Measured | None:
        cell, case = process.cell.id, block.case.id
        variants = self.attempts.left(process.cell, block)
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
        record = protocol.block(journal.Measured, process, number, case, answer)
        self.attempts.learn(record)
        self._keep_loops(record)
        self.run.append(record)
        self.advance(1, f"{cell} {case}")
        return record

    def _keep_loops(self, record: journal.Measured) -> None:
        for variant, values in record.results.items():
            self.loops.setdefault((record.cell, record.case, variant), values.loops)

    def _cpu(self, number: int) -> int | None:
        """Return the CPU for round *number*, the same for all its cells: the least loaded one near the device."""
        if self._round is None or self._round[0] != number:
            near = devices.near_cpus(self.device, os.sched_getaffinity(0))
            self._round = (number, machine.least_loaded(near))
        return self._round[1]


def new_seed() -> int:
    """Return a seed for a run that was given none."""
    return random.SystemRandom().getrandbits(32)
