"""What a person sees while a run goes on: a live bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ctkmatrix.plaintext import harmless

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

PLAIN_EVERY = 15.0
"""Seconds between two plain lines of progress."""


class Display:
    """Says what is built or measured, how far it is, and how long yet.

    On a terminal one bar, redrawn only when something has happened: a thread that redraws would disturb what is measured.
    """

    def __init__(self, console: Console | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console or Console(highlight=False, soft_wrap=True)
        self._clock = clock
        self._bar: Progress | None = None
        self._total = self._done = 0.0
        self._began = self._said = 0.0

    def say(self, text: str) -> None:
        """Print *text*, a line as a rule."""
        self._console.print(escape(harmless(text)))

    def measuring(self, total: float) -> Self:
        """Begin a stretch of *total* units of work; use as a context manager."""
        self._total, self._done = total, 0.0
        self._began = self._said = self._clock()
        if self._console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.percentage:>3.0f}%"),
                BarColumn(),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                TextColumn("{task.description}"),
                console=self._console,
                auto_refresh=False,
            )
            self._bar.add_task("", total=total)
        return self

    def advance(self, units: float, what: str) -> None:
        """Count *units* as done, of *what*."""
        self._done += units
        if self._bar:
            self._bar.update(self._bar.task_ids[0], advance=units, description=escape(what), refresh=True)
        elif self._clock() - self._said >= PLAIN_EVERY:
            self._said = self._clock()
            self.say(f"  {self._share():.0%} measured, {what}, {duration(self._left())} left")

    def _share(self) -> float:
        return min(1.0, self._done / self._total) if self._total else 1.0

    def _left(self) -> float:
        elapsed = self._clock() - self._began
        return elapsed / self._share() - elapsed if self._done else 0.0

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()
            self._bar = None


def duration(seconds: float) -> str:
    """Return *seconds* in words short enough for a line: «45 s», «12 min», «1 h 05 min»."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


def size(count: float) -> str:
    """Return *count* bytes in words: «310 MB», «1.9 GB»."""
    return f"{count / 1e6:.0f} MB" if count < 1e9 else f"{count / 1e9:.1f} GB"
