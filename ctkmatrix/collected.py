"""A journal, sorted by what it says: all that results and verdicts are derived from. Pure."""

from __future__ import annotations

import gc
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ctkmatrix import journal, stats
from ctkmatrix.model import Burst, Outcome, Sample, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Key = tuple[str, str, str]
"""(cell id, case id, variant)."""


@dataclass
class Collected:
    """A journal, sorted by what it says."""

    began: journal.Began
    prepared: dict[str, journal.Prepared] = field(default_factory=dict)
    burst: Burst | None = None
    opened: dict[str, list[journal.Opened]] = field(default_factory=lambda: defaultdict(list))
    closed: dict[str, list[journal.Closed]] = field(default_factory=lambda: defaultdict(list))
    counting: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """By cell: seconds of the workers that counted, spawn to exit."""
    points: stats.Points = field(default_factory=stats.Points)
    """Each process's value. The single values stay in the journal: a large matrix's would fill the memory."""
    rounds: dict[int, int] = field(default_factory=dict)
    """By process: its round."""
    counted: dict[Key, dict[int, journal.Instructions]] = field(default_factory=lambda: defaultdict(dict))
    """By heap: what was counted there."""
    watched: dict[str, journal.Opened] = field(default_factory=dict)
    """By cell: the first worker that counted."""
    problems: dict[Key, Outcome] = field(default_factory=dict)
    lost: dict[tuple[str, str], str] = field(default_factory=dict)
    """By (cell, case): why its worker was lost; the case is empty where the worker could not open."""
    dirt: dict[tuple[str, str], str] = field(default_factory=dict)
    looped: float = 0.0
    lifetime: float = 0.0
    paused: list[journal.Paused] = field(default_factory=list)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector, which would look again and again at millions of objects that hold no cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@gc_paused()
def collect(records: Iterable[journal.Record]) -> Collected:
    """Sort *records*. Raises ValueError where they do not begin with a plan."""
    rest = iter(records)
    first = next(rest, None)
    if not isinstance(first, journal.Began):
        raise ValueError("the journal does not begin with a plan")  # noqa: TRY004 -- the content is wrong, not a type
    found = Collected(first)
    for record in rest:
        match record:
            case journal.Measured():
                _add_block(found, record)
            case journal.Prepared() | journal.Settled():
                _add_ground(found, record)
            case journal.Counted():
                _add_count(found, record)
            case journal.Opened():
                _add_opened(found, record)
            case journal.Lost():
                found.lost.setdefault((record.cell, record.case), record.reason)
            case journal.Closed():
                _add_closed(found, record)
            case journal.Paused():
                found.paused.append(record)
    return found


def _add_ground(found: Collected, record: journal.Prepared | journal.Settled) -> None:
    if isinstance(record, journal.Settled):
        found.burst = record.burst
    else:
        found.prepared[record.cell] = record


def _add_opened(found: Collected, record: journal.Opened) -> None:
    if record.counted:
        found.watched.setdefault(record.cell, record)
    else:
        found.opened[record.cell].append(record)


def _add_closed(found: Collected, record: journal.Closed) -> None:
    if record.counted:
        found.counting[record.cell] += record.lifetime
    else:
        found.closed[record.cell].append(record)
        found.looped += record.looped
        found.lifetime += record.lifetime


def _add_block(found: Collected, record: journal.Measured) -> None:
    found.rounds[record.process] = record.round
    if record.results:
        found.points.add(record)
    if record.dirt:
        found.dirt.setdefault((record.cell, record.case), record.dirt)
    if record.failures or record.absent:
        _add_problems(found, record)


def _add_count(found: Collected, record: journal.Counted) -> None:
    for variant, count in record.results.items():
        found.counted[record.cell, record.case, variant][record.round] = count
    if record.dirt:
        found.dirt.setdefault((record.cell, record.case), record.dirt)
    _add_problems(found, record)


def _add_problems(found: Collected, record: journal.Answered) -> None:
    for status, reasons in ((Status.FAILED, record.failures), (Status.NOT_APPLICABLE, record.absent)):
        for variant, reason in reasons.items():
            found.problems.setdefault((record.cell, record.case, variant), Outcome(status, reason))


def by_round(found: Collected, key: Key) -> dict[int, float]:
    """Return a variant's value in each round, seconds a turn. Raises ValueError where a round has two processes of it."""
    points = found.points.of(*key)
    values = {found.rounds[process]: value for process, value in points.items()}
    if len(values) < len(points):
        raise ValueError(f"a round holds two processes of {' '.join(key)}")
    return values


def samples(records: Iterable[journal.Record]) -> dict[Key, list[Sample]]:
    """Return the single values of everything that was measured."""
    found: dict[Key, list[Sample]] = defaultdict(list)
    for one in records:
        if isinstance(one, journal.Measured):
            for variant, got in one.results.items():
                sample = Sample(one.cell, one.case, variant, one.process, one.round, got.loops, got.values, got.warmups)
                found[one.cell, one.case, variant].append(sample)
    return found
