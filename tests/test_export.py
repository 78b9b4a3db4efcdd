"""The page's facts as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

from ctkmatrix import export
from ctkmatrix.export import HEADS, REASONS, markdown, table
from ctkmatrix.model import Case, Field, Flag, Metric, Outcome, Results, Status, Variant
from ctkmatrix.page import Missing, Names
from ctkmatrix.report import view
from tests.results_factory import alter, counted, estimate, results


def lines(these: Results) -> list[dict[str, str]]:
    """Return the CSV as any reader of it sees it."""
    return list(csv.DictReader(io.StringIO(table(these), newline="")))


def unescaped(text: str) -> str:
    """Undo what Markdown undoes."""
    plain = re.sub(r"\\([\\`*_\[\]{}#~|])", r"\1", text.replace("@<!-- -->", "@"))
    return plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def rows(text: str) -> list[tuple[str, ...]]:
    """Return the texts of all rows of tables."""
    return [
        tuple(unescaped(cell).strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        for line in text.splitlines()
        if line.startswith("|")
    ]


def test_the_summary_says_what_the_page_says() -> None:
    """Every number and name of the page's first screen stands in it as the page has it."""
    page = view(results())
    found = rows(markdown(page))
    assert {(fact.name, fact.value) for fact in page.head} <= set(found)
    worst = [(one.case, one.variant, one.cell, one.overhead, one.interval, one.share) for one in page.worst]
    assert worst
    assert set(worst) <= set(found)
    areas = {(one.name, one.median, one.median_share, one.greatest, one.greatest_share, one.greatest_where) for one in page.areas}
    assert areas <= {row[:6] for row in found}
    missing = {(one.mark, one.what.text, one.where.text, one.reason) for one in page.missing}
    assert missing <= set(found)
    said = unescaped(markdown(page))
    assert all(f"- {flag.text} ({flag.where.text})" in said for flag in page.flags)
    assert page.verdict in said
    assert page.of_areas in said
    assert f"### {page.worst_title}" in said
    assert page.alert in said


def test_the_banner_is_there_for_null_alone() -> None:
    """Whoever reads a summary of a null run alone learns that it is one."""
    warning = "Null driver: not GPU numbers"
    assert warning in markdown(view(results())).splitlines()[2]
    assert warning not in markdown(view(results(device_kind="gpu")))


def test_counts_are_summed_up_without_a_target() -> None:
    """There is no overhead, hence no list of the worst, nor areas."""
    page = view(counted())
    said = markdown(page)
    assert unescaped(page.counted) in unescaped(said)
    assert "target" not in said
    assert "### By area" not in said


def test_text_shows_as_text_in_markdown() -> None:
    """Markup, table bars and line ends of a reason neither act nor break the row; nobody is notified."""
    reason = "<b>x</b> | *y* `z`\nsecond line, says @someone"
    page = replace(view(results()), missing=(Missing("failed", Names("a_b/c"), Names("1 cell"), reason),))
    line = next(line for line in markdown(page).splitlines() if line.startswith("| failed"))
    assert "<b>" not in line
    assert "@someone" not in line
    assert rows(line) == [("failed", "a_b/c", "1 cell", reason.replace("\n", " "))]


def test_a_summary_is_short() -> None:
    """Many and long reasons are cut, and it says that the page has more."""
    many = tuple(Missing("failed", Names(f"case {number}"), Names("1 cell"), "long " * 1000) for number in range(50))
    said = markdown(replace(view(results()), missing=many))
    assert len(said) < 10_000
    assert f"The page has {50 - REASONS} more." in said


def test_every_field_is_a_line() -> None:
    """In the results' order, with its cell, case, status and reason, under heads that are not used twice."""
    these = results()
    found = lines(these)
    assert len(set(HEADS)) == len(HEADS)
    assert [(each["cell"], each["case"], each["variant"], each["status"], each["reason"]) for each in found] == [
        (one.cell, one.case, one.variant, one.outcome.status.value, one.outcome.reason) for one in these.fields
    ]
    first, cell = found[0], these.cells[0].cell
    assert [first[name] for name in ("toolkit", "python", "bindings", "core")] == [
        cell.toolkit,
        cell.python,
        cell.bindings,
        cell.core,
    ]


def test_numbers_are_those_of_the_results() -> None:
    """Read back and divided, each is the very number; what is not known is empty."""
    these = results(metric=Metric.BOTH)
    compared = 0
    for line, field in zip(lines(these), these.fields, strict=True):
        for name, found, scale in (
            ("time{}_ns", field.time, 9),
            ("overhead{}_ns", field.overhead, 9),
            ("ratio{}", field.ratio, 0),
        ):
            for part, value in (("", found and found.value), ("_low", found and found.low), ("_high", found and found.high)):
                text = line[name.format(part)]
                assert (float(f"{text}e-{scale}") if text else None) == value
                compared += value is not None
        count = (line["instructions_min"], line["instructions_max"]) if field.count else None
        assert (count and tuple(map(float, count))) == (field.count and (field.count.minimum, field.count.maximum))
    assert compared > 5000


def test_a_share_is_no_time() -> None:
    """A case whose unit is a share has its number in a column of its own."""
    these = results()
    case = Case("a.share", "", (Variant("native", ()),), unit="share")
    share = Field(these.cells[0].cell.id, "a.share", "native", Outcome(Status.MEASURED), estimate(0.25, 0.01))
    (line,) = lines(replace(these, cases=(case,), fields=(share,)))
    assert (line["share"], line["share_low"], line["time_ns"]) == ("0.25", "0.24", "")


def test_flags_and_processes_are_said() -> None:
    """A field's flags by name, and how many processes are behind its number."""
    these = results(processes=7)
    field = next(one for one in these.fields if one.time)
    flagged = alter(these, replace(field, flags=(Flag.NOISY, Flag.DRIFT)))
    line = next(each for each in lines(flagged) if each["flags"])
    assert (line["flags"], line["processes"]) == ("noisy drift", "7")


def test_no_text_is_a_formula() -> None:
    """What a spreadsheet would run has an apostrophe before it; numbers below zero are numbers."""
    assert [export._inert(text) for text in ("=1+1", " @x", "-x", "+x", "\tx", "a=b")] == [
        "'=1+1",
        "'@x",
        "'-x",
        "'+x",
        "x",
        "a=b",
    ]
    these = results()
    failed = replace(these.fields[0], outcome=Outcome(Status.FAILED, '=HYPERLINK("x")\n,;'))
    found = lines(alter(these, failed))
    assert found[0]["reason"] == '\'=HYPERLINK("x") ,;'
    assert any(each["overhead_ns"].startswith("-") for each in found)
