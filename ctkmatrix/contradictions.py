"""In what a results.json or a journal that decodes contradicts itself, as «place: what is wrong». Pure.

All else relies on these rules: that the cell of a field is there, that no time is negative. Somebody may have edited the file.
"""

from __future__ import annotations

import re
from datetime import datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeVar

from packaging.version import VERSION_PATTERN

from ctkmatrix import journal
from ctkmatrix.model import Metric, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from ctkmatrix.model import Case, Cell, Count, Estimate, Field, Profile, Results

    Faults = Iterator[str]

_T = TypeVar("_T")

MOST = 1e15
"""No number of seconds, instructions or processes is more."""

LEAST = 1e-15
"""What something is divided by is no less."""

STATUSES, KINDS, UNITS = ("complete", "incomplete", "interrupted"), ("gpu", "null"), ("time", "share")

_RELEASE = rf"(?xi:{VERSION_PATTERN})"
_COORDINATES = {"toolkit": r"\d+\.\d+", "python": r"3\.\d+t?", "bindings": _RELEASE, "core": _RELEASE, "label": r"[\w.-]*"}
"""What the parts of a cell look like; a ``core`` may be absent."""


def in_results(found: Results) -> Faults:
    """Yield in what results contradict themselves."""
    for rule in _RULES:
        yield from rule(found)


def in_journal(records: Sequence[journal.Record]) -> Faults:
    """Yield in what a journal contradicts itself; its first line is 1."""
    began = records[0] if records else None
    if not isinstance(began, journal.Began):
        yield "line 1: it holds no plan"
        return
    yield from (f"line 1: {fault}" for fault in _began(began))
    cells, cases = {"", *(cell.id for cell in began.cells)}, {"", *began.cases}
    taken: set[tuple[object, ...]] = set()
    for line, record in enumerate(records[1:], start=2):
        for kind, known in (("cell", cells), ("case", cases)):
            if (name := getattr(record, kind, "")) not in known:
                yield f"line {line}: the plan has no {kind} {name!r}"
        yield from (f"line {line}: {fault}" for fault in _record(record, taken))


def _manifest(found: Results) -> Faults:
    one = found.manifest
    yield from _word("manifest.status", one.status, STATUSES)
    yield from _word("manifest.device_kind", one.device_kind, KINDS)
    yield from _architecture("manifest.device", one.device)
    yield from _moment("manifest.started", one.started)
    yield from _moment("manifest.finished", one.finished)
    yield from _profile("manifest.profile", one.profile)
    for name in ("worker_seconds", "wall_seconds"):
        yield from _number(f"manifest.{name}", getattr(one, name))
    if one.burst:
        yield from _number("manifest.burst.length", one.burst.length, 1)


def _cells(found: Results) -> Faults:
    yield from _twice("cells", [one.cell.id for one in found.cells])
    for place, one in _numbered("cells", found.cells):
        yield from _cell(f"{place}.cell", one.cell)
        yield from _number(f"{place}.processes", one.processes)
        for name in ("seconds", "looped", "counting"):
            yield from _number(f"{place}.work.{name}", getattr(one.work, name))
        for name, reading in one.work.readings.items():
            if not -MOST <= reading.low <= reading.high <= MOST:
                yield f"{place}.work.readings.{name}: {reading.low:g} to {reading.high:g} is no range"


def _cases(found: Results) -> Faults:
    yield from _number("target", found.target, LEAST)
    yield from _twice("cases", [case.id for case in found.cases])
    for place, case in _numbered("cases", found.cases):
        yield from _word(f"{place}.unit", case.unit, UNITS)
        yield from _number(f"{place}.calls_per_turn", case.calls_per_turn, 1)
        if case.target:
            yield from _number(f"{place}.target", case.target, LEAST)
        yield from _twice(f"{place}.variants", [variant.name for variant in case.variants])
        for variant in case.variants:
            if not all(re.fullmatch(r"gpu|sm_\d+", need) for need in variant.needs.split()):
                yield f"{place}.variants: {variant.name} needs {variant.needs!r}, which is no device"


def _margins(found: Results) -> Faults:
    for place, (_, margin) in _numbered("margins", found.margins):
        for name in ("relative", "absolute", "instructions"):
            yield from _number(f"{place}.{name}", getattr(margin, name))
    for case in found.cases:
        if not any(fnmatchcase(case.id, glob) for glob, _ in found.margins):
            yield f"margins: none is for {case.id!r}"


