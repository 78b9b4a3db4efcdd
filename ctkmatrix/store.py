"""The only reader and writer of ``reports/``."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ctkmatrix import contradictions, journal
from ctkmatrix.errors import MachineError, UsageError
from ctkmatrix.model import SCHEMA, Manifest, Results
from ctkmatrix.suggest import perhaps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LOG_LINES, LOG_BYTES = 20, 4000
"""How much of the end of a log is shown."""


class Run:
    """One run's directory: ``manifest.json``, ``journal.jsonl``, ``results.json``, ``cells/``, ``logs/``, ``page/``."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._held = -1

    def hold(self) -> None:
        """Keep other processes from measuring into this run until this one ends. Raises UsageError where one does already."""
        self._held = os.open(self.directory / "journal.jsonl", os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"run {self.id} is being measured by another process: wait for its end, or begin a new run"
            ) from None

    @property
    def id(self) -> str:
        """The run's id: ``<UTC time>-<short id>``."""
        return self.directory.name

    @property
    def page(self) -> Path:
        """Where the page goes."""
        return self.directory / "page"

    def log(self, cell: str) -> Path:
        """Where the workers of *cell* write what they print."""
        path = self.directory / "logs" / f"{cell}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def last_words(self, cells: Iterable[str]) -> dict[str, str]:
        """Return the end of what the workers of these *cells* printed, of those that printed anything."""
        ends = {cell: _end(self.directory / "logs" / f"{cell}.log") for cell in cells}
        return {cell: text for cell, text in ends.items() if text}

    def append(self, record: journal.Record) -> None:
        """Put *record* into the journal, and onto the disk's queue, at once. Raises MachineError where there is no space."""
        line = journal.encode(record)
        try:
            with (self.directory / "journal.jsonl").open("ab", buffering=0) as file:
                before = file.tell()
                written = file.write(line)
                if written != len(line):
                    file.truncate(before)
        except OSError as error:
            raise MachineError(f"{self.directory}: the journal cannot be written: {error.strerror}") from error
        if written != len(line):
            raise MachineError(f"{self.directory}: the journal cannot be written: no space is left on the disk")

    def mend(self) -> None:
        """Cut off a last line of the journal that was not written to its end, so that the next record begins a line."""
        path = self.directory / "journal.jsonl"
        whole = path.read_bytes().rpartition(b"\n")
        if whole[2]:
            os.truncate(path, len(whole[0]) + len(whole[1]))

    def records(self) -> list[journal.Record]:
        """Return the journal so far. Raises UsageError where it is none."""
        path = self.directory / "journal.jsonl"
        try:
            return journal.decode(path.read_bytes())
        except (OSError, msgspec.DecodeError) as error:
            raise UsageError(f"{path}: no readable journal: {error}") from error

    def earlier_records(self) -> list[journal.Record]:
        """Return the journal of a run that this process did not begin. Raises UsageError, also where it contradicts itself."""
        found = self.records()
        _see_sound(self.directory / "journal.jsonl", contradictions.in_journal(found))
        return found

    def write_results(self, results: Results, pyperf: Mapping[str, bytes]) -> None:
        """Write ``manifest.json``, ``results.json`` and the pyperf file of every cell."""
        replace(self.directory / "manifest.json", _json(results.manifest))
        replace(self.directory / "results.json", _json(results))
        for cell, content in pyperf.items():
            replace(self.directory / "cells" / f"{cell}.json", content)

    def results(self) -> Results:
        """Read ``results.json``. Raises UsageError where it is missing, of another schema, or contradicts itself."""
        path = self.directory / "results.json"
        try:
            found = msgspec.json.decode(path.read_bytes(), type=Results)
        except (OSError, msgspec.DecodeError) as error:
            raise UsageError(f"{path}: no readable results: {error}") from error
        if found.schema != SCHEMA:
            raise UsageError(f"{path}: schema {found.schema}, and this ctkmatrix reads {SCHEMA}")
        _see_sound(path, contradictions.in_results(found))
        return found


class Store:
    """The directory ``reports/``."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def create(self) -> Run:
        """Make the directory of a new run. Raises MachineError where that is not allowed or there is no space."""
        run = self.directory / "runs" / new_id()
        try:
            run.mkdir(parents=True)
        except OSError as error:
            raise MachineError(f"{run}: cannot be made: {error.strerror}") from error
        return Run(run)

    def point_latest(self, run: Run) -> None:
        """Let ``reports/latest`` point to *run*, in one step."""
        link = self.directory / f".latest-{secrets.token_hex(3)}"
        link.symlink_to(Path("runs") / run.id)
        link.replace(self.directory / "latest")

    def find(self, name: str) -> Run:
        """Return the run called *name* (the start of an id will do), or the newest for ``latest``. Raises UsageError."""
        runs = sorted(path.name for path in (self.directory / "runs").glob("*") if (path / "journal.jsonl").exists())
        found = runs[-1:] if name == "latest" else [run for run in runs if run.startswith(name)]
        if len(found) != 1:
            what = "no run is called" if not found else f"{len(found)} runs begin with"
            raise UsageError(f"{self.directory / 'runs'}: {what} {name!r}{perhaps(name, runs)}")
        return Run(self.directory / "runs" / found[0])


def new_id() -> str:
    """Return an id, ``<UTC time>-<short id>``, that nothing has yet."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


def replace(path: Path, content: bytes) -> None:
    """Write *content* to *path* in one step: a reader sees the old file or the new one. Raises MachineError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        raise MachineError(f"{path}: cannot be written: {error.strerror}") from error


def _see_sound(path: Path, faults: Iterator[str]) -> None:
    """See that there are no *faults* in the file at *path*. Raises UsageError with the first of them."""
    if fault := next(faults, None):
        raise UsageError(
            f"{path}: {fault}. It was changed since ctkmatrix wrote it: put back a copy of it that is whole, or measure again"
        )


def _end(log: Path) -> str:
    """Return the last lines of *log*, or of one long line its end; empty where there is nothing."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - LOG_BYTES))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.rstrip().splitlines()[-LOG_LINES:])


def free_bytes(directory: Path) -> int:
    """Return the space left where *directory* (or its first parent that is there) lies."""
    while not directory.exists():
        directory = directory.parent
    return shutil.disk_usage(directory).free


def _json(value: Manifest | Results) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"
