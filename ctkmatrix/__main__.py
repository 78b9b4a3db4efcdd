"""``python -m ctkmatrix COMMAND [--only=CELL …] [--cells-to=FILE] [-- WORDS …]``: behind nox's sessions; the exit codes."""

from __future__ import annotations

import os
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ctkmatrix import interrupts

if __name__ == "__main__":
    interrupts.quit_at_once()  # the imports below take a second

from ctkmatrix import app, profiling, validate
from ctkmatrix.errors import CtkmatrixError, Exit, UsageError
from ctkmatrix.job import Place
from ctkmatrix.plaintext import harmless
from ctkmatrix.suggest import perhaps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).parent.parent
OPTIONS = ("--only", "--cells-to")

COMMANDS: dict[str, Callable[[Place, app.Options, Sequence[str]], Exit]] = {
    "plan": app.plan,
    "measure": app.measure,
    "count": app.count,
    "report": app.report,
    "profile": profiling.profile,
    "validate": validate.validate,
}


def main(words: Sequence[str]) -> Exit:
    """Run the command that *words* name; say what went wrong in one message; return the exit code."""
    place = Place(ROOT)
    try:
        command, options, rest = split(words)
        return COMMANDS[command](place, options, rest)
    except CtkmatrixError as error:
        print(f"ctkmatrix: {harmless(str(error))}", file=sys.stderr)
        return error.exit
    except KeyboardInterrupt:
        print("ctkmatrix: interrupted; the same command with --resume goes on with what was begun", file=sys.stderr)
        return Exit.INTERRUPTED
    except Exception as error:  # noqa: BLE001 -- the last line of defence
        return bug(place, error)


def split(words: Sequence[str]) -> tuple[str, app.Options, list[str]]:
    """Return the command, what nox's sessions tell it, and the words after ``--``. Raises UsageError."""
    cut = list(words).index("--") if "--" in words else len(words)
    own, rest = words[:cut], list(words[cut + 1 :])
    if not own or own[0] not in COMMANDS:
        wrong = own[0] if own else ""
        raise UsageError(f"there is no command {wrong!r}{perhaps(wrong, COMMANDS)}; there are {', '.join(COMMANDS)}")
    only: list[str] = []
    cells_to = None
    for word in own[1:]:
        name, _, value = word.partition("=")
        if name == "--only":
            only.append(value)
        elif name == "--cells-to":
            cells_to = Path(value)
        else:
            raise UsageError(f"unknown word {word!r}{perhaps(name, OPTIONS)}; what narrows a run goes after --")
    return own[0], app.Options(tuple(only), cells_to), rest


def bug(place: Place, error: Exception) -> Exit:
    """Write the traceback of our own mistake into a log, and say in one line where it is."""
    log = place.reports / "bugs" / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.getpid()}.log"
    text = "".join(traceback.format_exception(error))
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(text, encoding="utf-8")
        where = str(log)
    except OSError:
        sys.stderr.write(text)
        where = "above"
    frame = traceback.extract_tb(error.__traceback__)[-1]
    at = f"{Path(frame.filename).name}:{frame.lineno}"
    print(f"ctkmatrix: a bug of ctkmatrix: {type(error).__name__} at {at}; the traceback is in {where}", file=sys.stderr)
    return Exit.BUG


if __name__ == "__main__":
    interrupts.install()
    sys.exit(main(sys.argv[1:]))
