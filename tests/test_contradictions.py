"""A results.json or a journal that contradicts itself is told by place, and never ends in the middle of a page."""

from __future__ import annotations

import copy
import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from ctkmatrix import collected, export, pagedata, report, results
from ctkmatrix import journal as journals
from ctkmatrix.contradictions import in_journal, in_results
from ctkmatrix.errors import UsageError
from ctkmatrix.grid import by_key
from ctkmatrix.model import Case, Metric, Profile, Results, Status, Variant
from ctkmatrix.store import Run
from tests import results_factory, sides_factory
from tests.test_journal import BEGAN, BURST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

Place = tuple[str | int, ...]

CASES = ("device.get", "event.record", "enum.member")
CELL = BEGAN.cells[0].id


def whole(metric: Metric = Metric.BOTH) -> Results:
    """Return results of two cells and three cases: with a cell that did not run, and a variant that needs a GPU."""
    made = sides_factory.machine(results_factory.results(metric=metric))
    cells = tuple(one for number, one in enumerate(made.cells) if number in {0, 3})
    names = {one.cell.id for one in cells}
    return dataclasses.replace(
        made,
        cells=cells,
        cases=tuple(case for case in made.cases if case.id in CASES),
        fields=tuple(one for one in made.fields if one.case in CASES and one.cell in names),
    )


def tree(value: object) -> Any:
    """Return *value* as its JSON is read by anybody."""
    return msgspec.json.decode(msgspec.json.encode(value))


def at(value: Any, place: Place) -> Any:
    """Return what lies at *place*."""
    for key in place:
        value = value[key]
    return value


def changed(value: Any, place: Place, to: object) -> Any:
    """Return *value* with another leaf at *place*."""
    made = copy.deepcopy(value)
    at(made, place[:-1])[place[-1]] = to
    return made


def leaves(value: Any, place: Place = ()) -> Iterator[Place]:
    """Yield the place of everything in *value*."""
    if place:
        yield place
    keys: Any = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield from leaves(value[key], (*place, key))


