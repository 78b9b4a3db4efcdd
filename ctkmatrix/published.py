"""``cases/published.toml`` -> the figures that others have published. They stand beside ours and are never mixed with them."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Literal

import msgspec

from ctkmatrix.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
"""What a unit of time is in seconds."""


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One number that somebody published, as its source says it; what that does not say is empty.

    issue
        Issues or pull requests of cuda-python, such as ``#659``, separated by spaces.
    case, variant
        Ours, where a case of ours measures the operation or comes near it; *operation* says what was measured.
    version
        The release, or the change, that it was measured with or before.
    pilot
        Whether a pilot of this project found it, by another harness: nobody else has published it.
    """

    value: float
    unit: Literal["ns", "µs", "ms", "s", "x", "%"]
    operation: str
    source: Literal["seed", "published.md"] = "seed"
    issue: str = ""
    case: str = ""
    variant: str = ""
    package: str = ""
    version: str = ""
    hardware: str = ""
    note: str = ""
    pilot: bool = False


class _File(msgspec.Struct):
    """The figures of the file; what else it holds is read by others."""

    figure: tuple[Figure, ...]


def figures(path: Path) -> tuple[Figure, ...]:
    """Return the figures of the file at *path*, in its order. Raises UsageError where something there is wrong."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File).figure
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"cases/{path.name}: {error}") from error


def for_case(figures: Iterable[Figure], case: str) -> tuple[Figure, ...]:
    """Return those of *figures* that are about the case of that id; with an empty one, those that are about none of ours."""
    return tuple(figure for figure in figures if figure.case == case)


def seconds(figure: Figure) -> float | None:
    """Return the figure in seconds, or ``None`` for a ratio or a share."""
    unit = SECONDS.get(figure.unit)
    return None if unit is None else figure.value * unit
