"""The orchestrator's side of a worker process: start it, ask it, and tell in words how it ended."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import BinaryIO, Self

WORKER = Path(__file__).parent / "probe" / "worker.py"

MAX_PADDING = 4096
"""Bytes of random environment padding: it moves the stack, and with it what happens to share a cache line."""

OPEN_LIMIT = 120.0
"""Seconds for imports, cuInit and the context."""


class WorkerLost(Exception):
    """The process died, did not answer in time, or answered with an error; the message says which, in words for people."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a worker. ``variables`` replace those of the environment; ``padding`` is in bytes.

    ``under`` replaces the plain interpreter, isolated as it is, by another command that runs it; ``variables`` are then all that
    there is of an environment.
    """

    python: Path
    log: Path
    variables: Mapping[str, str]
    padding: int
    under: tuple[str, ...] = ()

    @property
    def command(self) -> tuple[str, ...]:
        """The command that runs a script."""
        return self.under or (str(self.python), "-I")


def environment(launch: Launch, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the worker's environment: *inherited* without what steers an interpreter or a virtual environment."""
    if launch.under:
        return dict(launch.variables)
    kept = {
        name: value
        for name, value in inherited.items()
        if not name.startswith(("PYTHON", "NOX_", "UV_", "VIRTUAL_ENV", "CTK_", "PYENV"))
    }
    return kept | {"LC_ALL": "C.UTF-8"} | dict(launch.variables) | {"CTK_PADDING": "x" * launch.padding}


class WorkerProcess:
    """One running worker; a context manager that ends it. ``lifetime`` is the seconds from spawn to exit, once it has ended."""

    def __init__(self, launch: Launch) -> None:
        self._spawned = time.perf_counter()
        self.lifetime = 0.0
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        self._log: BinaryIO = launch.log.open("ab")
        try:
            self._process = subprocess.Popen(
                [*launch.command, str(WORKER), str(requests), str(answers)],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                env=environment(launch, os.environ),
                pass_fds=(requests, answers),
                start_new_session=True,  # Ctrl-C is ours to handle: the worker gets no SIGINT from the terminal
            )
        except OSError as error:
            os.close(self._requests)
            os.close(self._answers)
            self._log.close()
            raise WorkerLost(f"{launch.python} cannot be started: {error.strerror}") from error
        finally:
            os.close(requests)
            os.close(answers)
        self._buffer = b""
        self._asked = 0

    @property
    def pid(self) -> int:
        """The process: what a profiler attaches to, and CPython names its map of functions after."""
        return self._process.pid

    def ask(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
        """Send one request and return its answer.

        Raises WorkerLost after *limit* seconds, where the process ends, and where an error is all that it answers.
        """
        self._asked += 1
        try:
            os.write(self._requests, json.dumps(request | {"id": self._asked}).encode() + b"\n")
        except BrokenPipeError:
            raise WorkerLost(self._epitaph()) from None
        line = self._line(time.monotonic() + limit, limit)
        try:
            answer: dict[str, Any] = json.loads(line)
            ours = answer["id"] == self._asked and not self._buffer
        except (ValueError, KeyError, TypeError):
            ours = False
        if not ours:
            self.kill()
            raise WorkerLost(f"something else than the worker wrote into its pipe: {line[:60]!r}")
        if "error" in answer:
            raise WorkerLost(answer["error"])
        return answer

    def _line(self, deadline: float, limit: float) -> bytes:
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    self.kill()
                    raise WorkerLost(f"hung: no answer within {limit:g} s")
                read = os.read(self._answers, 1 << 16)
                if not read:
                    raise WorkerLost(self._epitaph())
                self._buffer += read
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _epitaph(self) -> str:
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            self.kill()
            return "the worker closed its pipe and went on running"
        if code < 0:
            return f"crashed: {signal.Signals(-code).name}"
        return f"the process ended by itself with status {code}"

    def kill(self) -> None:
        """End the process, and whatever it has started, at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Close the pipes, which ends the process; kill it where it does not end. Safe to call twice."""
        if self._log.closed:
            return
        os.close(self._requests)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self.kill()  # what a case has started and left behind
        self.lifetime = time.perf_counter() - self._spawned
        os.close(self._answers)
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            self.kill()
        self.close()
