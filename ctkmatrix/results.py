"""A journal -> results: what became of every planned (cell, case, variant). Pure."""

from __future__ import annotations

import gc
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ctkmatrix import counts, flags, journal, plan, stats, telemetry
from ctkmatrix.model import (
    DEFAULT_MARGINS,
    Burst,
    Case,
    Cell,
    CellResult,
    Count,
    Estimate,
    Field,
    Flag,
    Manifest,
    Margin,
    Metric,
    Outcome,
    Results,
    Sample,
    Status,
    Variant,
)
from ctkmatrix.needs import NULL, lack, target
from ctkmatrix.probe.registry import NATIVE, NATIVE_RUNTIME

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

MEASURED = Outcome(Status.MEASURED)
UNREACHED = Outcome(Status.NOT_RUN, "the run ended before it")

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
def _uncollected() -> Iterator[None]:
    """Pause the garbage collector, which would look again and again at millions of objects that hold no cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@_uncollected()
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


def _add_problems(found: Collected, record: journal.Measured | journal.Counted) -> None:
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


@_uncollected()
def assemble(
    found: Collected,
    cases: Sequence[Case],
    excluded: Sequence[tuple[Cell, str]],
    target: float,
    margins: Sequence[tuple[str, Margin]] = DEFAULT_MARGINS,
) -> Results:
    """Return the results of a run. *target* is in seconds a call; *margins* are those of ``Matrix``."""
    planned = fields(found, cases)
    by_cell: dict[str, list[Field]] = defaultdict(list)
    for one in planned:
        by_cell[one.cell].append(one)
    cells = tuple(_cell_result(found, cell, by_cell[cell.id]) for cell in found.began.cells)
    return Results(_manifest(found, planned, cases), tuple(cases), cells, planned, target, tuple(excluded), tuple(margins))


@_uncollected()
def fields(found: Collected, cases: Sequence[Case]) -> tuple[Field, ...]:
    """Return the field of every planned (cell, case, variant)."""
    return tuple(one for cell in found.began.cells for one in _of_cell(found, cell, cases))


def _of_cell(found: Collected, cell: Cell, cases: Sequence[Case]) -> Iterator[Field]:
    """Yield the fields of a *cell*, whose numbers are made together: enough for arrays, and little enough for a cache."""
    planned = {(cell.id, case.id, variant.name): (case, variant) for case in cases for variant in case.variants}
    outcomes = {key: _outcome(found, key, cell, variant) for key, (_, variant) in planned.items()}
    measured = [key for key, one in outcomes.items() if one.status is Status.MEASURED]
    timed = [key for key in measured if key in found.points]
    row = {key: place for place, key in enumerate(timed)}
    counted = {key: counts.of_heaps(found.counted[key]) for key, one in outcomes.items() if _is_counted(found, key, one)}
    natives = {key: beside for key in timed if (beside := _native(key)) in row and beside != key}
    table = found.points.table(cell.id, [key[1:] for key in timed])
    python, native = table[[row[key] for key in natives]], table[[row[key] for key in natives.values()]]
    times = dict(zip(timed, stats.estimates(table), strict=True))
    overheads = dict(zip(natives, stats.estimates(python - native), strict=True))
    ratios = dict(zip(natives, stats.estimates(python / native), strict=True))
    rounds = np.array([found.rounds[process] for process in found.points.processes(cell.id)])
    raised = dict(zip(timed, _raised(rounds, table), strict=True))
    for key, (case, _) in planned.items():
        overhead = overheads.get(key)
        own = raised.get(key, ())
        one = Field(*key, outcomes[key], times.get(key), overhead, ratios.get(key), own, counted.get(key))
        more = flags.of_field(one, times[natives[key]] if overhead else None, case, found.began, found.burst)
        yield replace(one, flags=one.flags + more) if more else one


def _is_counted(found: Collected, key: Key, outcome: Outcome) -> bool:
    """Whether a field has a count to be shown: also where the GPU lacks what the null driver does not."""
    return key in found.counted and outcome.status in {Status.MEASURED, Status.NOT_APPLICABLE}


def _native(key: Key) -> Key:
    """Return the key that *key* is set against: its own where it is native itself."""
    cell, case, variant = key
    return cell, case, twin(variant)


def _raised(rounds: NDArray[np.int_], table: NDArray[np.float64]) -> list[tuple[Flag, ...]]:
    """Return the flags that the points of each row of a *table* raise by themselves; *rounds* are those of its columns."""
    raised: list[tuple[Flag, ...]] = [()] * len(table)
    for rows, places in stats.alike(table):
        when, points = stats.chosen(np.broadcast_to(rounds, places.shape), places), stats.chosen(table[rows], places)
        for one in np.flatnonzero(flags.suspect(when, points)):
            raised[rows[one]] = flags.of_points(when[one].tolist(), points[one].tolist())
    return raised


def is_complete(fields: Iterable[Field], began: journal.Began, over_null: Container[tuple[str, str]]) -> bool:
    """Whether all was measured in all planned processes; what a version or the device cannot do does not count.

    over_null
        The (case, variant) that run over the null driver: these are counted, where instructions are asked for.
    """
    planned = [one for one in fields if one.outcome.status is not Status.NOT_APPLICABLE]
    timed = began.metric is Metric.INSTRUCTIONS or all(_has(one.time, began.profile.processes) for one in planned)
    return timed and (
        began.metric is Metric.TIME
        or all(_has(one.count, plan.COUNT.processes) for one in planned if (one.case, one.variant) in over_null)
    )


def _has(found: Estimate | Count | None, processes: int) -> bool:
    return found is not None and len(found.points) >= processes


def over_null(cases: Iterable[Case]) -> frozenset[tuple[str, str]]:
    """Return the (case, variant) of *cases* that are counted where instructions are: over the null driver, and no share."""
    return frozenset((case.id, variant) for case in cases if case.countable for variant in plan.variants_of(case, NULL))


def twin(variant: str) -> str:
    """Return the native variant that *variant* is set against."""
    return NATIVE_RUNTIME if variant.endswith("-runtime") else NATIVE


def _outcome(found: Collected, key: Key, cell: Cell, variant: Variant) -> Outcome:
    """Return what is to be said of a field, the weightiest first: a failure in any process is a failure."""
    return next(_judgements(found, key, cell, variant), UNREACHED)


def _judgements(found: Collected, key: Key, cell: Cell, variant: Variant) -> Iterator[Outcome]:
    name, case, _ = key
    prepared, measured = found.prepared.get(name), key in found.points or key in found.counted
    if prepared and prepared.reason and not measured:
        yield Outcome(Status.NOT_RUN, prepared.reason)
    lacking = lack(variant.needs, target(found.began.device["kind"], found.began.device["architecture"]))
    counted = found.began.metric is not Metric.TIME and not lack(variant.needs, NULL)
    if lacking and not counted:
        yield Outcome(Status.NOT_APPLICABLE, lacking)
    if variant.name == "core" and cell.core is None:
        yield Outcome(Status.NOT_APPLICABLE, "this cell has no cuda.core")
    if problem := found.problems.get(key):
        yield problem
    if reason := found.lost.get((name, case)):
        yield Outcome(Status.FAILED, reason)
    if dirt := found.dirt.get((name, case)):
        yield Outcome(Status.FAILED, f"it left the process unclean: {dirt}")
    if lacking:  # it has no time here; a count that went well stays
        yield Outcome(Status.NOT_APPLICABLE, lacking)
    if measured:
        yield MEASURED
    if reason := found.lost.get((name, "")):
        yield Outcome(Status.NOT_RUN, f"the worker did not start: {reason}")


def _cell_result(found: Collected, cell: Cell, fields: Sequence[Field]) -> CellResult:
    opened, closed = found.opened.get(cell.id, []), found.closed.get(cell.id, [])
    prepared = found.prepared.get(cell.id)
    provenance: dict[str, Any] = dict(prepared.provenance) if prepared else {}
    if first := opened[0] if opened else found.watched.get(cell.id):
        provenance |= first.identity
    return CellResult(
        cell,
        _cell_outcome(fields),
        flags.of_cell(cell, found.began, prepared, opened, closed),
        len(found.points.processes(cell.id)) or max((len(one.count.points) for one in fields if one.count), default=0),
        provenance,
        telemetry.work(opened, closed, found.counting.get(cell.id, 0.0)),
    )


def _cell_outcome(fields: Sequence[Field]) -> Outcome:
    planned = [one for one in fields if one.outcome.status is not Status.NOT_APPLICABLE]
    missing = [one for one in planned if one.outcome.status is not Status.MEASURED]
    if not missing:
        return MEASURED
    reasons = {one.outcome.reason for one in missing}
    if len(missing) == len(planned):
        kinds = {one.outcome.status for one in missing}
        return Outcome(kinds.pop() if len(kinds) == 1 else Status.FAILED, "; ".join(sorted(reasons)))
    return Outcome(Status.FAILED, f"{len(missing)} of {len(planned)}: {'; '.join(sorted(reasons))}")


def _manifest(found: Collected, fields: Iterable[Field], cases: Iterable[Case]) -> Manifest:
    began, last = found.began, found.paused[-1] if found.paused else None
    return Manifest(
        run=began.run,
        started=began.at,
        finished=last.at if last else "",
        status="interrupted"
        if last is None or last.interrupted
        else "complete"
        if is_complete(fields, began, over_null(cases))
        else "incomplete",
        arguments=began.arguments,
        profile=began.profile,
        seed=began.seed,
        device_kind=began.device["kind"],
        device=began.device,
        machine=began.machine,
        harness=began.harness,
        orchestrator=began.orchestrator,
        metric=began.metric,
        counter=began.counter,
        burst=found.burst,
        timed_share=found.looped / found.lifetime if found.lifetime else None,
        worker_seconds=found.lifetime,
        wall_seconds=sum(pause.wall for pause in found.paused),
    )
