"""One class per kind of failure; each message says what was wrong, where, and what to do.

The exit codes of ``python -m ctkmatrix`` live here and nowhere else.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable


class Exit(enum.IntEnum):
    """What the process says to its caller. nox itself uses 1 and 3."""

    PASSED = 0
    USAGE = 2
    REGRESSION = 10
    INCOMPLETE = 11
    INCONCLUSIVE = 12
    MACHINE = 13
    BUG = 70
    INTERRUPTED = 130


PRECEDENCE = (
    Exit.INTERRUPTED,
    Exit.BUG,
    Exit.MACHINE,
    Exit.USAGE,
    Exit.REGRESSION,
    Exit.INCOMPLETE,
    Exit.INCONCLUSIVE,
)


def worst(codes: Iterable[Exit]) -> Exit:
    """Return the code that speaks for all of *codes*: the first in ``PRECEDENCE``, or ``PASSED``."""
    seen = set(codes)
    return next((code for code in PRECEDENCE if code in seen), Exit.PASSED)


class CtkmatrixError(Exception):
    """A failure that is told to the user in one message, without a traceback."""

    exit: ClassVar[Exit] = Exit.BUG


class UsageError(CtkmatrixError):
    """Wrong words on the command line."""

    exit = Exit.USAGE


class MatrixError(CtkmatrixError):
    """Something in ``matrix.toml`` is wrong; the message begins with ``matrix.toml:LINE:``."""

    exit = Exit.USAGE

    def __init__(self, path: str, line: int, message: str) -> None:
        """Say *message* about line *line* (from 1) of the file at *path*."""
        super().__init__(f"{path}:{line}: {message}")
        self.path, self.line = path, line


class MachineError(CtkmatrixError):
    """The machine lacks something: a driver, a compiler, space, the network."""

    exit = Exit.MACHINE


class EnvironmentFailed(CtkmatrixError):
    """One cell's environment could not be made, or is not what was asked for: that cell is not run."""

    exit = Exit.INCOMPLETE


class NotComparable(CtkmatrixError):
    """Two measurements differ in something that forbids comparing or joining them."""

    exit = Exit.USAGE