def _planned(found: Results) -> Faults:
    """There is a field for every cell, case and variant, and no other."""
    cells = [one.cell.id for one in found.cells]
    left = {(cell, case.id, variant.name) for cell in cells for case in found.cases for variant in case.variants}
    for place, one in _numbered("fields", found.fields):
        key = one.cell, one.case, one.variant
        if key in left:
            left.remove(key)
        else:
            yield f"{place}: {_named(one)}: {_unknown(one, cells, found.cases) or 'it is there twice'}"
    for key in sorted(left)[:1]:
        yield f"fields: there is none of {' '.join(key)}"


def _unknown(one: Field, cells: Collection[str], cases: Sequence[Case]) -> str:
    """Say which part of a field's name is nothing's."""
    if one.cell not in cells:
        return f"there is no cell {one.cell!r}"
    variants = next(([variant.name for variant in case.variants] for case in cases if case.id == one.case), None)
    if variants is None:
        return f"there is no case {one.case!r}"
    return "" if one.variant in variants else f"{one.case} has no variant {one.variant!r}"


def _fields(found: Results) -> Faults:
    """The numbers of every field are such as its status and the run's metric have, in no more processes than its cell had."""
    processes = {one.cell.id: one.processes for one in found.cells}
    for place, one in _numbered("fields", found.fields):
        for fault in _field(one, processes.get(one.cell, 0), found.manifest.metric):
            yield f"{place}: {_named(one)}: {fault}"


def _field(one: Field, processes: int, metric: Metric) -> Faults:
    timed, status = one.time is not None, one.outcome.status
    if (timed or one.overhead or one.ratio) and (metric is Metric.INSTRUCTIONS or status is not Status.MEASURED):
        yield f"it has a time, is «{status}», and the run is by {metric}"
    if one.count and (metric is Metric.TIME or status not in {Status.MEASURED, Status.NOT_APPLICABLE}):
        yield f"it has a count, is «{status}», and the run is by {metric}"
    if status is Status.MEASURED and not timed and not one.count:
        yield "it is «measured» and has no number"
    if (one.overhead is None) != (one.ratio is None) or (one.overhead and not timed):
        yield "overhead, ratio and time go together"
    for name, estimate, least in (("time", one.time, 0.0), ("overhead", one.overhead, -MOST), ("ratio", one.ratio, 0.0)):
        if estimate:
            yield from (f"{name}: {fault}" for fault in _estimate(estimate, least, processes))
    if one.overhead and one.ratio and len(one.overhead.points) != len(one.ratio.points):
        yield f"overhead of {len(one.overhead.points)} processes, and a ratio of {len(one.ratio.points)}"
    if one.count:
        yield from (f"count: {fault}" for fault in _count(one.count))


def _estimate(one: Estimate, least: float, processes: int) -> Faults:
    points, bounds = one.points, [bound for bound in (one.low, one.high) if bound is not None]
    if not 0 < len(points) <= processes:
        yield f"{len(points)} points, and the cell had {processes} processes"
    elif not least <= min(points) <= max(points) <= MOST:
        yield f"points from {min(points):g} to {max(points):g}"
    if len(bounds) == 1 or not all(-MOST <= bound <= MOST for bound in bounds):
        yield f"the interval from {one.low} to {one.high}"
    elif not max([least, *bounds[:1]]) <= one.value <= min([MOST, *bounds[1:]]):
        yield f"the value {one.value:g} between {one.low} and {one.high}"


def _count(one: Count) -> Faults:
    points = one.points or (0.0,)
    if not LEAST <= min(points) <= max(points) <= MOST or one.turns < 1:
        yield f"{len(one.points)} points from {min(points):g} to {max(points):g}, of {one.turns} turns"
    elif (one.minimum, one.maximum) != (min(points), max(points)):
        yield f"the minimum {one.minimum:g} and the maximum {one.maximum:g} are not those of its points"
    if one.modes and sum(mode.processes for mode in one.modes) != len(one.points):
        yield f"modes of {sum(mode.processes for mode in one.modes)} processes, and {len(one.points)} points"


_RULES: tuple[Callable[[Results], Faults], ...] = (_manifest, _cells, _cases, _margins, _planned, _fields)


