"""Instructions a turn, by N against 2N turns, in a worker that runs under callgrind."""

from __future__ import annotations

import ctypes
import gc
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_TURNS = 10_000
"""N. What happens once in some hundred turns, such as a block of pymalloc that is used up, is then in both blocks."""

ENOUGH = 200_000
"""Instructions that are enough for a block: of long turns, N is less. Callgrind runs some 50 million a second."""

PROBED = 100
"""Turns by which the length of one is guessed."""

AGREE = 0.0005
"""Two blocks of N turns differ by no more than this part: the interpreter has specialised and caches are filled."""

AGREE_LONG = 0.005
"""The same for turns of which one is enough: a compilation of 165 million instructions moves by 0.2 % from one to the next."""

MOST_BLOCKS = 12
"""A variant that has not settled after so many is counted all the same: its spread over processes will tell."""


class Count(TypedDict):
    """``instructions`` a turn, from blocks of ``turns`` and twice as many; ``blocks`` were run until two agreed."""

    turns: int
    instructions: float
    blocks: int
    settled: bool


class Marker:
    """The marker of ``native/callgrind/marker.c``, and what callgrind writes when it is told to.

    output
        What callgrind was given as ``--callgrind-out-file``; its log is the file of that name with ``.log`` behind it.
    """

    def __init__(self, library: str, output: str) -> None:
        self._marker = ctypes.CDLL(library)
        self._output = output
        self._log = Path(f"{output}.log")
        self._dumps = self._read = 0

    def start(self) -> None:
        """Instrument from here on."""
        self._marker.ctk_marker_start()

    def dump(self, run: Callable[[int], object], turns: int) -> Path:
        """Return the file with what *turns* turns of *run* executed, by function."""
        self._marker.ctk_marker_zero()
        run(turns)
        self._marker.ctk_marker_dump()
        self._dumps += 1
        return Path(f"{self._output}.{self._dumps}")

    def instructions(self, run: Callable[[int], object], turns: int) -> int:
        """Return how many instructions *turns* turns of *run* executed, the set-up of its case included."""
        status = self._marker.ctk_marker_status
        status()
        run(turns)
        status()
        before, after = self._said()  # only now: reading executes instructions too
        return executed(after) - executed(before)

    def _said(self) -> tuple[str, str]:
        """Return what callgrind's log holds of the last two calls; a run that failed has left one behind. Raises ValueError."""
        with self._log.open("rb") as log:
            log.seek(self._read)
            said = log.read()
        self._read += len(said)
        parts = said.decode(errors="replace").split("instrumentation:")
        if len(parts) < 3:
            raise ValueError(f"callgrind's log holds {len(parts) - 1} statuses where two were asked for")
        return parts[-2], parts[-1]


def executed(status: str) -> int:
    """Return the sum over threads in callgrind's *status*: a line «events-THREAD: COUNT» each. Raises ValueError without any."""
    found = re.findall(r"^events-\d+: (\d+)$", status, re.MULTILINE)
    if not found:
        raise ValueError(f"callgrind did not say what was executed: {status[:200]!r}")
    return sum(map(int, found))


def count(instructions: Callable[[int], int]) -> Count:
    """Count one variant. *instructions*: turns -> what a block of so many executes, set-up included.

    What a block does once falls out of the difference between N and 2N turns. Raises ValueError where that is nothing or less.
    """
    instructions(1)  # with what is made on first use
    once = instructions(1)
    if once >= ENOUGH and (twice := instructions(2)) - once >= ENOUGH:
        return _count_long(instructions, once, twice)
    turns = _turns((instructions(1 + PROBED) - once) / PROBED)
    last = instructions(turns)
    for blocks in range(2, MOST_BLOCKS):
        before, last = last, instructions(turns)
        if agree(before, last):
            twice, before, last = instructions(2 * turns), last, instructions(turns)
            if agree(before, last):  # two cold blocks can agree too, but not with one after as many turns again
                return _counted(turns, twice - last, blocks, settled=True)
    return _counted(turns, instructions(2 * turns) - last, MOST_BLOCKS, settled=False)


def _turns(each: float) -> int:
    """Return N for turns of about *each* instructions: a power of ten, so that cells that differ a little have the same."""
    turns = PROBED
    while turns < MOST_TURNS and turns * each < ENOUGH:
        turns *= 10
    return turns


def _count_long(instructions: Callable[[int], int], once: int, twice: int) -> Count:
    """Count a variant of which a turn is enough, and may take seconds here: two turns are two blocks of one."""
    for blocks in range(1, MOST_BLOCKS):
        if agree(once, twice / 2, AGREE_LONG):
            return _counted(1, twice - once, blocks, settled=True)
        once, twice = instructions(1), instructions(2)
    return _counted(1, twice - once, MOST_BLOCKS, settled=False)


def _counted(turns: int, more: int, blocks: int, *, settled: bool) -> Count:
    """Return the count where twice as many turns as *turns* execute so many *more* instructions."""
    if more <= 0:
        raise ValueError(f"{2 * turns} turns executed no more instructions than {turns}: other work is in the counts")
    return Count(turns=turns, instructions=more / turns, blocks=blocks, settled=settled)


def agree(one: float, other: float, within: float = AGREE) -> bool:
    """Whether two blocks of as many turns executed the same, but for a part that does not matter."""
    return abs(one - other) <= within * other


class Heap:
    """Objects that leave a process's heap in a state of its own: some are kept, others leave holes."""

    MOST_OBJECTS = 20_000
    MOST_BYTES = 512
    """pymalloc's largest block: what is larger never lands among small objects."""

    def __init__(self, seed: int) -> None:
        choose = random.Random(seed)  # noqa: S311 -- a layout, not a secret
        objects = [bytes(choose.randrange(self.MOST_BYTES)) for _ in range(choose.randrange(self.MOST_OBJECTS))]
        self.kept = [each for each in objects if choose.random() < 0.7]
        del objects
        gc.collect()
