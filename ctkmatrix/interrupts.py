"""What a signal does: the first one ends the work in good order, and nothing disturbs what follows."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130


def quit_at_once() -> None:
    """Until there is something to put away, let a signal end the process without a word."""
    for one in SIGNALS:
        signal.signal(one, lambda _signal, _frame: os._exit(INTERRUPTED))


def install() -> None:
    """Let the first signal raise KeyboardInterrupt."""
    for one in SIGNALS:
        signal.signal(one, _interrupt)


def ignore() -> None:
    """Let further signals do nothing: what was measured is being put away."""
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    ignore()
    raise KeyboardInterrupt
