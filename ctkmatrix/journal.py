"""The records of a run, in the order in which they happen: what a journal holds and everything else is derived from."""

from __future__ import annotations

from typing import Any

import msgspec

from ctkmatrix.model import SCHEMA, Burst, Cell, Metric, Profile


class Began(msgspec.Struct, frozen=True, tag="began", kw_only=True):
    """The run's plan, and the machine that it began on. ``cases`` maps case ids to case versions.

    ``counter`` describes what counts instructions: valgrind's version and the hash of the null driver; empty where none are.
    """

    run: str
    at: str
    arguments: tuple[str, ...]
    profile: Profile
    seed: int
    cells: tuple[Cell, ...]
    cases: dict[str, str]
    device: dict[str, Any]
    machine: dict[str, Any]
    harness: dict[str, Any]
    orchestrator: dict[str, str]
    metric: Metric = Metric.TIME
    counter: dict[str, str] = {}
    schema: int = SCHEMA


class Prepared(msgspec.Struct, frozen=True, tag="prepared", kw_only=True):
    """What a cell is measured with; or ``reason``: why it cannot be measured. ``native`` maps variants to what was built."""

    cell: str
    reason: str = ""
    native: dict[str, dict[str, Any]] = {}
    provenance: dict[str, Any] = {}


class Settled(msgspec.Struct, frozen=True, tag="settled", kw_only=True):
    """The length of bursts was settled, once for the whole run."""

    burst: Burst


class Opened(msgspec.Struct, frozen=True, tag="opened", kw_only=True):
    """A worker process is ready; ``identity`` is what it says of itself, ``padding`` is in bytes.

    ``counted`` says that it counts instructions, under callgrind; ``round`` is then the seed of its heap.
    """

    cell: str
    process: int
    round: int
    cpu: int | None
    padding: int
    identity: dict[str, Any]
    telemetry: dict[str, Any] = {}
    counted: bool = False


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """A block was answered. ``failures`` and ``absent`` (not in this version) map variants to reasons."""

    cell: str
    process: int
    round: int
    case: str
    failures: dict[str, str] = {}
    absent: dict[str, str] = {}
    dirt: str = ""


class Values(msgspec.Struct, frozen=True):
    """One variant's values in one process, seconds a turn."""

    loops: int
    values: tuple[float, ...]
    warmups: tuple[float, ...]


class Measured(Answered, frozen=True, tag="measured", kw_only=True):
    """A block was measured; ``looped`` is the seconds inside timed loops."""

    results: dict[str, Values]
    looped: float = 0.0


class Instructions(msgspec.Struct, frozen=True):
    """One variant's instructions a turn in one process, from blocks of ``turns`` and twice as many."""

    turns: int
    instructions: float
    settled: bool


class Counted(Answered, frozen=True, tag="counted", kw_only=True):
    """A block's instructions were counted."""

    results: dict[str, Instructions]


class Lost(msgspec.Struct, frozen=True, tag="lost", kw_only=True):
    """A worker died, hung, or could not open (``case`` is then empty)."""

    cell: str
    process: int
    round: int
    case: str
    reason: str


class Closed(msgspec.Struct, frozen=True, tag="closed", kw_only=True):
    """A worker has ended; ``lifetime`` is seconds from spawn to exit, ``looped`` those inside timed loops."""

    cell: str
    process: int
    lifetime: float
    looped: float
    telemetry: dict[str, Any] = {}
    counted: bool = False


class Paused(msgspec.Struct, frozen=True, tag="paused", kw_only=True):
    """The run ended, or was interrupted and can be gone on with; ``wall`` is the seconds that this invocation took."""

    at: str
    interrupted: bool
    wall: float


Record = Began | Prepared | Settled | Opened | Measured | Counted | Lost | Closed | Paused

_decoder = msgspec.json.Decoder(Record)


def encode(record: Record) -> bytes:
    """Return *record* as one line of JSON."""
    return msgspec.json.encode(record) + b"\n"


def decode(text: bytes) -> list[Record]:
    """Return the records of a journal; a last line that was cut off (a crash, a full disk) counts for nothing.

    Raises msgspec.DecodeError on any other line that is no record.
    """
    lines = text.split(b"\n")
    return [_decoder.decode(line) for line in lines[:-1] if line]
