"""What a turn of ``loop`` costs over a turn of a bare ``repeat``: a row of `nox -s selfbench`.

``python turn.py ROOT`` runs in a cell's interpreter and prints a JSON list: ns a turn, one number a trial. The two
loops alternate, each first in every second trial, so that drift cancels.
"""

from __future__ import annotations

import json
import sys
from itertools import repeat
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TRIALS = 51
TURNS = 1_000_000


def bare(turns: int) -> float:
    """Return the seconds of a loop over ``repeat`` alone."""
    began = perf_counter()
    for _ in repeat(None, turns):
        abs(1)
    return perf_counter() - began


def looped(turns: int) -> float:
    """Return the seconds of the same loop over ``Loop``, by its own clock."""
    from ctkmatrix.probe.loop import Loop  # noqa: PLC0415 -- found once main has said where

    loop = Loop(turns)
    for _ in loop:
        abs(1)
    if loop.elapsed is None:
        raise RuntimeError("the loop was not turned to its end")
    return loop.elapsed


def trials(count: int, turns: int) -> Iterator[float]:
    """Yield *count* differences, ns a turn."""
    for trial in range(count):
        pair = (bare, looped) if trial % 2 else (looped, bare)
        taken = {measure: measure(turns) for measure in pair}
        yield (taken[looped] - taken[bare]) / turns * 1e9


if __name__ == "__main__":
    sys.path[0] = sys.argv[1]
    print(json.dumps(list(trials(TRIALS, TURNS))))
