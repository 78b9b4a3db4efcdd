"""A validation as JUnit XML, which CI systems list: a suite a pair of cells, a test a (case, variant, metric). Pure.

A regression is a failure, what is missing an error; what is inconclusive, waived or not applicable is skipped, with its reason.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from ctkmatrix.model import Judgement
from ctkmatrix.plaintext import one_line
from ctkmatrix.validationtext import in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctkmatrix.gate import Decision
    from ctkmatrix.judged import Row
    from ctkmatrix.unjudged import Unjudged
    from ctkmatrix.validation import Validation

WHOLE = "validate"
"""The suite of what belongs to no pair of cells."""


@dataclass(frozen=True, slots=True)
class _Test:
    """One test: *kind* is empty where it passed, else ``failure``, ``error`` or ``skipped``, with a message and a text."""

    suite: str
    group: str
    name: str
    kind: str = ""
    said: str = ""
    more: str = ""


def junit(validation: Validation) -> bytes:
    """Return ``junit.xml``. Durations are left out: a test here is a judgement, which takes no time."""
    suites: dict[str, list[_Test]] = defaultdict(list)
    for test in _tests(validation.decision):
        suites[test.suite].append(test)
    root = ET.Element("testsuites", {"name": one_line(f"ctkmatrix: {validation.title}"), **_counts(_all(suites.values()))})
    references = {candidate: reference for reference, candidate in validation.pairs}
    for name, tests in suites.items():
        root.append(_suite(name, tests, references.get(name, ""), validation))
    ET.indent(root, " ")
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _all(suites: Iterable[Iterable[_Test]]) -> list[_Test]:
    return [test for tests in suites for test in tests]


def _tests(decision: Decision) -> Iterator[_Test]:
    """Yield a test for all that was judged or should have been; what is missing speaks for a row that is there too."""
    missing = {_key(one) for one in decision.incomplete}
    for lack in decision.incomplete:
        yield _lack(lack, "error")
    for fault in decision.faults:
        yield _Test(WHOLE, "matrix.toml", fault, "error", fault)
    for lack in decision.not_applicable:
        yield _lack(lack, "skipped")
    failed = {_key(one.row): one for one in decision.regressions}
    waived = {_key(one.row): one.waiver for one in decision.waived}
    for row in decision.rows:
        if (key := _key(row)) in failed:
            again = in_words(failed[key].again)
            yield _test(row, "failure", in_words(row), f"second set of processes: {again}")
        elif key in waived:
            yield _test(row, "skipped", f"waived until {waived[key].until}: {waived[key].reason}", in_words(row))
        elif key not in missing:
            yield _of_row(row)


def _key(one: Row | Unjudged) -> tuple[object, ...]:
    return one.metric, one.reference, one.candidate, one.case, one.variant


def _of_row(row: Row) -> _Test:
    if row.judgement is Judgement.INCONCLUSIVE:
        return _test(row, "skipped", f"inconclusive: {row.reason}", in_words(row))
    if row.control and row.judgement is not Judgement.EQUIVALENT:
        return _test(row, "skipped", f"a native control, and {row.judgement}: no Python package moves it", in_words(row))
    return _test(row)


def _test(row: Row, kind: str = "", said: str = "", more: str = "") -> _Test:
    return _Test(row.candidate, row.case, f"{row.variant} {row.metric}", kind, said, more)


def _lack(lack: Unjudged, kind: str) -> _Test:
    name = f"{lack.variant} {lack.metric}" if lack.variant else lack.what
    said = f"{'incomplete' if kind == 'error' else 'not applicable'}: {lack.reason}"
    return _Test(lack.candidate or WHOLE, lack.case or WHOLE, name, kind, said)


def _suite(name: str, tests: list[_Test], reference: str, validation: Validation) -> ET.Element:
    found = ET.Element("testsuite", {"name": one_line(name), "timestamp": one_line(validation.started), **_counts(tests)})
    properties = ET.SubElement(found, "properties")
    facts = {"reference": reference, "device": validation.device_kind, "runs": " ".join(validation.runs)}
    for key, value in facts.items():
        if value:
            ET.SubElement(properties, "property", name=key, value=one_line(value))
    for test in tests:
        element = ET.SubElement(found, "testcase", classname=one_line(test.group), name=one_line(test.name))
        if test.kind:
            ET.SubElement(element, test.kind, message=one_line(test.said), type=test.kind).text = one_line(test.more)
    return found


def _counts(tests: Iterable[_Test]) -> dict[str, str]:
    own = list(tests)
    kinds = Counter(test.kind for test in own)
    named = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    return {"tests": str(len(own)), **{name: str(kinds[kind]) for name, kind in named.items()}}
