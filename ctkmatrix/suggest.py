"""«Perhaps you meant …»: the nearest known word to a wrong one."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def perhaps(wrong: str, known: Iterable[str]) -> str:
    """Return «; perhaps you meant …» for the nearest of *known*, or nothing when none is near."""
    close = difflib.get_close_matches(wrong, list(known), n=1)
    return f"; perhaps you meant «{close[0]}»" if close else ""
