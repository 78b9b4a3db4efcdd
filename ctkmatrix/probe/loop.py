"""The timed loop: ``for _ in loop:`` costs what ``for _ in itertools.repeat(None, n)`` costs, and keeps the time itself."""

from __future__ import annotations

from itertools import chain, repeat
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Loop:
    """Iterate *turns* times; ``elapsed`` then holds the seconds that the turns took.

    A generator stamps the clock, hands ``repeat(None, n)`` to ``chain.from_iterable`` and stamps again once it is exhausted: the
    clock covers the turns alone, and no Python code runs between two turns. With *burst*, the turns come in bursts of at most
    that many with *drain* called, untimed, after each: an asynchronous case then never fills the launch queue.
    """

    __slots__ = ("burn", "burst", "drain", "elapsed", "turns")

    def __init__(self, turns: int, burst: int = 0, drain: Callable[[], object] | None = None, burn: int = 0) -> None:
        self.turns = turns
        self.burn = burn
        """Calls of ``abs`` that every turn makes besides: a known slow-down, for the harness to prove that it finds it."""
        self.burst = burst or turns
        self.drain = drain
        self.elapsed: float | None = None
        """Seconds inside the turns; ``None`` until the last turn ended."""

    def __iter__(self) -> Iterator[None]:
        return chain.from_iterable(self._bursts())

    def _bursts(self) -> Iterator[Iterator[None]]:
        self.elapsed = None
        elapsed, left = 0.0, self.turns
        while left:
            size = min(left, self.burst)
            turns: Iterator[None] = self._burning(size) if self.burn else repeat(None, size)
            start = perf_counter()
            yield turns
            elapsed += perf_counter() - start
            if self.drain is not None:
                self.drain()
            left -= size
        self.elapsed = elapsed

    def _burning(self, size: int) -> Iterator[Any]:
        turns: Iterator[int] = repeat(1, size)
        for _ in range(self.burn):
            turns = map(abs, turns)
        return turns
