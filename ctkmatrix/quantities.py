"""Numbers as people read them: three significant digits, thin thousands, a true minus. Times go in as seconds."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctkmatrix.model import Estimate

MINUS = "\N{MINUS SIGN}"
THIN = "\N{NARROW NO-BREAK SPACE}"
TIMES = "\N{MULTIPLICATION SIGN}"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"

NANO = 1e9
UNITS = ((1.0, "s", 1.0), (1e-3, "ms", 1e3), (1e-4, "\N{MICRO SIGN}s", 1e6), (0.0, "", NANO))
"""For a narrow column: from so many seconds on, a unit, and its number in a second. A bare number is ns."""

MANY = 1e7
"""From so many instructions on, they are told in millions."""

FINEST = 2
"""Decimals at most: no clock here tells hundredths of a ns apart."""


def number(value: float, digits: int = 3) -> str:
    """*value* to *digits* significant digits: ``6 850``, ``58.4``, ``5``."""
    if not math.isfinite(value):
        return str(value).replace("-", MINUS)
    rounded = float(f"{value:.{digits - 1}e}")
    magnitude = math.floor(math.log10(abs(rounded))) if rounded else 0
    decimals = min(max(digits - 1 - magnitude, 0), FINEST)
    text = f"{abs(rounded):,.{decimals}f}".replace(",", THIN)
    if not float(f"{rounded:.{decimals}f}"):
        return "0"
    text = text.removesuffix("." + "0" * decimals)  # a whole number of ns is said without decimals
    return f"{MINUS if rounded < 0 else ''}{text}"


def nanoseconds(seconds: float) -> str:
    """*seconds* as a bare number of ns: ``584``."""
    return number(seconds * NANO)


def half(estimate: Estimate) -> float:
    """Return the larger half of the interval, infinity where there is none."""
    if estimate.low is None or estimate.high is None:
        return math.inf
    return max(estimate.high - estimate.value, estimate.value - estimate.low)


def half_width(estimate: Estimate, scale: float = NANO) -> str:
    """Say the larger half of the interval in ns, ``±12``, or in what *scale* makes of seconds; ``±?`` where there is none."""
    width = half(estimate) * scale
    if math.isinf(width):
        return "±?"
    return f"±{number(width, 2)}" if width >= 0.005 or width == 0 else "±<0.01"


def brief(estimate: Estimate) -> tuple[str, str]:
    """Say a time and its half-width for a narrow column: in ns, or where either is from 100 000 ns on in a unit that is named.

    Both are in the same unit, which stands with the time.
    """
    width = half(estimate)
    size = max(abs(estimate.value), width if math.isfinite(width) else 0)
    unit, scale = next((unit, scale) for above, unit, scale in UNITS if size >= above)
    return number(estimate.value * scale) + (unit and THIN + unit), half_width(estimate, scale)


def in_percent(share: Estimate) -> tuple[str, str]:
    """Say a share and its half-width for a narrow column: ``58 %`` and ``±3.1``."""
    return percent(share.value), half_width(share, 100)


def spelled(estimate: Estimate) -> str:
    """Say a time with its unit and exact bounds: ``584 ns (95 %: 572 … 596)``."""
    return f"{nanoseconds(estimate.value)} ns{bounds(estimate, NANO)}"


def times(estimate: Estimate) -> str:
    """Say a ratio with its bounds: ``2.34 x (95 %: 2.30 … 2.38)``."""
    return f"{number(estimate.value)} {TIMES}{bounds(estimate)}"


def bounds(estimate: Estimate, scale: float = 1.0) -> str:
    """Say the 95 % interval of *estimate* times *scale*, to follow its value."""
    if estimate.low is None or estimate.high is None:
        return " (no interval: fewer than two processes)"
    return f" (95{THIN}%: {number(estimate.low * scale)} {ELLIPSIS} {number(estimate.high * scale)})"


def percent(share: float, digits: int = 3) -> str:
    """*share* in per cent: ``58 %``."""
    return f"{number(share * 100, digits)}{THIN}%"


def instructions(count: float) -> str:
    """A *count* of instructions: ``62.25``, ``10 732``, from ten million on ``312.4 M``."""
    if abs(count) >= MANY:
        return f"{number(count / 1e6, 4)}{THIN}M"
    return number(count, max(4, len(str(round(abs(count))))))


def duration(seconds: float) -> str:
    """*seconds* in the one or two units that matter: ``4 ms``, ``9 min 12 s``."""
    if seconds < 1:
        return f"{number(seconds * 1e3)} ms"
    if seconds < 60:
        return f"{number(seconds)} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def moment(text: str) -> str:
    """Say an ISO 8601 time of day as ``2026-03-01 12:00 UTC``; empty stays empty. Raises ValueError on anything else."""
    return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%d %H:%M} UTC" if text else ""


def counted(count: int, noun: str, plural: str = "") -> str:
    """``1 cell``, ``32 cells``; *plural* where an s does not do."""
    return f"{number(count, 9)} {noun if count == 1 else plural or noun + 's'}"
