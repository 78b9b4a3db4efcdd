"""A journal -> results: what became of every planned (cell, case, variant). Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ctkmatrix import counts, flags, plan, stats, telemetry
from ctkmatrix.collected import gc_paused
from ctkmatrix.model import (
    DEFAULT_MARGINS,
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
    Status,
    Variant,
)
from ctkmatrix.needs import NULL, lack, target
from ctkmatrix.probe.registry import NATIVE, NATIVE_RUNTIME

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from ctkmatrix import journal
    from ctkmatrix.collected import Collected, Key

MEASURED = Outcome(Status.MEASURED)
UNREACHED = Outcome(Status.NOT_RUN, "the run ended before it")


@gc_paused()
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


@gc_paused()
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