def _began(one: journal.Began) -> Faults:
    yield from _word("device.kind", one.device.get("kind"), KINDS)
    yield from _architecture("device", one.device)
    for place, tree, name in (("device", one.device, "uuid"), ("device", one.device, "name"), ("machine", one.machine, "id")):
        if not isinstance(tree.get(name), str):
            yield f"{place}.{name}: it is no text"
    yield from _moment("at", one.at)
    yield from _profile("profile", one.profile)
    yield from _telemetry("device.telemetry", one.device.get("telemetry", {}))
    yield from _twice("cells", [cell.id for cell in one.cells])
    for place, cell in _numbered("cells", one.cells):
        yield from _cell(place, cell)


def _record(one: journal.Record, taken: set[tuple[object, ...]]) -> Faults:
    """Yield what is wrong with one record after the first; *taken* is what blocks before it have measured."""
    for name, least in (("process", 0), ("round", 0), ("lifetime", 0), ("looped", 0), ("wall", 0)):
        yield from _number(name, getattr(one, name, least), least)
    match one:
        case journal.Began():
            yield "a second plan"
        case journal.Measured() | journal.Counted():
            yield from _block(one, taken)
        case journal.Opened():
            if not isinstance(one.identity.get("python"), dict):
                yield "identity.python: it is no table"
            yield from _telemetry("telemetry", one.telemetry)
        case journal.Closed():
            yield from _telemetry("telemetry", one.telemetry)
        case journal.Settled():
            yield from _number("burst.length", one.burst.length, 1)


def _block(one: journal.Measured | journal.Counted, taken: set[tuple[object, ...]]) -> Faults:
    key = type(one), one.cell, one.case, one.round
    if key in taken:
        yield f"round {one.round} has {one.case!r} of {one.cell} already"
    taken.add(key)
    for variant, result in one.results.items():
        if isinstance(result, journal.Instructions):
            yield from _number(f"results.{variant}.turns", result.turns, 1)
            yield from _number(f"results.{variant}.instructions", result.instructions, LEAST)
        elif not result.values or not 0 <= min(result.values) <= max(result.values) <= MOST or result.loops < 1:
            least = min(result.values, default=0.0)
            yield f"results.{variant}: {len(result.values)} values from {least:g}, of {result.loops} turns"


def _telemetry(place: str, reading: object) -> Faults:
    """CPU time, where it was read, is told by three counters; a GPU's readings are a table."""
    of = {name: reading.get(name, {}) if isinstance(reading, dict) else None for name in ("cpu", "gpu")}
    for name, known in of.items():
        if not isinstance(known, dict):
            yield f"{place}.{name}: it is no table"
    cpu = of["cpu"]
    if isinstance(cpu, dict) and cpu and not all(isinstance(cpu.get(name), float | int) for name in ("busy", "ours", "clock")):
        yield f"{place}.cpu: «busy», «ours» and «clock» are no numbers"


def _cell(place: str, cell: Cell) -> Faults:
    for name, pattern in _COORDINATES.items():
        value = getattr(cell, name)
        if value is not None and not re.fullmatch(pattern, value):
            yield f"{place}.{name}: {value!r} is none"


def _profile(place: str, one: Profile) -> Faults:
    for name, least in (("processes", 1), ("values", 1), ("max_processes", 0), ("seconds_per_value", 0), ("block_limit", 0)):
        yield from _number(f"{place}.{name}", getattr(one, name), least)


def _architecture(place: str, device: Mapping[str, object]) -> Faults:
    if not re.fullmatch(r"\d+", str(device.get("architecture"))):
        yield f"{place}.architecture: {device.get('architecture')!r} is none"


def _number(place: str, value: float, least: float = 0.0) -> Faults:
    if not least <= value <= MOST:
        yield f"{place}: {value:g} is not from {least:g} to {MOST:g}"


def _word(place: str, value: object, known: Sequence[str]) -> Faults:
    if value not in known:
        yield f"{place}: {value!r} is none of {', '.join(known)}"


def _moment(place: str, text: str) -> Faults:
    try:
        datetime.fromisoformat(text or "1970-01-01")
    except ValueError:
        yield f"{place}: {text!r} is no time of day"


def _twice(place: str, names: Sequence[str]) -> Faults:
    for name in names:
        if not name or names.count(name) > 1:
            yield f"{place}: {name!r} is there {'twice' if name else 'without a name'}"
            return


def _numbered(place: str, items: Sequence[_T]) -> Iterator[tuple[str, _T]]:
    return ((f"{place}[{number}]", item) for number, item in enumerate(items))


def _named(one: Field) -> str:
    return f"{one.cell} {one.case}/{one.variant}"
