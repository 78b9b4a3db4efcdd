"""JUnit XML: read back, it has the usual structure and says what was decided."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from ctkmatrix.junit import WHOLE, junit
from tests.gate_factory import CANDIDATE, REFERENCE, validation

OUTCOMES = {"failure": "failures", "error": "errors", "skipped": "skipped"}
KNOWN = {
    "testsuites": {"name", "tests", "failures", "errors", "skipped"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "timestamp"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "classname"},
    **{outcome: {"message", "type"} for outcome in OUTCOMES},
}
"""The elements of the format that CI systems read, and which attributes of theirs are used here."""


@pytest.fixture(scope="module")
def root() -> ET.Element:
    """Return the document, read back."""
    return ET.fromstring(junit(validation()))


def outcome_of(root: ET.Element, case: str, name: str) -> ET.Element:
    """Return what became of the test of a *case*."""
    (found,) = (one for one in root.iter("testcase") if (one.get("classname"), one.get("name")) == (case, name))
    (child,) = found
    return child


def test_the_structure_is_the_usual_one(root: ET.Element) -> None:
    """Suites of tests, each test with one outcome at most; no element or attribute that is not the format's."""
    assert root.tag == "testsuites"
    for element in root.iter():
        assert element.attrib.keys() == KNOWN[element.tag]
    assert {suite.tag for suite in root} == {"testsuite"}
    assert {child.tag for suite in root for child in suite} == {"properties", "testcase"}
    assert all(len(one) <= 1 for one in root.iter("testcase"))


def test_the_counts_are_those_of_the_tests(root: ET.Element) -> None:
    """In every suite and in all."""
    for element in (root, *root):
        assert element.get("tests") == str(len(list(element.iter("testcase"))))
        for outcome, count in OUTCOMES.items():
            assert element.get(count) == str(len(list(element.iter(outcome))))


def test_a_suite_is_a_pair_of_cells(root: ET.Element) -> None:
    """It is called as the candidate's cell and tells the reference's; what has no cell has a suite beside."""
    assert {suite.get("name") for suite in root} == {CANDIDATE, WHOLE}
    properties = {
        one.get("name"): one.get("value") for one in root.findall(f"testsuite[@name='{CANDIDATE}']/properties/property")
    }
    assert properties["reference"] == REFERENCE
    assert properties["device"] == "null"


def test_no_test_is_there_twice(root: ET.Element) -> None:
    """Also of a row that is inconclusive, as the second set had no number of it."""
    names = [(one.get("classname"), one.get("name")) for one in root.iter("testcase")]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("case", "name", "outcome", "said"),
    [
        ("event.record", "core time", "failure", "400 → 500 ns, +25"),
        ("launch.empty", "core time", "skipped", "waived until 13.0.4: known: issue 12"),
        ("memory.alloc_free", "core time", "skipped", "inconclusive: not confirmed by a second set of processes: equivalent"),
        ("nvrtc.compile", "core time", "error", "incomplete: slower by the first set of processes, and the second"),
        ("stream.create_destroy", "core time", "skipped", "inconclusive: too few processes"),
        ("launch.empty", "native time", "skipped", "a native control, and faster"),
        ("new.case", "core time", "skipped", "not applicable: the reference: there is no such name"),
        (WHOLE, "Python 3.14", "error", "incomplete: the candidate has no wheel"),
    ],
)
def test_an_outcome_has_its_reason(root: ET.Element, case: str, name: str, outcome: str, said: str) -> None:
    """A failure for a regression, an error for what is missing; all else that is no verdict is skipped."""
    found = outcome_of(root, case, name)
    assert (found.tag, found.get("type")) == (outcome, outcome)
    assert str(found.get("message")).startswith(said)


def test_a_regression_tells_the_second_set(root: ET.Element) -> None:
    """In the text of the failure."""
    assert str(outcome_of(root, "event.record", "core time").text).startswith("second set of processes: 400 → 500 ns")


def test_what_passed_is_bare(root: ET.Element) -> None:
    """Equivalent and faster, by either metric."""
    bare = {(one.get("classname"), one.get("name")) for one in root.iter("testcase") if not len(one)}
    assert bare == {("enum.construct", "bindings time"), ("device.get", "bindings time"), ("event.record", "core instructions")}


def test_text_that_xml_forbids_is_cleaned(root: ET.Element) -> None:
    """Markup in a name is text; an escape sequence is left out, a null is marked."""
    (found,) = (one for one in root.iter("testcase") if one.get("classname") == "lost.case")
    message = str(found[0].get("message"))
    assert "<script>" in str(found.get("name"))
    assert message.startswith("incomplete: it said <script>")
    assert message.endswith("\ufffd")
