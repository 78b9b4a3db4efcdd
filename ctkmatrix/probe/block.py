"""One block: the variants of one case in one process, value by value in random order."""

from __future__ import annotations

import gc
import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ctkmatrix.probe.loop import Loop

MAX_LOOPS = 10_000_000


class Values(TypedDict):
    """What one variant gave: seconds a turn."""

    loops: int
    values: list[float]
    warmups: list[float]


class WrongLoop(RuntimeError):
    """The case did not turn its loop to the end: its time would be of fewer turns than it says."""


def seconds_of(loop: Loop) -> float:
    """Return the seconds of a loop that a case has turned. Raises WrongLoop where it left early, or the clock stood still."""
    if loop.elapsed is None:
        raise WrongLoop("the case left its loop before the last turn")
    if not loop.elapsed > 0 or not math.isfinite(loop.elapsed):
        raise WrongLoop(f"the loop took {loop.elapsed} s: no time at all")
    return loop.elapsed


def calibrate(run: Callable[[int], float], target: float) -> int:
    """Return the number of turns that take about *target* seconds, from 1 to MAX_LOOPS; its measurements are discarded."""
    turns = 1
    while (taken := run(turns)) < target / 4 and turns < MAX_LOOPS:
        turns = min(MAX_LOOPS, turns * max(2, min(10, int(target / 2 / taken))))
    return max(1, min(MAX_LOOPS, round(turns * target / taken)))


@contextmanager
def garbage_kept() -> Iterator[None]:
    """Collect garbage, then none until the end."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def few_and_many(run: Callable[[int], float], few: int, many: int, pairs: int) -> dict[int, float]:
    """Return the seconds a turn of *run* (turns -> seconds that they took), *few* turns at a time and *many*.

    A pair is *many* turns at once, and as many again, *few* at a time, next to each other: what disturbs the machine, shortly or
    for long, disturbs both alike. Of an odd number of *pairs*, the one whose ratio is the median counts.
    """
    with garbage_kept():
        run(few)  # a warm-up
        found = []
        for number in range(pairs):
            order = (few, many) if number % 2 else (many, few)
            found.append({turns: sum(run(turns) for _ in range(many // turns)) / many for turns in order})
    middle = sorted(found, key=lambda pair: pair[few] / pair[many])[pairs // 2]
    return {few: middle[few], many: middle[many]}


def measure(
    runs: Mapping[str, Callable[[int], float]],
    *,
    loops: Mapping[str, int],
    values: int,
    seconds: float,
    order: random.Random,
) -> tuple[dict[str, Values], dict[str, Exception]]:
    """Measure every variant of *runs*, *values* times each, alternating in random order.

    runs
        By variant: turns -> seconds that they took.
    loops
        Turns behind a value, for the variants that have been calibrated before; the rest are calibrated to *seconds*.

    Returns the values, and what the variants that failed raised: a failure loses its own variant alone.
    """
    results: dict[str, Values] = {}

    def prepare(variant: str) -> None:
        run = runs[variant]
        checked = run(1)  # the checked call before; of a slow case, also its warm-up
        turns = loops.get(variant) or calibrate(run, seconds)
        warm = turns // 4
        results[variant] = Values(loops=turns, values=[], warmups=[run(warm) / warm if warm > 1 else checked])

    def value(variant: str) -> None:
        turns = results[variant]["loops"]
        results[variant]["values"].append(runs[variant](turns) / turns)

    def checked_call_after(variant: str) -> None:
        runs[variant](1)

    with garbage_kept():
        failures = alternate((prepare, *[value] * values, checked_call_after), list(runs), order)
    return {variant: result for variant, result in results.items() if variant not in failures}, failures


def alternate(steps: Sequence[Callable[[str], None]], variants: Sequence[str], order: random.Random) -> dict[str, Exception]:
    """Take one step after the other, each for all *variants* in random order but those that raised; return what they raised."""
    failures: dict[str, Exception] = {}
    for step in steps:
        for variant in order.sample(variants, len(variants)):
            if variant not in failures:
                try:
                    step(variant)
                except Exception as error:
                    failures[variant] = error
    return failures
