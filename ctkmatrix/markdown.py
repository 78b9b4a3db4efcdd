"""Text and tables as Markdown, for a pull request or a job's summary. Pure."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, or nothing where it has no *rows*."""
    lines = [f"| {' | '.join(plain(text) for text in row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}", *lines]) if lines else ""


def plain(text: str) -> str:
    """Write *text* so that Markdown shows it as it is, in one line; nobody is notified by a name behind an @."""
    line = re.sub(r"[ \t\r\n]+", " ", text.strip())  # and no other white space: thin and fixed ones stand between digits
    escaped = re.sub(r"([\\`*_\[\]{}#~|])", r"\\\1", html.escape(line, quote=False))
    return escaped.replace("@", "@<!-- -->")
