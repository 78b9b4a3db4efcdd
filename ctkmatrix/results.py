"""A journal -> results: what became of every planned (cell, case, variant). Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ctkmatrix import flags, journal, stats
from ctkmatrix.model import (
    Case,
    Cell,
    CellResult,
    Field,
    Manifest,
    Outcome,
    Results,
    Sample,
    Status,
    Variant,
)
from ctkmatrix.probe.registry import NATIVE, NATIVE_RUNTIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

NEEDS_GPU = "needs a GPU: a genuine driver is checked for"

Key = tuple[str, str, str]
"""(cell id, case id, variant)."""


@dataclass
class Collected:
    """A journal, sorted by what it says."""

    began: journal.Began
    prepared: dict[str, journal.Prepared] = field(default_factory=dict)
    opened: dict[str, list[journal.Opened]] = field(default_factory=lambda: defaultdict(list))
    closed: dict[str, list[journal.Closed]] = field(default_factory=lambda: defaultdict(list))
    points: dict[Key, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    """Each process's value, seconds a turn. The single values stay in the journal: a large matrix's would fill the memory."""
    rounds: dict[int, int] = field(default_factory=dict)
    """By process: its round."""
    problems: dict[Key, Outcome] = field(default_factory=dict)
    lost: dict[tuple[str, str], str] = field(default_factory=dict)
    """By (cell, case): why its worker was lost; the case is empty where the worker could not open."""
    dirt: dict[tuple[str, str], str] = field(default_factory=dict)
    looped: float = 0.0
    lifetime: float = 0.0
    paused: list[journal.Paused] = field(default_factory=list)


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
            case journal.Prepared():
                found.prepared[record.cell] = record
            case journal.Opened():
                found.opened[record.cell].append(record)
            case journal.Lost():
                found.lost.setdefault((record.cell, record.case), record.reason)
            case journal.Closed():
                found.closed[record.cell].append(record)
                found.looped += record.looped
                found.lifetime += record.lifetime
            case journal.Paused():
                found.paused.append(record)
    return found


def _add_block(found: Collected, record: journal.Measured) -> None:
    cell, case, process = record.cell, record.case, record.process
    found.rounds[process] = record.round
    for variant, values in record.results.items():
        found.points[cell, case, variant][process] = stats.median(values.values)
    if record.dirt:
        found.dirt.setdefault((cell, case), record.dirt)
    for variant, reason in record.failures.items():
        found.problems.setdefault((cell, case, variant), Outcome(Status.FAILED, reason))
    for variant, reason in record.absent.items():
        found.problems.setdefault((cell, case, variant), Outcome(Status.NOT_APPLICABLE, reason))


def by_round(found: Collected, key: Key) -> dict[int, float]:
    """Return a variant's value in each round, seconds a turn. Raises ValueError where a round has two processes of it."""
    points = found.points.get(key, {})
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


def assemble(found: Collected, cases: Sequence[Case], excluded: Sequence[tuple[Cell, str]], target: float) -> Results:
    """Return the results of a run. *target* is in seconds a call."""
    planned = _flagged(found, cases)
    by_cell: dict[str, list[Field]] = defaultdict(list)
    for one in planned:
        by_cell[one.cell].append(one)
    cells = tuple(_cell_result(found, cell, by_cell[cell.id]) for cell in found.began.cells)
    return Results(_manifest(found, planned), tuple(cases), cells, planned, target, tuple(excluded))


def fields(found: Collected, cases: Sequence[Case]) -> tuple[Field, ...]:
    """Return the field of every planned (cell, case, variant)."""
    return tuple(_field(found, cell, case, variant) for cell in found.began.cells for case in cases for variant in case.variants)


def _flagged(found: Collected, cases: Sequence[Case]) -> tuple[Field, ...]:
    """Return the fields with their flags, which no decision during the run needs."""
    planned, by_id = fields(found, cases), {case.id: case for case in cases}
    by_key = {(one.cell, one.case, one.variant): one for one in planned}
    whole = []
    for key, one in by_key.items():
        native = by_key.get((one.cell, one.case, twin(one.variant))) if one.overhead else None
        rounds = [found.rounds[process] for process in sorted(found.points.get(key, ()))]
        raised = flags.of_field(one, native, rounds, by_id[one.case], found.began)
        whole.append(replace(one, flags=raised) if raised else one)
    return tuple(whole)


def is_complete(fields: Iterable[Field], processes: int) -> bool:
    """Whether everything was measured in all planned *processes*; what a version or the device cannot do does not count."""
    return all(
        one.time is not None and len(one.time.points) >= processes
        for one in fields
        if one.outcome.status is not Status.NOT_APPLICABLE
    )


