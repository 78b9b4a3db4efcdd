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
    samples: dict[Key, list[Sample]] = field(default_factory=lambda: defaultdict(list))
    problems: dict[Key, Outcome] = field(default_factory=dict)
    lost: dict[tuple[str, str], str] = field(default_factory=dict)
    """By (cell, case): why its worker was lost; the case is empty where the worker could not open."""
    dirt: dict[tuple[str, str], str] = field(default_factory=dict)
    looped: float = 0.0
    lifetime: float = 0.0
    paused: list[journal.Paused] = field(default_factory=list)


def collect(records: Iterable[journal.Record]) -> Collected:
    """Sort *records*. Raises ValueError where they do not begin with a plan."""
    first, *rest = records
    if not isinstance(first, journal.Began):
        raise ValueError("the journal does not begin with a plan")  # noqa: TRY004 -- the content is wrong, not a type
    found = Collected(first)
    for record in rest:
        match record:
            case journal.Prepared():
                found.prepared[record.cell] = record
            case journal.Opened():
                found.opened[record.cell].append(record)
            case journal.Measured():
                _add_block(found, record)
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
    if record.dirt:
        found.dirt.setdefault((record.cell, record.case), record.dirt)
    for variant, values in record.results.items():
        found.samples[record.cell, record.case, variant].append(
            Sample(
                record.cell,
                record.case,
                variant,
                record.process,
                record.round,
                values.loops,
                values.values,
                values.warmups,
            )
        )
    for status, reasons in ((Status.FAILED, record.failures), (Status.NOT_APPLICABLE, record.absent)):
        for variant, reason in reasons.items():
            found.problems.setdefault((record.cell, record.case, variant), Outcome(status, reason))


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
    return tuple(
        replace(one, flags=flags.of_field(one, native, found.samples.get(key, ()), by_id[one.case], found.began))
        for key, one in by_key.items()
        for native in (by_key.get((one.cell, one.case, twin(one.variant))) if one.overhead else None,)
    )


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
    outcome = _outcome(found, cell, case, variant)
    if outcome.status is not Status.MEASURED:
        return Field(cell.id, case.id, variant.name, outcome)
    own = stats.by_process(found.samples[cell.id, case.id, variant.name])
    time = stats.estimate([own[process] for process in sorted(own)])
    native = next((one for one in case.variants if one.name == twin(variant.name)), None)
    if native is None or native == variant or _outcome(found, cell, case, native).status is not Status.MEASURED:
        return Field(cell.id, case.id, variant.name, outcome, time)
    against = stats.by_process(found.samples[cell.id, case.id, native.name])
    overhead, ratio = stats.paired(own, against) or (None, None)
    return Field(cell.id, case.id, variant.name, outcome, time, overhead, ratio)


def _outcome(found: Collected, cell: Cell, case: Case, variant: Variant) -> Outcome:
    """Return what is to be said of a field, the weightiest first: a failure in any process is a failure."""
    return next(_judgements(found, cell, case, variant), Outcome(Status.NOT_RUN, "the run ended before it"))


def _judgements(found: Collected, cell: Cell, case: Case, variant: Variant) -> Iterator[Outcome]:
    prepared = found.prepared.get(cell.id)
    if prepared and prepared.reason and (cell.id, case.id, variant.name) not in found.samples:
        yield Outcome(Status.NOT_RUN, prepared.reason)
    if variant.needs == "gpu" and found.began.device["kind"] != "gpu":
        yield Outcome(Status.NOT_APPLICABLE, NEEDS_GPU)
    if variant.name == "core" and cell.core is None:
        yield Outcome(Status.NOT_APPLICABLE, "this cell has no cuda.core")
    if problem := found.problems.get((cell.id, case.id, variant.name)):
        yield problem
    if reason := found.lost.get((cell.id, case.id)):
        yield Outcome(Status.FAILED, reason)
    if dirt := found.dirt.get((cell.id, case.id)):
        yield Outcome(Status.FAILED, f"it left the process unclean: {dirt}")
    if (cell.id, case.id, variant.name) in found.samples:
        yield Outcome(Status.MEASURED)
    if reason := found.lost.get((cell.id, "")):
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
        len({sample.process for one in fields for sample in found.samples.get((one.cell, one.case, one.variant), ())}),
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
