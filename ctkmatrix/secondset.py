"""The second, fresh set of processes: which are planned, and which records of a run are theirs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctkmatrix import journal, plan
from ctkmatrix.model import Metric

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctkmatrix.judged import Row
    from ctkmatrix.model import Profile

    Wanted = dict[int, frozenset[tuple[str, str]]]
    """By the number of a round or heap: (cell id, case id)."""

_OF_A_ROUND = (journal.Measured, journal.Counted, journal.Lost)


def beginning(profile: Profile) -> int:
    """Return the number of the second set's first round, and of its first heap: beyond all that the first set can have."""
    return max(profile.processes, profile.max_processes, plan.COUNT.processes)


def wanted(suspects: Iterable[Row], metric: Metric, profile: Profile) -> Wanted:
    """Return what is measured again by *metric*: the cells and the case of each suspect, in as many rounds as at first."""
    found = frozenset((cell, row.case) for row in suspects if row.metric is metric for cell in (row.reference, row.candidate))
    first = beginning(profile)
    many = profile.processes if metric is Metric.TIME else plan.COUNT.processes
    return dict.fromkeys(range(first, first + many), found) if found else {}


def parted(records: Iterable[journal.Record], first: int) -> tuple[list[journal.Record], list[journal.Record]]:
    """Part *records* into those of rounds before *first* and those from it on; what is of no round is in both."""
    before: list[journal.Record] = []
    after: list[journal.Record] = []
    for record in records:
        if not isinstance(record, _OF_A_ROUND):
            before.append(record)
            after.append(record)
        else:
            (before if record.round < first else after).append(record)
    return before, after