def others(value: Any) -> list[object]:
    """Return what somebody might have made of *value*."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [-abs(value) - 1, 0, 1e300]
    if isinstance(value, str):
        return ["", "nonsense"]
    if isinstance(value, list):
        return [[], value + value[:1], value[:-1]]
    return [{}, None, 1.0] if value is None or isinstance(value, dict) else []


def kinds(value: Any) -> list[Place]:
    """Return one place of each kind in *value*: of the items of a list, those that have something of their own."""
    found: dict[tuple[str, ...], Place] = {}
    for place in leaves(value):
        named = tuple("#" if isinstance(key, int) else key for key in place)
        found.setdefault((*named, type(at(value, place)).__name__), place)
    return list(found.values())


def read(value: Any) -> Results:
    """Read *value* as results are read. Raises UsageError."""
    try:
        found = msgspec.convert(value, Results)
    except msgspec.ValidationError as error:
        raise UsageError(str(error)) from error
    for fault in in_results(found):
        raise UsageError(fault)
    return found


def shown(found: Results) -> None:
    """Make all that is made of results, but the HTML."""
    report.view(found)
    export.table(found)
    pagedata.block(pagedata.payload(found, by_key(found)))


@pytest.mark.parametrize("metric", list(Metric))
def test_results_that_are_whole_have_no_fault(metric: Metric) -> None:
    """By time, by instructions, by both; with failures and cells that did not run."""
    assert not list(in_results(whole(metric)))
    assert not list(in_results(results_factory.results(metric=metric)))


def test_whatever_a_value_becomes_there_is_a_page_or_a_word_about_it() -> None:
    """Each kind of value in a results.json, made another one: it is refused, or all that a page takes can be made."""
    good, refused = tree(whole()), 0
    for place in kinds(good):
        for other in others(at(good, place)):
            try:
                shown(read(changed(good, place, other)))
            except UsageError:
                refused += 1
            except Exception as error:
                raise AssertionError(f"{place} made {other!r}") from error
    assert refused > 100


@pytest.mark.parametrize(
    ("place", "to", "told"),
    [
        (("fields", 0, "cell"), "cu1", "fields[0]: cu1 device.get/native: there is no cell 'cu1'"),
        (("fields", 1, "case"), "x", "there is no case 'x'"),
        (("fields", 1, "variant"), "x", "device.get has no variant 'x'"),
        (("fields", 1, "variant"), "native", "fields[1]: cu12.9-py3.11-b12.9.4-c1.2.2 device.get/native: it is there twice"),
        (("fields",), [], "fields: there is none of cu12.9-py3.11-b12.9.4-c1.2.2 device.get bindings"),
        (("fields", 0, "time", "points"), [1e-9] * 13, "time: 13 points, and the cell had 12 processes"),
        (("fields", 0, "time", "points", 3), -1e-9, "time: points from -1e-09"),
        (("fields", 0, "time", "low"), 1, "between 1.0 and"),
        (("fields", 0, "time", "low"), None, "the interval from None"),
        (("fields", 1, "ratio", "points"), [2.0], "overhead of 12 processes, and a ratio of 1"),
        (("fields", 1, "ratio"), None, "overhead, ratio and time go together"),
        (("fields", 0, "outcome", "status"), "failed", "it has a time, is «failed»"),
        (("fields", 0, "count", "minimum"), 0, "the minimum 0 and the maximum"),
        (("fields", 0, "count", "points"), [], "count: 0 points"),
        (("fields", 0, "count", "modes"), [{"instructions": 1, "processes": 1}], "modes of 1 processes, and 5 points"),
        (("manifest", "status"), "done", "'done' is none of complete, incomplete, interrupted"),
        (("manifest", "started"), "noon", "manifest.started: 'noon' is no time of day"),
        (("manifest", "metric"), "time", "it has a count, is «measured», and the run is by time"),
        (("manifest", "device", "architecture"), None, "manifest.device.architecture"),
        (("cells", 0, "cell", "toolkit"), "thirteen", "cells[0].cell.toolkit: 'thirteen' is none"),
        (("cells", 0, "processes"), -1, "cells[0].processes: -1 is not from 0"),
        (("cases", 0, "calls_per_turn"), 0, "cases[0].calls_per_turn: 0 is not from 1"),
        (("cases", 0, "variants", 0, "needs"), "luck", "native needs 'luck'"),
        (("cases", 1, "id"), "device.get", "cases: 'device.get' is there twice"),
        (("margins",), [["x.*", {"relative": 0.1, "absolute": 1}]], "margins: none is for 'device.get'"),
        (("target",), 0, "target: 0 is not from 1e-15"),
    ],
)
def test_the_place_is_told(place: Place, to: object, told: str) -> None:
    """What is wrong and where: with the field's name, as a number alone is hard to find."""
    with pytest.raises(UsageError) as caught:
        read(changed(tree(whole()), place, to))
    assert told in str(caught.value)


def test_a_measured_field_has_a_number() -> None:
    """One without would be drawn as if it had not been planned."""
    good = whole()
    bare = dataclasses.replace(good.fields[0], time=None, overhead=None, ratio=None, count=None)
    assert bare.outcome.status is Status.MEASURED
    made = dataclasses.replace(good, fields=(bare, *good.fields[1:]))
    assert "it is «measured» and has no number" in next(in_results(made))


def journal() -> list[journals.Record]:
    """Return a journal with a record of each kind."""
    python = {"python": {"version": "3.14.1"}}
    telemetry = {"cpu": {"busy": 1.0, "ours": 0.5, "clock": 3.0}, "gpu": {"sm_clock": 1980}, "load": 0.2}
    return [
        msgspec.structs.replace(BEGAN, profile=Profile("one", 1, 5, 0.004, 60), device={**BEGAN.device, "telemetry": telemetry}),
        journals.Prepared(cell=CELL, native={"native": {"nvcc": True}}),
        journals.Settled(burst=BURST),
        journals.Opened(cell=CELL, process=0, round=0, cpu=1, padding=7, identity=python, telemetry=telemetry),
        journals.Measured(cell=CELL, process=0, round=0, case="a.b", results={"core": journals.Values(1, (1e-9, 2e-9), ())}),
        journals.Counted(cell=CELL, process=1, round=0, case="a.b", results={"core": journals.Instructions(100, 9.0, True)}),
        journals.Lost(cell=CELL, process=1, round=0, case="", reason="crashed"),
        journals.Closed(cell=CELL, process=0, lifetime=2.0, looped=1.0, telemetry=telemetry),
        journals.Paused(at="2026-01-01T00:00:00+00:00", interrupted=False, wall=3.0),
    ]


