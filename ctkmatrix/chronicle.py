"""Writes ``docs/evidence/history.md`` from a count of the group ``history``: ``nox -s history -- [RUN]``."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ctkmatrix import history, matrix, verdicts
from ctkmatrix.errors import UsageError
from ctkmatrix.history import Published
from ctkmatrix.standalone import standalone
from ctkmatrix.store import Store, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "evidence" / "history.md"
PUBLISHED = ROOT / "cases" / "published.toml"
FEW = 24
"""So many cases by name can still be read."""


def published() -> tuple[Published, ...]:
    """Return the published steps of ``cases/published.toml``. Raises UsageError where something there is wrong."""
    try:
        read = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))
        return tuple(msgspec.convert(read["step"], list[Published]))
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, KeyError) as error:
        raise UsageError(f"cases/published.toml: {error}") from error


def in_short(arguments: Sequence[str]) -> str:
    """Return the words of a count, and how many cases were named where these are more than fit into a sentence."""
    words = [word for word in arguments if not word.startswith("--metric")]
    cases = [place for place, word in enumerate(words) if word == "--case"]
    if len(cases) <= FEW:
        return " ".join(words)
    left = [word for place, word in enumerate(words) if place not in cases and place - 1 not in cases]
    return f"{' '.join(left)} --case … ({len(cases)} cases by name)"


def main(words: Sequence[str]) -> None:
    """Write the page from the run that *words* name, or the latest. Raises UsageError where it holds no counts."""
    results = Store(ROOT / "reports").find(words[0] if words else "latest").results()
    if not any(field.count for field in results.fields):
        raise UsageError(f"run {results.manifest.run} holds no counts: `nox -s count -- --group history` makes such a run")
    margins = matrix.load(ROOT / "matrix.toml").margins
    told = history.history(results, lambda case, _variant: verdicts.margin_of(case, margins).instructions)
    command = f"nox -s count -- {in_short(results.manifest.arguments)}` and `nox -s history"
    replace(PAGE, history.page(results, told, published(), command).encode())
    print(PAGE)


if __name__ == "__main__":
    with standalone():
        main([word for word in sys.argv[1:] if word != "--"])
