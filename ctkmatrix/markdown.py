"""Text and tables as Markdown, for a pull request or a job's summary. Pure."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from ctkmatrix.plaintext import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, or nothing where it has no *rows*."""
    lines = [f"| {' | '.join(plain(text) for text in row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}", *lines]) if lines else ""


def plain(text: str) -> str:
    """Write *text* so that Markdown shows it as it is, in one line; nobody is notified by a name behind an @."""
    escaped = re.sub(r"([\\`*_\[\]{}#~|])", r"\\\1", html.escape(one_line(text), quote=False))
    return escaped.replace("@", "@<!-- -->")
