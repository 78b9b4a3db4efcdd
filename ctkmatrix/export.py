"""The page's facts in other forms: a summary in Markdown, and every field as a line of CSV. Pure."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import TYPE_CHECKING

from ctkmatrix.markdown import plain
from ctkmatrix.markdown import table as markdown_table
from ctkmatrix.plaintext import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctkmatrix.model import Case, Cell, Estimate, Field, Results
    from ctkmatrix.page import AreaSummary, Missing, Page, Warned, Worst

REASONS, LONGEST = 12, 240
"""So many reasons for what is missing a summary gives, each cut at so many characters: the page has them all."""

HEADS = (
    *("cell", "toolkit", "python", "bindings", "core", "extras", "label"),
    *("case", "area", "variant", "calls_per_turn", "status", "reason"),
    *("time_ns", "time_low_ns", "time_high_ns"),
    *("overhead_ns", "overhead_low_ns", "overhead_high_ns"),
    *("ratio", "ratio_low", "ratio_high"),
    *("share", "share_low", "share_high"),
    *("instructions_min", "instructions_max", "instructions_settled"),
    *("processes", "flags"),
)
"""The columns of the CSV. Times are ns a turn of the case's loop; ``low`` and ``high`` bound the 95 % interval.

``share`` stands in place of a time for a case whose unit it is. ``processes`` are those behind the time, or else the count.
"""

NONE = "\N{EN DASH}"

FORMULA = ("=", "+", "-", "@")
"""A spreadsheet runs a text that begins with one of these."""


def markdown(page: Page) -> str:
    """Sum *page* up for a pull request or a job's summary: the verdict, what weakens it, and what is missing."""
    parts = [
        f"## {plain(page.title)}: {plain(page.run)}",
        f"> **Null driver: not GPU numbers.** {plain(page.banner)}" if page.banner else "",
        f"**{plain(page.alert)}**" if page.alert else "",
        f"**{plain(page.verdict)}**{f' The target is {plain(page.target)} a call over native.' if page.target else ''}",
        plain(page.counted),
        markdown_table(("", ""), ((fact.name, fact.value) for fact in page.head)),
        *_section(page.worst_title, _worst(page.worst), plain(page.unsure)),
        *_section("By area, ns a call", _areas(page.areas), plain(page.of_areas)),
        *_section("What weakens the numbers", _flags(page.flags)),
        *_section("What did not run", _missing(page.missing), _left_out(page.missing)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(title: str, *parts: str) -> list[str]:
    found = [part for part in parts if part]
    return [f"### {title}", *found] if found else []


def _worst(worst: Sequence[Worst]) -> str:
    heads = ("Case", "Variant", "Cell", "Overhead, ns a turn", "95 %", "Of the target")
    return markdown_table(heads, ((one.case, one.variant, one.cell, one.overhead, one.interval, one.share) for one in worst))


def _areas(areas: Sequence[AreaSummary]) -> str:
    heads = ("Area", "Median", "Of the target", "Greatest", "Of the target", "Where", "Over the target", "Unsure")
    return markdown_table(heads, map(_area, areas))


def _area(one: AreaSummary) -> tuple[str, ...]:
    numbers = (one.median, one.median_share, one.greatest, one.greatest_share)
    said = (*(each or NONE for each in numbers), one.greatest_where)
    return one.name, *said, f"{one.over} of {one.certain}", str(one.unsure)


def _flags(flags: Sequence[Warned]) -> str:
    return "\n".join(f"- {plain(one.text)} ({plain(one.where.text)})" for one in flags)


def _missing(missing: Sequence[Missing]) -> str:
    rows = ((one.mark, one.what.text, one.where.text, _cut(one.reason)) for one in missing[:REASONS])
    return markdown_table(("", "What", "Where", "Why"), rows)


def _left_out(missing: Sequence[Missing]) -> str:
    return f"The page has {len(missing) - REASONS} more." if len(missing) > REASONS else ""


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\N{HORIZONTAL ELLIPSIS}"


def table(results: Results) -> str:
    """Return CSV (RFC 4180, but for lines that end in a line feed): heads, then a line for every field, in full precision.

    A text that a spreadsheet would run as a formula has an apostrophe before it.
    """
    cells = {one.cell.id: one.cell for one in results.cells}
    cases = {case.id: case for case in results.cases}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADS)
    writer.writerows(_row(cells[field.cell], cases[field.case], field) for field in results.fields)
    return out.getvalue()


def _row(cell: Cell, case: Case, field: Field) -> Iterator[str]:
    yield from map(_inert, (cell.id, cell.toolkit, cell.python, cell.bindings, cell.core or ""))
    yield from map(_inert, (" ".join(cell.extras), cell.label))
    yield from map(_inert, (case.id, case.area, field.variant, str(case.calls_per_turn)))
    yield from map(_inert, (field.outcome.status, field.outcome.reason))
    timed = case.unit == "time"
    yield from _numbers(field.time if timed else None, 9)
    yield from _numbers(field.overhead if timed else None, 9)
    yield from _numbers(field.ratio)
    yield from _numbers(None if timed else field.time)
    yield from _count(field)
    behind = field.time or field.count
    yield str(len(behind.points)) if behind else ""
    yield " ".join(flag.name.lower() for flag in field.flags)


def _count(field: Field) -> tuple[str, ...]:
    if field.count is None:
        return "", "", ""
    return _number(field.count.minimum), _number(field.count.maximum), "yes" if field.count.settled else "no"


def _numbers(estimate: Estimate | None, places: int = 0) -> tuple[str, ...]:
    """Say a value and its bounds, the decimal point moved right by so many *places*; empty what is not known."""
    if estimate is None:
        return "", "", ""
    return tuple("" if one is None else _number(one, places) for one in (estimate.value, estimate.low, estimate.high))


def _number(value: float, places: int = 0) -> str:
    """Say all digits of *value* times a power of ten: read back and divided, it is the same number."""
    return f"{Decimal(repr(float(value))).scaleb(places):f}"


def _inert(text: str) -> str:
    line = one_line(text)
    return f"'{line}" if line.startswith(FORMULA) else line