def collect(records: Sequence[Any]) -> None:
    """Read *records* as a journal is read, and make results of them. Raises UsageError."""
    try:
        found = [msgspec.json.decode(msgspec.json.encode(one), type=journals.Record) for one in records]
    except msgspec.ValidationError as error:
        raise UsageError(str(error)) from error
    for fault in in_journal(found):
        raise UsageError(fault)
    results.assemble(collected.collect(found), [Case("a.b", "B.", (Variant("core", ()),))], (), 1e-6)


def test_whatever_a_value_of_a_journal_becomes_there_are_results_or_a_word_about_it() -> None:
    """Each kind of value in each kind of record, made another one."""
    good, refused = [tree(one) for one in journal()], 0
    collect(good)
    for line, record in enumerate(good):
        for place in kinds(record):
            for other in others(at(record, place)):
                try:
                    collect([*good[:line], changed(record, place, other), *good[line + 1 :]])
                except UsageError:
                    refused += 1
                except Exception as error:
                    raise AssertionError(f"line {line + 1}, {place} made {other!r}") from error
    assert refused > 50


@pytest.mark.parametrize(
    ("line", "change", "told"),
    [
        (5, {"cell": "cu1"}, "line 5: the plan has no cell 'cu1'"),
        (5, {"case": "x.y"}, "line 5: the plan has no case 'x.y'"),
        (5, {"results": {"core": journals.Values(1, (), ())}}, "line 5: results.core: 0 values"),
        (5, {"results": {"core": journals.Values(1, (-1e-9,), ())}}, "line 5: results.core: 1 values from -1e-09"),
        (6, {"results": {"core": journals.Instructions(1, 0.0, True)}}, "line 6: results.core.instructions: 0"),
        (4, {"identity": {}}, "line 4: identity.python: it is no table"),
        (8, {"telemetry": {"cpu": {"busy": 1}}}, "line 8: telemetry.cpu: «busy», «ours» and «clock» are no numbers"),
        (8, {"lifetime": -1.0}, "line 8: lifetime: -1 is not from 0"),
        (1, {"machine": {}}, "line 1: machine.id: it is no text"),
        (1, {"cells": BEGAN.cells * 2}, f"line 1: cells: '{CELL}' is there twice"),
    ],
)
def test_the_line_is_told(line: int, change: dict[str, Any], told: str) -> None:
    """Records are lines: an editor finds them."""
    records = journal()
    records[line - 1] = msgspec.structs.replace(records[line - 1], **change)
    assert next(in_journal(records)).startswith(told)


def test_a_journal_is_one_run_s() -> None:
    """It begins with its plan, has no other, and no block twice: rounds are paired by these."""
    records = journal()
    assert list(in_journal([])) == list(in_journal(records[1:])) == ["line 1: it holds no plan"]
    assert list(in_journal([*records, records[0]])) == ["line 10: a second plan"]
    assert list(in_journal([*records, records[4]])) == [f"line 10: round 0 has 'a.b' of {CELL} already"]


def test_both_files_are_refused_with_their_path(tmp_path: Path) -> None:
    """Exit 2: the file, the place in it, and what to do."""
    run = Run(tmp_path)
    run.write_results(dataclasses.replace(whole(), target=0.0), {})
    with pytest.raises(UsageError, match=r"results\.json: target: 0 is not .* put back a copy of it that is whole"):
        run.results()
    run.append(journals.Paused(at="", interrupted=True, wall=0.0))
    with pytest.raises(UsageError, match=r"journal\.jsonl: line 1: it holds no plan"):
        run.earlier_records()
