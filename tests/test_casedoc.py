"""``docs/cases.md``: the case set beside what others have published."""

from __future__ import annotations

import pytest

from ctkmatrix import casedoc
from ctkmatrix.model import Case, Variant
from ctkmatrix.probe import registry
from ctkmatrix.published import Figure
from tests.conftest import ROOT

ISSUES = """
    #439 #449 #459 #460 #512 #546 #624 #642 #658 #659 #677 #709 #739 #756 #781 #838 #866 #876 #898 #940 #982 #1207 #1220 #1221
    #1274 #1292 #1390 #1452 #1579 #1580 #1581
"""
"""What the seeds name: the issues and pull requests of cuda-python that this project began with."""

CASES = (
    Case(
        "memory.alloc_free",
        "Allocate.",
        (
            Variant("native", ("cuMemAllocAsync", "cuMemFreeAsync")),
            Variant("bindings", ("cuMemAllocAsync", "cuMemFreeAsync")),
            Variant(
                "core", ("cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuMemFreeAsync"), differs="names the pool | frees twice"
            ),
            Variant("cupy", (), differs="cudart", needs="gpu sm_90"),
        ),
        references=("#756", "#876"),
        calls_per_turn=2,
        asynchronous=True,
    ),
    Case("imports.fresh", "Import.", (Variant("bindings", ()),), isolated=True, seconds_per_turn=0.15, without_native="Nothing."),
)

FIGURES = (
    Figure(value=646, unit="µs", operation="allocate(10)", issue="#756", case="memory.alloc_free", variant="core"),
    Figure(value=646, unit="µs", operation="allocate(10)", issue="#876", case="memory.alloc_free", variant="core"),
    Figure(value=-20, unit="%", operation="pairs", issue="#1647", package="cuda-bindings", version="13.2.0"),
)


@pytest.fixture(scope="module")
def page() -> str:
    """The page of the two cases above."""
    return casedoc.page(CASES, FIGURES)


@pytest.mark.parametrize(
    "line",
    [
        "2 cases in 2 areas: [imports](#imports), [memory](#memory).",
        "| `imports.fresh` | Import. | 1 call | isolated: in a process of its own; about 150 ms a turn | none: Nothing. | none |",
        "| `memory.alloc_free` | Allocate. | 2 calls | asynchronous: in bursts, drained between them | yes | [#756] [#876] |",
    ],
)
def test_what_a_case_is(page: str, line: str) -> None:
    """Its title, what it counts for, how it runs, whether it has a twin, and where it was asked about."""
    assert line in page.splitlines()


@pytest.mark.parametrize(
    "line",
    [
        "| `imports.fresh` | bindings | none | no twin | nothing |",
        "| `memory.alloc_free` | native | cuMemAllocAsync, cuMemFreeAsync |  | nothing |",
        "| `memory.alloc_free` | bindings | cuMemAllocAsync, cuMemFreeAsync | like for like | nothing |",
        "| `memory.alloc_free` | core | cuMemAllocFromPoolAsync, cuMemFreeAsync × 2 | names the pool \\| frees twice | nothing |",  # noqa: RUF001
        "| `memory.alloc_free` | cupy | none | cudart | a GPU, sm_90 |",
    ],
)
def test_what_a_variant_does(page: str, line: str) -> None:
    """Its driver calls, how like its twin it is, and what it needs."""
    assert line in page.splitlines()


def test_published_figures_stand_beside_their_case(page: str) -> None:
    """Once where two issues say the same; those of no case have a table of their own; a number's sign is a minus."""
    before, after = page.split("## Published figures that no case stands beside")
    assert before.count("| `memory.alloc_free` | core | 646 µs | allocate(10) | [#756] [#876] |") == 1
    assert "| \N{MINUS SIGN}20 % | pairs | cuda-bindings 13.2.0 | [#1647] |" in after
    assert "[#1647]: https://github.com/NVIDIA/cuda-python/issues/1647\n" in after


def test_every_issue_is_answered() -> None:
    """Each issue of the seeds is the reference of a case, or no latency, with what answers it."""
    answered = {issue for case in registry.load(ROOT / "cases").values() for issue in case.references}
    answered |= {issue for issues, _, _ in casedoc.NO_LATENCY for issue in issues.split()}
    assert [issue for issue in ISSUES.split() if issue not in answered] == []


def test_the_page_is_what_the_case_set_gives_now() -> None:
    """Whoever changes a case or a figure writes the page again."""
    assert casedoc.PAGE.read_text(encoding="utf-8") == casedoc.current(), "python -m ctkmatrix.casedoc writes docs/cases.md again"
