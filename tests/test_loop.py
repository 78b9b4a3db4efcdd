"""The timed loop."""

from __future__ import annotations

import ast
import inspect
from itertools import repeat
from statistics import median
from time import perf_counter

import pytest

from ctkmatrix.probe import loop as module
from ctkmatrix.probe.loop import Loop


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Put a mock clock into the loop."""
    made = Clock()
    monkeypatch.setattr(module, "perf_counter", made)
    return made


def test_it_turns_as_often_as_asked() -> None:
    """The number of turns is exact."""
    assert sum(1 for _ in Loop(12_345)) == 12_345


def test_it_keeps_the_time_of_its_turns(clock: Clock) -> None:
    """Every turn's time is counted, the time before the first and after the last is not."""
    loop = Loop(10)
    clock.now += 1000
    for _ in loop:
        clock.now += 2
    clock.now += 1000
    assert loop.elapsed == 20


def test_draining_is_not_timed(clock: Clock) -> None:
    """The drain after each burst takes no part of the time, and follows every burst, the last and shorter one too."""
    drained: list[int] = []
    turns: list[None] = []

    def drain() -> None:
        drained.append(len(turns))
        clock.now += 500

    loop = Loop(10, burst=4, drain=drain)
    for turn in loop:
        turns.append(turn)
        clock.now += 1
    assert drained == [4, 8, 10]
    assert loop.elapsed == 10


def test_a_loop_that_was_left_early_has_no_time(clock: Clock) -> None:
    """A case that breaks out of its loop has measured nothing."""
    loop = Loop(10)
    for _ in loop:
        break
    assert loop.elapsed is None


def test_a_loop_can_be_turned_again(clock: Clock) -> None:
    """The second time counts alone."""
    loop = Loop(3)
    for step in (5, 7):
        for _ in loop:
            clock.now += step
        assert loop.elapsed == 3 * step


def test_the_loop_imports_the_standard_library_alone() -> None:
    """It runs inside the measured interpreter."""
    imports = {node.module for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, ast.ImportFrom)}
    assert imports == {"__future__", "itertools", "time", "typing", "collections.abc"}


def test_a_turn_costs_about_what_a_bare_repeat_costs() -> None:
    """At most 2 ns more a turn than ``repeat``, by the median of alternating trials (the noise of this machine allowed for)."""
    turns = 200_000

    def bare() -> float:
        start = perf_counter()
        for _ in repeat(None, turns):
            pass
        return perf_counter() - start

    def ours() -> float:
        loop = Loop(turns)
        for _ in loop:
            pass
        assert loop.elapsed is not None
        return loop.elapsed

    extra = median(ours() - bare() for _ in range(25)) / turns
    assert extra < 4e-9
