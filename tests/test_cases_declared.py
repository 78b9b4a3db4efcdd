"""Every case says what there is to say about it; what is missing is told case by case."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import pytest

from ctkmatrix.probe import registry
from tests.conftest import ROOT

if TYPE_CHECKING:
    from ctkmatrix.probe.registry import Case

CASES = registry.load(ROOT / "cases")
NATIVE = "".join(path.read_text() for path in (ROOT / "native").glob("*.cpp"))
TWINS = set(re.findall(r'^CASE\("([^"]+)"\)', NATIVE, re.MULTILINE))
OWN = "loop"
"""The area that measures the harness itself: nobody asked about it, and it calls nothing."""


def lacks(case: Case, twins: set[str]) -> list[str]:
    """Return what *case* should say and does not; *twins* are the ids of the native twins that there are."""
    python = [variant for variant in case.variants.values() if variant.body is not None]
    twin = case.variants.get(registry.NATIVE)
    own = case.id.partition(".")[0] == OWN
    unlike = [variant.name for variant in python if twin and variant.calls != twin.calls and not variant.differs]
    missing = {
        "no variant in Python": not python,
        f'no CASE("{case.id}") in native/, and no reason in `without_native`': bool(twin) and case.id not in twins,
        "no issue in `references`": not (case.references or own),
        "a native twin, and neither driver calls in `calls` nor a call of NVRTC": bool(twin)
        and not (case.calls or own or any("nvrtc" in inspect.getsource(variant.body) for variant in python if variant.body)),
        f"other driver calls than the native twin, and no `differs`: {', '.join(unlike)}": bool(unlike),
        f"no function of the driver: {' '.join(case.calls)}": not all(re.match(r"cu[A-Z]", call) for call in case.calls),
    }
    return [what for what, is_so in missing.items() if is_so]


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_nothing_is_missing(case: Case) -> None:
    """Its twin or why there is none, where it was asked about, its driver calls, and how variants differ."""
    missing = lacks(case, TWINS)
    assert not missing, f"{case.id}: {'; '.join(missing)}"


@pytest.fixture(autouse=True)
def no_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tests declare stays with them."""
    monkeypatch.setattr(registry, "CASES", {})


def made(id: str = "a.b", *, calls: str = "cuInit", references: str = "#1", without_native: str = "") -> Case:  # noqa: A002
    """Return a case with a variant in Python that does what the case says."""
    case = registry.case(id, "B.", calls=calls, references=references, without_native=without_native)
    case("bindings")(lambda loop, cu: None)
    return case


def test_what_a_case_may_leave_out() -> None:
    """One with a reason needs no twin and no driver calls; the loop's own needs no issue either."""
    assert lacks(made(), {"a.b"}) == []
    assert lacks(made("a.c", calls="", without_native="An object of Python."), set()) == []
    assert lacks(made("loop.empty", calls="", references=""), {"loop.empty"}) == []


def test_a_call_of_nvrtc_is_no_driver_call() -> None:
    """So that a case may name none."""
    case = registry.case("a.b", "B.", references="#1")
    case("bindings")(lambda loop, cu: cu.nvrtc)
    assert lacks(case, {"a.b"}) == []


def test_all_that_is_missing_is_told() -> None:
    """In one list, by the name of what to write."""
    assert lacks(registry.case("a.b", "B."), set()) == [
        "no variant in Python",
        'no CASE("a.b") in native/, and no reason in `without_native`',
        "no issue in `references`",
        "a native twin, and neither driver calls in `calls` nor a call of NVRTC",
    ]


def test_calls_that_are_not_the_twin_s_are_told() -> None:
    """A variant that makes others must say how it differs; the case's own must be the driver's."""
    case = made(calls="cudaMalloc")
    case("core", calls="cuMemAlloc")(lambda loop, cu: None)
    case("python", calls="", differs="asks nobody")(lambda loop, cu: None)
    assert lacks(case, {"a.b"}) == [
        "other driver calls than the native twin, and no `differs`: core",
        "no function of the driver: cudaMalloc",
    ]
