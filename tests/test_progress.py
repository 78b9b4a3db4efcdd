"""What a person sees while a run goes on."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from ctkmatrix.progress import Display, duration, size


class Clock:
    """A clock that moves when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def display(*, terminal: bool) -> tuple[Display, io.StringIO, Clock]:
    """Return a display, what it prints, and its clock."""
    out, clock = io.StringIO(), Clock()
    return Display(Console(file=out, force_terminal=terminal, width=120), clock), out, clock


def test_plain_lines_come_now_and_then() -> None:
    """Off a terminal: how far, of what, how long yet, at most every 15 s."""
    shown, out, clock = display(terminal=False)
    with shown.measuring(10):
        for _ in range(5):
            clock.now += 10
            shown.advance(1, "cu13.5 launch.empty")
    assert out.getvalue().splitlines() == [
        "  20% measured, cu13.5 launch.empty, 80 s left",
        "  40% measured, cu13.5 launch.empty, 60 s left",
    ]


def test_a_terminal_gets_a_bar() -> None:
    """On a terminal: one bar that says the same."""
    shown, out, _ = display(terminal=True)
    with shown.measuring(4):
        shown.advance(1, "cu13.5 launch.empty")
    assert "25%" in out.getvalue()
    assert "cu13.5 launch.empty" in out.getvalue()


def test_text_that_looks_like_markup_is_text() -> None:
    """Square brackets in a name or a message mean nothing."""
    shown, out, _ = display(terminal=False)
    shown.say("a [bold]name[/bold]")
    assert out.getvalue() == "a [bold]name[/bold]\n"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (89, "89 s"), (120, "2 min"), (3900, "65 min"), (7500, "2 h 05 min")]
)
def test_durations(seconds: float, text: str) -> None:
    """Short and exact enough."""
    assert duration(seconds) == text


def test_sizes() -> None:
    """Megabytes, then gigabytes."""
    assert [size(310e6), size(1.94e9)] == ["310 MB", "1.9 GB"]
