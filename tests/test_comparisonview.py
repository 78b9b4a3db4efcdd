"""A comparison in words: its page and its Markdown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ctkmatrix import comparison, pairing
from ctkmatrix.comparisontext import MOST, markdown
from ctkmatrix.comparisonview import WORST, signed, view
from ctkmatrix.differences import Difference
from ctkmatrix.judged import Lacking
from ctkmatrix.model import Judgement, Metric
from ctkmatrix.page import Names
from ctkmatrix.provenance import UNKNOWN
from ctkmatrix.quantities import MINUS
from tests import sides_factory as factory

TIMES, COUNTS, BOTH = (factory.within(metric) for metric in (Metric.TIME, Metric.INSTRUCTIONS, Metric.BOTH))


@pytest.mark.parametrize(
    ("share", "text"), [(0.123, "+12.3 %"), (-0.05, f"{MINUS}5 %"), (0.0, "0 %"), (0.001, "+0.10 %"), (None, UNKNOWN)]
)
def test_changes_have_a_sign(share: float | None, text: str) -> None:
    """Nothing has none; a minus is a minus."""
    assert signed(share).replace("\N{NARROW NO-BREAK SPACE}", " ") == text


def test_the_verdict_comes_first() -> None:
    """In the words of the metric, with the control apart."""
    time = "8 slower, 4 faster, 86 equivalent, 4 inconclusive of 102."
    assert [(one.title, one.verdict) for one in view(TIMES).headlines] == [("Time", time)]
    assert view(TIMES).headlines[0].control == "Native control: 0 slower, 0 faster, 55 equivalent, 0 inconclusive of 55."
    assert view(COUNTS).headlines[0].verdict == "8 more, 4 fewer, 90 equivalent, 0 inconclusive of 102."
    assert [one.title for one in view(BOTH).headlines] == ["Time", "Instructions"]


def test_the_worst_are_distinct_case_variants() -> None:
    """Each in the cell where it is worst; the control is not among them."""
    worst = view(TIMES).worst
    assert [(line.case, line.variant) for line in worst] == [("event.record", "core"), ("launch.empty", "bindings")]
    assert worst[0].relative == next(line.relative for line in view(TIMES).lines if line.case == "event.record")
    many = replace(TIMES, rows=tuple(replace(row, judgement=Judgement.SLOWER) for row in TIMES.rows))
    found = view(many).worst
    assert len(found) == WORST
    assert not any(line.control for line in found)


def test_sides_are_named_by_what_sets_them_apart() -> None:
    """A single cell by its id."""
    assert view(TIMES).candidate == "toolkit 13.5, bindings 13.5.0: 4 cells of run 20260301T120000Z-5f1c, 2026-03-01 12:00 UTC"
    whole = factory.base()
    pair = pairing.by_axes(factory.cells(whole, factory.OLD)[:1], factory.cells(whole, factory.NEW)[:1])
    side = factory.side(whole)
    page = view(comparison.compare(side, side, pair, factory.MARGINS, Metric.TIME))
    assert page.candidate.startswith("cu13.5-py3.11-b13.5.0-c1.2.2 of run")
    assert not any(line.where for line in page.lines)


def test_what_is_lacking_is_told_once_a_reason() -> None:
    """Case variants and cells that share it together, what was lost first; cells without a partner last."""
    cells = TIMES.candidate.cells
    lacking = [Lacking(Metric.TIME, "y", cell, case, "core", "", "hung") for cell in cells for case in ("a.b", "a.c")]
    lacking += [Lacking(Metric.TIME, "y", cells[0], "a.d", "core", "failed", "")]
    told = view(replace(TIMES, lacking=tuple(reversed(lacking)), alone=(("z",), ()))).lacking
    assert [(one.side, sorted(one.what.text.split(", ")), one.where, one.reason) for one in told] == [
        ("lost by the candidate", ["a.b/core", "a.c/core"], Names("all"), "hung"),
        ("only in the candidate", ["a.d/core"], Names(cells[0]), "the reference: failed"),
        ("no partner", ["the whole cell"], Names("z"), "a cell of the reference; the candidate has no such cell"),
    ]


def test_a_run_that_stopped_is_told() -> None:
    """Once, where both sides are of it."""
    stopped = [replace(side, status="interrupted") for side in (TIMES.reference, TIMES.candidate)]
    assert view(replace(TIMES, reference=stopped[0], candidate=stopped[1])).alerts == (
        "Run 20260301T120000Z-5f1c was interrupted.",
    )
    assert view(TIMES).alerts == ()


def test_the_banner_is_the_null_drivers() -> None:
    """And of no GPU's."""
    assert view(TIMES).banner
    assert not view(factory.within(Metric.TIME, device_kind="gpu")).banner


def test_markdown_has_what_was_found_and_no_more() -> None:
    """Every row that is not equivalent, within a limit, beyond which it says how many more there are."""
    said = markdown(view(TIMES))
    assert "**8 slower, 4 faster, 86 equivalent, 4 inconclusive of 102.**" in said
    assert said.count("\n| slower |") == 8
    assert said.count("\n| inconclusive |") == 4
    assert "equivalent |" not in said
    assert "Null driver" in said
    assert "cuda-bindings | 13.4.4" in said
    many = replace(TIMES, differences=tuple(Difference("g", f"w{n}", "a", "b", ("c",)) for n in range(MOST + 5)))
    assert "The page has 5 rows more." in markdown(view(many))
