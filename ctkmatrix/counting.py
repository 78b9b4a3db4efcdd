"""Counts planned processes under callgrind, several at once: counts, unlike times, do not mind their neighbours."""

from __future__ import annotations

import os
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from ctkmatrix import callgrind, journal, plan, protocol
from ctkmatrix.attempts import Attempts
from ctkmatrix.workers import Launch, WorkerLost, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctkmatrix.callgrind import Callgrind
    from ctkmatrix.device import Device
    from ctkmatrix.plan import Block, Process
    from ctkmatrix.protocol import Setup
    from ctkmatrix.store import Run

WORKER_BYTES = 1.5e9
"""Memory that a worker under valgrind may need: one with NVRTC at work took 1.1 GB."""


class Stopped(Exception):
    """The run is being interrupted: what a worker was at does not count, and is no loss."""


@dataclass
class Counter:
    """Counts processes; remembers what it has tried. Its methods but ``count`` run in several threads."""

    run: Run
    device: Device
    tool: Callgrind
    setups: dict[str, Setup]
    advance: Callable[[float, str], None]
    block_limit: float = plan.COUNT.block_limit
    attempts: Attempts = field(default_factory=Attempts)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _alive: set[WorkerProcess] = field(default_factory=set)
    _stopping: bool = False

    def recall(self, records: Iterable[journal.Record]) -> None:
        """Go on from *records*: a resumed run keeps its failures and its count of processes."""
        self.attempts.recall(records, journal.Counted)

    def count(self, processes: Sequence[Process]) -> None:
        """Count all blocks of *processes*, begun in their order, as many at once as there are CPUs and memory for.

        An interrupt kills the workers and goes on to the caller; the journal holds all that was counted before.
        """
        with ThreadPoolExecutor(at_once()) as pool:
            try:
                for done in as_completed([pool.submit(self._process, process) for process in processes]):
                    done.result()
            except BaseException:
                self._stop()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _stop(self) -> None:
        with self._lock:
            self._stopping = True
            for worker in self._alive:
                worker.kill()

    def _process(self, process: Process) -> None:
        left = list(process.blocks)
        try:
            while left:
                left = left[self._one_worker(process, left) :]
        except Stopped:
            return

    def _one_worker(self, process: Process, blocks: list[Block]) -> int:
        """Count *blocks* in one worker until one loses or soils it; return how many were taken."""
        cell = process.cell.id
        if not self.attempts.any_left(process.cell, blocks):
            for block in blocks:
                self._told(cell, block)
            return len(blocks)
        with self._lock:
            number = self.attempts.begin()
        current, taken = "", 0
        lifetime: list[float] = []
        try:
            with self._worker(cell, lifetime) as (worker, output):
                self._open(worker, process, number, output)
                for block in blocks:
                    current, taken = block.case.id, taken + 1
                    record = self._block(worker, process, number, block)
                    if record and record.dirt:
                        break
        except WorkerLost as lost:
            self._lose(journal.Lost(cell=cell, process=number, round=process.round, case=current, reason=str(lost)))
        self._append(journal.Closed(cell=cell, process=number, lifetime=sum(lifetime), looped=0.0, counted=True))
        return taken

    @contextmanager
    def _worker(self, cell: str, lifetime: list[float]) -> Iterator[tuple[WorkerProcess, Path]]:
        """Run a worker of *cell*; give it, and the path that callgrind's files begin with; add up its *lifetime* at the end."""
        setup = self.setups[cell]
        with tempfile.TemporaryDirectory(prefix="ctkmatrix-") as directory:
            output = Path(directory, "callgrind")
            under = self.tool.command(setup.python, output)
            launch = Launch(setup.python, self.run.log(cell), callgrind.ENVIRONMENT | setup.variables, padding=0, under=under)
            with self._lock:
                if self._stopping:
                    raise Stopped
                worker = WorkerProcess(launch)
                self._alive.add(worker)
            try:
                with worker:
                    yield worker, output
            finally:
                with self._lock:
                    self._alive.discard(worker)
                lifetime.append(worker.lifetime)

    def _open(self, worker: WorkerProcess, process: Process, number: int, output: Path) -> None:
        setup = self.setups[process.cell.id]
        watched = self.tool.watched(output, process.round)
        identity = protocol.open_worker(worker, setup, self.device, callgrind.OPEN_LIMIT, callgrind=watched)
        opened = journal.Opened(
            cell=setup.cell.id, process=number, round=process.round, cpu=None, padding=0, identity=identity, counted=True
        )
        self._append(opened)

    def _block(self, worker: WorkerProcess, process: Process, number: int, block: Block) -> journal.Counted | None:
        cell = process.cell.id
        variants = self.attempts.left(process.cell, block)
        if not variants:
            self._told(cell, block)
            return None
        request = {"op": "count", "case": block.case.id, "variants": variants}
        answer = worker.ask(request, self.block_limit)
        record = protocol.block(journal.Counted, process, number, block.case.id, answer)
        self.attempts.learn(record)
        self._append(record)
        self._told(cell, block)
        return record

    def _lose(self, lost: journal.Lost) -> None:
        """Write down what was lost, unless it was we who ended the worker."""
        if self._stopping:
            raise Stopped
        self.attempts.lose(lost)
        self._append(lost)

    def _append(self, record: journal.Record) -> None:
        with self._lock:
            self.run.append(record)

    def _told(self, cell: str, block: Block) -> None:
        with self._lock:
            self.advance(1, f"{cell} {block.case.id}")


def at_once() -> int:
    """Return how many workers run at the same time: one a CPU, where the memory that is free now allows it."""
    return max(1, min(len(os.sched_getaffinity(0)), int(psutil.virtual_memory().available / WORKER_BYTES)))
