"""Counting by N against 2N turns, on functions that say how many instructions a block takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctkmatrix.probe import count as counting
from ctkmatrix.probe.count import Heap, Marker, count, executed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def block(turn: float, *, setup: int = 5_000, warm_up: int = 0) -> Callable[[int], int]:
    """Return a block whose turns take *turn* instructions after a set-up; the first *warm_up* turns take as much again."""
    cold = warm_up

    def instructions(turns: int) -> int:
        nonlocal cold
        extra = min(cold, turns)
        cold -= extra
        return round(setup + turn * (turns + extra))

    return instructions


@pytest.mark.parametrize("turn", [3.0, 1_234.5, 17_000.0, 165_000_000.0])
def test_set_up_falls_out(turn: float) -> None:
    """From three instructions a turn to the compilation of a program: what a block does once is not in the result."""
    found = count(block(turn))
    assert found["instructions"] == pytest.approx(turn, rel=1e-4)
    assert found["settled"]


def test_long_turns_are_few() -> None:
    """A turn of seconds under callgrind is run four times; short ones have thousands behind each block."""
    run: list[int] = []
    long = block(165_000_000)

    def noted(turns: int) -> int:
        run.append(turns)
        return long(turns)

    assert count(noted)["turns"] == 1
    assert sum(run) <= 4
    assert count(block(12))["turns"] == counting.MOST_TURNS


def test_it_counts_only_once_blocks_agree() -> None:
    """Turns before the interpreter has specialised are no part of the result."""
    found = count(block(1_000, warm_up=300))
    assert found["instructions"] == pytest.approx(1_000)
    assert found["blocks"] > count(block(1_000))["blocks"]


def test_what_never_settles_is_counted_and_told() -> None:
    """Blocks that grow for ever end, and the result says so."""
    size = 10_000

    def grows(turns: int) -> int:
        nonlocal size
        size = size * 11 // 10
        return size * turns

    assert count(grows)["settled"] is False


def test_what_was_executed_is_the_sum_over_threads() -> None:
    """Of callgrind's own words; the lines of single functions do not count, and no line is a mistake, not a zero."""
    said = "events: Ir\nthreads: 2\nevents-1: 4000\nframes-1: 1\nfunction-1-0: main\nevents-1-0: 17\nevents-2: 711\n"
    assert executed(said) == 4711
    with pytest.raises(ValueError, match="did not say"):
        executed("instrumentation: off\n")


def test_heaps_differ_and_repeat() -> None:
    """Another seed leaves other objects, the same seed the same."""
    sizes = [[len(each) for each in Heap(seed).kept] for seed in (1, 1, 2)]
    assert sizes[0] == sizes[1] != sizes[2]


def test_a_marker_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """Nothing is counted by a library that cannot be loaded."""
    with pytest.raises(OSError, match=r"none\.so"):
        Marker(str(tmp_path / "none.so"), "out")