def twin(variant: str) -> str:
    """Return the native variant that *variant* is set against."""
    return NATIVE_RUNTIME if variant.endswith("-runtime") else NATIVE


def _field(found: Collected, cell: Cell, case: Case, variant: Variant) -> Field:
    key = (cell.id, case.id, variant.name)
    outcome = _outcome(found, key, cell, variant)
    if outcome.status is not Status.MEASURED:
        return Field(*key, outcome)
    own = found.points[key]
    time = stats.estimate([own[process] for process in sorted(own)])
    against = _twin(found, cell, case, variant)
    overhead, ratio = (stats.paired(own, against) if against else None) or (None, None)
    return Field(*key, outcome, time, overhead, ratio)


def _twin(found: Collected, cell: Cell, case: Case, variant: Variant) -> dict[int, float] | None:
    """Return each process's value of the native twin of *variant*; ``None`` where there is none, or it was not measured."""
    name = twin(variant.name)
    for native in case.variants:
        if native.name == name and native is not variant:
            key = (cell.id, case.id, name)
            return found.points[key] if _outcome(found, key, cell, native).status is Status.MEASURED else None
    return None


def _outcome(found: Collected, key: Key, cell: Cell, variant: Variant) -> Outcome:
    """Return what is to be said of a field, the weightiest first: a failure in any process is a failure."""
    return next(_judgements(found, key, cell, variant), Outcome(Status.NOT_RUN, "the run ended before it"))


def _judgements(found: Collected, key: Key, cell: Cell, variant: Variant) -> Iterator[Outcome]:
    name, case, _ = key
    prepared = found.prepared.get(name)
    if prepared and prepared.reason and key not in found.points:
        yield Outcome(Status.NOT_RUN, prepared.reason)
    if variant.needs == "gpu" and found.began.device["kind"] != "gpu":
        yield Outcome(Status.NOT_APPLICABLE, NEEDS_GPU)
    if variant.name == "core" and cell.core is None:
        yield Outcome(Status.NOT_APPLICABLE, "this cell has no cuda.core")
    if problem := found.problems.get(key):
        yield problem
    if reason := found.lost.get((name, case)):
        yield Outcome(Status.FAILED, reason)
    if dirt := found.dirt.get((name, case)):
        yield Outcome(Status.FAILED, f"it left the process unclean: {dirt}")
    if key in found.points:
        yield Outcome(Status.MEASURED)
    if reason := found.lost.get((name, "")):
        yield Outcome(Status.NOT_RUN, f"the worker did not start: {reason}")


def _cell_result(found: Collected, cell: Cell, fields: Sequence[Field]) -> CellResult:
    opened = found.opened.get(cell.id, [])
    prepared = found.prepared.get(cell.id)
    provenance: dict[str, Any] = dict(prepared.provenance) if prepared else {}
    if opened:
        provenance |= opened[0].identity
    return CellResult(
        cell,
        _cell_outcome(fields),
        flags.of_cell(cell, found.began, prepared, opened, found.closed.get(cell.id, [])),
        len(set().union(*(found.points.get((one.cell, one.case, one.variant), {}) for one in fields))),
        provenance,
    )


def _cell_outcome(fields: Sequence[Field]) -> Outcome:
    planned = [one for one in fields if one.outcome.status is not Status.NOT_APPLICABLE]
    missing = [one for one in planned if one.outcome.status is not Status.MEASURED]
    if not missing:
        return Outcome(Status.MEASURED)
    reasons = {one.outcome.reason for one in missing}
    if len(missing) == len(planned):
        kinds = {one.outcome.status for one in missing}
        return Outcome(kinds.pop() if len(kinds) == 1 else Status.FAILED, "; ".join(sorted(reasons)))
    return Outcome(Status.FAILED, f"{len(missing)} of {len(planned)}: {'; '.join(sorted(reasons))}")


def _manifest(found: Collected, fields: Iterable[Field]) -> Manifest:
    began, last = found.began, found.paused[-1] if found.paused else None
    return Manifest(
        run=began.run,
        started=began.at,
        finished=last.at if last else "",
        status="interrupted"
        if last is None or last.interrupted
        else "complete"
        if is_complete(fields, began.profile.processes)
        else "incomplete",
        arguments=began.arguments,
        profile=began.profile,
        seed=began.seed,
        device_kind=began.device["kind"],
        device=began.device,
        machine=began.machine,
        harness=began.harness,
        orchestrator=began.orchestrator,
        timed_share=found.looped / found.lifetime if found.lifetime else None,
        worker_seconds=found.lifetime,
        wall_seconds=sum(pause.wall for pause in found.paused),
    )
