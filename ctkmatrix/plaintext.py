"""Text that others wrote, such as a failure's, so that a terminal, Markdown or XML shows it and does nothing. Pure."""

from __future__ import annotations

import re

_SEQUENCES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\\\|\x9c)|\x1b[ -/]*[0-~]"
)
"""What colours, moves the cursor, names the window or links (ECMA-48): it says nothing to a reader."""

_BREAKS = re.compile("\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")

_UNSEEN = re.compile("[^\t\n -~\xa0-\u2029\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Other control characters, what reorders a line, and halves of surrogate pairs, which no UTF-8 has."""


def harmless(text: str) -> str:
    """Return *text* without what steers a terminal; other characters that nobody sees become U+FFFD. Lines stay."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", _BREAKS.sub("\n", _SEQUENCES.sub("", text)))


def one_line(text: str) -> str:
    """Return *text* as ``harmless`` does, in one line. Fixed and thin spaces, which stand between digits, are left alone."""
    return re.sub(r"[ \t\n]+", " ", harmless(text)).strip()
