"""Numbers as people read them."""

from __future__ import annotations

import pytest

from ctkmatrix.model import Estimate
from ctkmatrix.quantities import (
    brief,
    counted,
    duration,
    half_width,
    instructions,
    moment,
    nanoseconds,
    number,
    percent,
    spelled,
    times,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (584.4e-9, "584"),
        (6.849e-6, "6\N{NARROW NO-BREAK SPACE}850"),
        (5.2014e-3, "5\N{NARROW NO-BREAK SPACE}200\N{NARROW NO-BREAK SPACE}000"),
        (58.44e-9, "58.4"),
        (1.844e-9, "1.84"),
        (9.996e-9, "10"),
        (-5e-9, "\N{MINUS SIGN}5"),
        (-0.001e-9, "0"),
        (0.0, "0"),
    ],
)
def test_a_time_has_three_digits_thin_thousands_and_a_true_minus(seconds: float, text: str) -> None:
    """Times are shown in ns, to what three significant digits say."""
    assert nanoseconds(seconds) == text


def test_a_number_that_is_none_is_said() -> None:
    """Infinity does not break the page."""
    assert number(float("-inf")) == "\N{MINUS SIGN}inf"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (572e-9, 596e-9, "±12"),
        (583e-9, 614e-9, "±30"),
        (400e-9, 600e-9, "±180"),
        (583.999e-9, 584.001e-9, "±<0.01"),
        (584e-9, 584e-9, "±0"),
        (None, None, "±?"),
    ],
)
def test_the_larger_half_of_the_interval_is_shown(low: float | None, high: float | None, text: str) -> None:
    """An asymmetric interval shows its larger half; a missing one a question mark, never a zero."""
    assert half_width(Estimate(584e-9, low, high, ())) == text


@pytest.mark.parametrize(
    ("value", "half", "said"),
    [
        (584e-9, 12e-9, ("584", "±12")),
        (99.9e-6, 1e-6, ("99\N{NARROW NO-BREAK SPACE}900", "±1\N{NARROW NO-BREAK SPACE}000")),
        (-0.296e-3, 0.19e-3, ("\N{MINUS SIGN}296\N{NARROW NO-BREAK SPACE}\N{MICRO SIGN}s", "±190")),
        (10.6e-3, 36e-3, ("10.6\N{NARROW NO-BREAK SPACE}ms", "±36")),
        (44.1e-6, 240e-6, ("44.1\N{NARROW NO-BREAK SPACE}\N{MICRO SIGN}s", "±240")),
        (2.5, 0.1, ("2.50\N{NARROW NO-BREAK SPACE}s", "±0.10")),
    ],
)
def test_a_narrow_column_names_larger_units(value: float, half: float, said: tuple[str, str]) -> None:
    """From 100 000 ns on the unit stands with the time; the half-width shares it and never takes a finer one."""
    assert brief(Estimate(value, value - half, value + half, ())) == said


def test_without_an_interval_a_narrow_column_says_so() -> None:
    """The time still chooses its unit."""
    assert brief(Estimate(2e-3, None, None, ())) == ("2\N{NARROW NO-BREAK SPACE}ms", "±?")


def test_exact_bounds_follow_the_value() -> None:
    """Both bounds stand with their value; without an interval the reason does."""
    thin = "\N{NARROW NO-BREAK SPACE}"
    assert spelled(Estimate(584e-9, 572e-9, 600e-9, ())) == f"584 ns (95{thin}%: 572 … 600)"
    assert times(Estimate(2.341, 2.3, 2.38, ())) == f"2.34 \N{MULTIPLICATION SIGN} (95{thin}%: 2.30 … 2.38)"
    assert "fewer than two processes" in spelled(Estimate(584e-9, None, None, ()))


def test_shares_durations_moments_and_counts() -> None:
    """The small forms read like text."""
    assert percent(0.584) == "58.4\N{NARROW NO-BREAK SPACE}%"
    assert percent(0.00312, 2) == "0.31\N{NARROW NO-BREAK SPACE}%"
    assert [duration(value) for value in (0.004, 8.17, 552, 3900)] == ["4 ms", "8.17 s", "9 min 12 s", "1 h 05 min"]
    assert moment("2026-03-01T13:00:00+01:00") == "2026-03-01 12:00 UTC"
    assert moment("") == ""
    assert [counted(1, "cell"), counted(32, "cell"), counted(4, "process", "processes")] == ["1 cell", "32 cells", "4 processes"]


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (2.0, "2"),
        (62.254, "62.25"),
        (999.96, "1 000"),
        (10732.4, "10 732"),
        (-4828.2, "\N{MINUS SIGN}4 828"),
        (9_999_999.0, "9 999 999"),
        (312_412_345.0, "312.4 M"),
    ],
)
def test_a_count_is_said_to_the_instruction_and_large_ones_in_millions(count: float, text: str) -> None:
    """Four significant digits at least; fractions of an instruction only below a thousand."""
    assert instructions(count).replace("\N{NARROW NO-BREAK SPACE}", " ") == text
