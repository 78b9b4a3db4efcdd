"""When enough is measured. Looks at the widths of intervals alone, never at a p value or a verdict, which it would bias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctkmatrix.model import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctkmatrix.model import Estimate, Field, Profile


def wanted(profile: Profile, time: float) -> float:
    """Return the half-width, in seconds, of a 95 % interval that is narrow enough for a variant that takes *time* seconds."""
    return max(profile.relative * time, profile.absolute)


def reached(profile: Profile, field: Field) -> bool:
    """Whether the interval of a measured *field* is narrow enough: its overhead's, or its time's where it has no twin."""
    if field.time is None:
        return True
    decisive = field.overhead or field.time
    half = half_width(decisive)
    return half is not None and half <= wanted(profile, field.time.value)


def half_width(estimate: Estimate) -> float | None:
    """Return half the width of the interval; ``None`` where there is none."""
    if estimate.low is None or estimate.high is None:
        return None
    return (estimate.high - estimate.low) / 2


def too_wide(profile: Profile, fields: Iterable[Field]) -> set[tuple[str, str]]:
    """Return the (cell id, case id) of which more processes are needed. Failed and absent variants need none."""
    return {
        (field.cell, field.case) for field in fields if field.outcome.status is Status.MEASURED and not reached(profile, field)
    }
