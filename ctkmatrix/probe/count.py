"""Instructions a turn, by N against 2N turns, in a worker that runs under callgrind."""

from __future__ import annotations

import ctypes
import gc
import random
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_TURNS = 10_000
"""N. What happens once in some hundred turns, such as a block of pymalloc that is used up, is then in both blocks."""

ENOUGH = 200_000
"""Instructions that are enough for a block: of long turns, N is less. Callgrind runs some 50 million a second."""

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
    """The marker of ``native/callgrind/marker.c``, and the files that callgrind writes when it is told to.

    output
        What callgrind was given as ``--callgrind-out-file``.
    """

    def __init__(self, library: str, output: str) -> None:
        self._marker = ctypes.CDLL(library)
        self._output = output
        self._dumps = 0

    def start(self) -> None:
        """Instrument from here on."""
        self._marker.ctk_marker_start()

    def dump(self, run: Callable[[int], object], turns: int) -> Path:
        """Return the file with what *turns* turns of *run* executed."""
        self._marker.ctk_marker_zero()
        run(turns)
        self._marker.ctk_marker_dump()
        self._dumps += 1
        return Path(f"{self._output}.{self._dumps}")

    def instructions(self, run: Callable[[int], object], turns: int) -> int:
        """Return how many instructions *turns* turns of *run* executed, the set-up of its case included."""
        dump = self.dump(run, turns)
        total = total_of(dump)
        dump.unlink()
        return total


def total_of(dump: Path) -> int:
    """Return the instructions that a file of callgrind's sums up to. Raises ValueError where it does not say."""
    with dump.open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("totals:"):
                return int(line.split()[1])
    raise ValueError(f"callgrind wrote no total into {dump.name}")


def count(instructions: Callable[[int], int]) -> Count:
    """Count one variant. *instructions*: turns -> what a block of so many executes, set-up included.

    What a block does once falls out of the difference between N and 2N turns.
    """
    turns, last = 1, instructions(1)
    while turns < MOST_TURNS and last < ENOUGH:
        turns *= 10
        last = instructions(turns)
    if turns == 1:
        return _count_long(instructions, last)
    for blocks in range(2, MOST_BLOCKS):
        before, last = last, instructions(turns)
        if agree(before, last):
            twice, before, last = instructions(2 * turns), last, instructions(turns)
            if agree(before, last):  # two cold blocks can agree too, but not with one after as many turns again
                return Count(turns=turns, instructions=(twice - last) / turns, blocks=blocks, settled=True)
    return Count(turns=turns, instructions=(instructions(2 * turns) - last) / turns, blocks=MOST_BLOCKS, settled=False)


def _count_long(instructions: Callable[[int], int], last: int) -> Count:
    """Count a variant of which a turn is enough, and may take seconds here: two turns are two blocks of one."""
    for blocks in range(1, MOST_BLOCKS):
        twice = instructions(2)
        if agree(last, twice / 2, AGREE_LONG):
            return Count(turns=1, instructions=float(twice - last), blocks=blocks, settled=True)
        last = instructions(1)
    return Count(turns=1, instructions=float(instructions(2) - last), blocks=MOST_BLOCKS, settled=False)


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
