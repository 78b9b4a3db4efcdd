"""A validation in words: one line for the terminal, Markdown for a pull request or a job's summary. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from ctkmatrix.comparisonpage import Decided, Section
from ctkmatrix.comparisonview import TITLES, signed
from ctkmatrix.gate import Ruling
from ctkmatrix.markdown import plain, table
from ctkmatrix.model import Judgement, Metric
from ctkmatrix.pairing import SHOWN
from ctkmatrix.provenance import UNKNOWN
from ctkmatrix.quantities import ELLIPSIS, counted, instructions, nanoseconds, number, percent
from ctkmatrix.report import NULL_BANNER
from ctkmatrix.waivers import FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctkmatrix.differences import Difference
    from ctkmatrix.gate import Decision, Regression, Waived
    from ctkmatrix.judged import Row
    from ctkmatrix.unjudged import Unjudged
    from ctkmatrix.validation import Validation

MOST = 60
"""So many rows stand in a table; ``verdict.json`` has them all."""

IMPROVEMENTS = REASONS = 5
"""So many of the greatest changes for the better, and of the commonest reasons why a row is inconclusive, are told."""

ARROW = "\N{RIGHTWARDS ARROW}"

HEADS = ("What", "Reference", "Candidate", "Change", "Again", "Interval", "Margin", "Notes")
DIFFERENCE_HEADS = ("", "What", "Reference", "Candidate", "Cells")


def headline(decision: Decision) -> str:
    """Say a *decision* in one line: what it is, and what it was made of."""
    own = [row for row in decision.rows if not row.control]
    parts = [
        f"{counted(len(decision.regressions), 'regression')} among {counted(len(own), 'verdict')}",
        f"{number(len(decision.incomplete), 9)} incomplete",
        f"{number(len(decision.inconclusive), 9)} inconclusive",
        f"{number(len(decision.waived), 9)} waived",
    ]
    wrong = f", {counted(len(decision.faults), 'wrong waiver')}" if decision.faults else ""
    return f"{decision.ruling.capitalize()}: {', '.join(parts)}{wrong}.{_let_pass(decision)}"


def _let_pass(decision: Decision) -> str:
    """Say that what was found does not fail, where that is so."""
    if decision.exit or decision.ruling is Ruling.PASSED:
        return ""
    return f" This is not told by the exit code: --fail-on names {', '.join(decision.fail_on)} alone."


def in_words(row: Row) -> str:
    """Say a *row* in numbers: ``412 → 445 ns, +8.1 % (6.2 … 9.9 %), margin 3 %``."""
    unit = " ns" if row.metric is Metric.TIME else " instructions"
    margin = f", margin {percent(row.margin / row.before)}" if row.before else ""
    return f"{_value(row, row.before)} {ARROW} {_value(row, row.after)}{unit}, {signed(row.relative)}{_interval(row)}{margin}"


def markdown(validation: Validation, page: str) -> str:
    """Say all that a reader must know, the decision first; *page* is where the comparison's page lies."""
    decision, told = validation.decision, decided(validation)
    data = "`verdict.json` beside it holds the same as data."
    parts = [
        f"## {plain(told.title)}",
        f"**{plain(told.headline)}** Exit code {decision.exit}.",
        f"> **Null driver: not GPU numbers.** {plain(NULL_BANNER)}" if validation.device_kind == "null" else "",
        *(f"**{plain(text)}**" for text in told.alerts),
        *(part for section in told.sections for part in _section(section)),
        *_section(Section("What else differs", DIFFERENCE_HEADS, tuple(_differs(one) for one in validation.differences))),
        f"The page `{page}` shows every verdict with its interval; {data}" if page else "",
        f"Runs: {', '.join(f'`{run}`' for run in validation.runs)}." if validation.runs else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def decided(validation: Validation) -> Decided:
    """Say the decision of a *validation*, and what it was made by, for any page."""
    decision = validation.decision
    sections = (
        Section("Regressions", HEADS, tuple(_regression(one) for one in decision.regressions)),
        Section("Waived", ("What", "Change", "Waiver", "Until", "Reason"), tuple(_waived(one) for one in decision.waived)),
        Section("Incomplete", ("What", "Cells", "Why"), tuple(_incomplete(decision.incomplete))),
        Section("Not confirmed", ("What", "Change", "Why"), tuple(_unconfirmed(row) for row in decision.unconfirmed)),
        Section("Inconclusive", ("Verdicts", "Most often because"), tuple(_reasons(decision))),
        Section("Faster", ("What", "Change"), tuple(_faster(decision.rows))),
        Section("New in the candidate", ("What", "Cells", "Why"), tuple(_incomplete(decision.not_applicable))),
    )
    return Decided(
        title=validation.title,
        kind=decision.ruling,
        headline=headline(decision),
        alerts=(*decision.faults, *validation.warnings, *_moved(decision.controls)),
        sections=tuple(section for section in sections if section.rows),
    )


def _regression(one: Regression) -> tuple[str, ...]:
    row = one.row
    unit = " ns" if row.metric is Metric.TIME else ""
    margin = percent(row.margin / row.before) if row.before else UNKNOWN
    values = (f"{_value(row, row.before)}{unit}", f"{_value(row, row.after)}{unit}", signed(row.relative))
    notes = "; ".join((*row.marks, *row.flags))
    return name(row), *values, signed(one.again.relative), _interval(row).strip(" ()"), margin, notes


def _waived(one: Waived) -> tuple[str, ...]:
    waiver = one.waiver
    return name(one.row), in_words(one.row), f"{FILE}:{waiver.line}", f"{waiver.package} {waiver.until}", waiver.reason


def _unconfirmed(row: Row) -> tuple[str, ...]:
    return name(row), in_words(row), row.reason


def _faster(rows: Iterable[Row]) -> list[tuple[str, ...]]:
    """Return the greatest changes for the better."""
    found = [row for row in rows if row.judgement is Judgement.FASTER and not row.control]
    return [(name(row), in_words(row)) for row in sorted(found, key=lambda row: row.relative or 0)[:IMPROVEMENTS]]


def _incomplete(lacks: Iterable[Unjudged]) -> Iterator[tuple[str, ...]]:
    """Join the cells of which the same is told."""
    cells: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for one in lacks:
        what = f"{one.what}{f', {TITLES[one.metric].lower()}' if one.metric else ''}"
        cells[what, one.reason][one.candidate] = None
    for (what, reason), own in cells.items():
        yield what, _named([cell for cell in own if cell]), reason


def _reasons(decision: Decision) -> list[tuple[str, ...]]:
    """Count the reasons of what is inconclusive, without their numbers; what was told as not confirmed is left out."""
    told = set(decision.unconfirmed)
    reasons = Counter(re.split(r": | \(", row.reason)[0] for row in decision.inconclusive if row not in told)
    return [(number(many, 9), reason) for reason, many in reasons.most_common(REASONS)]


def _moved(controls: Sequence[Row]) -> tuple[str, ...]:
    """Warn of native twins that moved."""
    if not controls:
        return ()
    worst = max(controls, key=lambda row: abs(row.relative or 0))
    which = f"{counted(len(controls), 'native control')} moved, by up to {signed(worst.relative)} ({name(worst)})"
    return (f"{which}. No Python package can do that: the machine was not quiet, or the sides differ in more than packages.",)


def _differs(one: Difference) -> tuple[str, ...]:
    return one.group, one.what, one.reference, one.candidate, _named(one.cells)


def name(row: Row) -> str:
    """Name what a *row* is about."""
    return f"{row.case} {row.variant}, {TITLES[row.metric].lower()}, {row.candidate}"


def _named(names: Sequence[str]) -> str:
    rest = f" and {number(len(names) - SHOWN, 9)} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{rest}"


def _value(row: Row, value: float | None) -> str:
    if value is None:
        return UNKNOWN
    return nanoseconds(value) if row.metric is Metric.TIME else instructions(value)


def _interval(row: Row) -> str:
    """Say the interval of the change in per cent of the reference, in brackets; nothing where there is none."""
    if not row.before or row.low is None or row.high is None:
        return ""
    return f" ({number(100 * row.low / row.before)} {ELLIPSIS} {percent(row.high / row.before)})"


def _section(section: Section) -> list[str]:
    rows = section.rows
    more = f"`verdict.json` has {counted(len(rows) - MOST, 'row')} more." if len(rows) > MOST else ""
    return [f"### {section.title}", table(section.heads, rows[:MOST]), more] if rows else []
