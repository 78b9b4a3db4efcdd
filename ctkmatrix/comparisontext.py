"""A comparison's page as Markdown, for a pull request: the verdict, what was found, what is lacking, what else differs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctkmatrix.markdown import plain, table
from ctkmatrix.model import Judgement
from ctkmatrix.quantities import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctkmatrix.comparisonpage import ComparisonPage, Line
    from ctkmatrix.page import Names

MOST = 60
"""So many rows stand in a table; the page has them all."""


def markdown(page: ComparisonPage) -> str:
    """Say a *page* in Markdown. What is equivalent is counted, not listed."""
    found = [line for line in page.lines if line.kind != Judgement.EQUIVALENT]
    named = len(page.headlines) > 1
    parts = [
        f"## {plain(page.title)}: {plain(page.candidate)}",
        f"**{plain(page.decided.headline)}**" if page.decided else "",
        f"> **Null driver: not GPU numbers.** {plain(page.banner)}" if page.banner else "",
        *(f"**{plain(alert)}**" for alert in page.alerts),
        *(f"**{f'{one.title}: ' if named else ''}{plain(one.verdict)}** {plain(one.control)}" for one in page.headlines),
        f"Against {plain(page.reference)}.",
        *_section(
            "Found", ("Verdict", "What", "Reference", "Candidate", "Change", "Interval, %", "Margin", "Why"), map(_row, found)
        ),
        *_section(
            "Not compared",
            ("", "What", "Cells", "Why"),
            ((one.side, _names(one.what), _names(one.where), one.reason) for one in page.lacking),
        ),
        *_section(
            "What else differs",
            ("", "What", "Reference", "Candidate", "Cells"),
            ((one.group, one.what, one.reference, one.candidate, _names(one.where)) for one in page.differences),
        ),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _row(line: Line) -> tuple[str, ...]:
    name = f"{line.case} {line.variant}{' (control)' if line.control else ''}{f', {line.where}' if line.where else ''}"
    unit = " ns" if line.metric == "Time" else ""
    numbers = (f"{line.before}{unit}", f"{line.after}{unit}", line.relative, line.interval, line.margin)
    return line.word, name, *numbers, "; ".join(line.notes)


def _names(names: Names) -> str:
    return ", ".join(names.items) or names.text


def _section(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    own = list(rows)
    more = f"The page has {counted(len(own) - MOST, 'row')} more." if len(own) > MOST else ""
    return [f"### {title}", table(heads, own[:MOST]), more] if own else []
