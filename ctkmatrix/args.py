"""The words after ``--`` on nox's command line, and the cells that they select."""

from __future__ import annotations

import argparse
import difflib
import re
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NoReturn

from ctkmatrix.errors import UsageError
from ctkmatrix.model import Metric
from ctkmatrix.suggest import perhaps

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ctkmatrix.model import Cell, Matrix

PROFILES = ("quick", "standard", "thorough")
LATEST = "latest"
"""What ``--resume`` without a run means, and the name of the link to the newest run in ``reports/``."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What was asked for. Empty tuples select everything; ``None`` was not said."""

    case: tuple[str, ...] = ()
    """Globs over case ids."""
    cell: tuple[str, ...] = ()
    """Globs over cell ids."""
    group: str | None = None
    """A group of matrix.toml, whose cells are chosen from instead of the matrix's own."""
    python: tuple[str, ...] = ()
    """Python versions, ``3.N`` or ``3.Nt``."""
    metric: str = "time"
    """``time``, ``instructions`` or ``both``."""
    profile: str = "standard"
    device: str = "auto"
    """``auto``, ``null``, ``gpu``, ``gpu:INDEX`` or ``gpu:UUID``."""
    resume: str | None = None
    """The run to go on with: its name in ``reports/runs``, or ``latest``."""
    seed: int | None = None
    """Of all that is random in a run."""


def parse(words: Sequence[str], profiles: Collection[str] = PROFILES) -> Arguments:
    """Read *words*; *profiles* are those of the matrix.

    Raises UsageError, with a suggestion, for an unknown word or a bad value. ``--help`` alone prints, and raises SystemExit(0).
    """
    arguments = Arguments(**_parser().read(words))
    see_profile(arguments.profile, profiles)
    return arguments


def see_profile(name: str, profiles: Collection[str]) -> None:
    """See that one of *profiles* is called *name*. Raises UsageError, with a suggestion."""
    if name not in profiles:
        raise UsageError(f"after --: there is no profile {name!r}{perhaps(name, profiles)}; there are {', '.join(profiles)}")


def words(arguments: Arguments) -> list[str]:
    """Return words that ``parse`` reads as *arguments*."""
    found: list[str] = []
    for field in fields(arguments):
        value = getattr(arguments, field.name)
        if value != field.default:
            found += [f"--{field.name}={one}" for one in (value if isinstance(value, tuple) else [value])]
    return found


def among(matrix: Matrix, arguments: Arguments, only: Collection[str] = ()) -> tuple[Cell, ...]:
    """Return the cells to select from: those of the group that is asked for, or the matrix's own; with *only*, those of its ids.

    Raises UsageError for a group that there is not, and where no cell has one of the ids.
    """
    cells = matrix.cells if arguments.group is None else _group(matrix, arguments.group)
    found = tuple(cell for cell in cells if not only or cell.id in only)
    if not found:
        where = "matrix.toml" if arguments.group is None else f"group «{arguments.group}»"
        raise UsageError(f"no cell is selected: {where} has none of {', '.join(only)}; `nox -s bench` takes any group's cells")
    return found


def select(cells: Iterable[Cell], arguments: Arguments) -> tuple[Cell, ...]:
    """Return those of *cells* that the arguments ask for.

    Raises UsageError for a ``--cell`` or ``--python`` that no cell answers to, and when nothing is left.
    """
    cells = tuple(cells)
    _check_each_matches(cells, arguments)
    chosen = tuple(
        cell
        for cell in cells
        if (not arguments.cell or any(fnmatchcase(cell.id, glob) for glob in arguments.cell))
        and (not arguments.python or cell.python in arguments.python)
    )
    if not chosen:
        asked = [*arguments.cell, *(f"Python {python}" for python in arguments.python)]
        listed = "`nox -l`" if arguments.group is None else "matrix.toml"
        raise UsageError(f"no cell is selected: none is both {' and '.join(asked)}; {listed} lists the cells")
    return chosen


class Parser(argparse.ArgumentParser):
    """An argparse parser that raises what it would print."""

    def error(self, message: str) -> NoReturn:
        """Raise *message* as a UsageError."""
        raise UsageError(f"after --: {message}")

    def read(self, words: Sequence[str]) -> dict[str, Any]:
        """Return what *words* say, lists as tuples. Raises UsageError, with a suggestion, for an unknown word."""
        found, unknown = self.parse_known_args(words)
        if unknown:
            raise UsageError(_unknown(unknown[0], self.options()))
        return {name: tuple(value) if isinstance(value, list) else value for name, value in vars(found).items()}

    def options(self) -> list[str]:
        """Return the long options."""
        return [name for action in self._actions for name in action.option_strings if name.startswith("--")]


def _parser() -> Parser:
    """Say every option once; each stores into the field of ``Arguments`` of its name, which knows the default."""
    parser = Parser(prog="nox -s SESSION --", allow_abbrev=False, argument_default=argparse.SUPPRESS)
    add = parser.add_argument
    add("--cell", action="append", metavar="GLOB", help="cells by id, such as 'cu13.0-*' (repeatable)")
    add("--group", metavar="NAME", help="the cells of this group of matrix.toml, instead of its own")
    add_common(parser, "time")
    add("--quick", action="store_const", const="quick", dest="profile", help="the same as --profile quick")
    add("--resume", nargs="?", const=LATEST, metavar="RUN", help="go on with an interrupted run (the latest)")
    return parser


def add_common(parser: Parser, metric: str) -> None:
    """Add to *parser* what every command that measures takes; *metric* says what the default is."""
    add = parser.add_argument
    add("--case", action="append", metavar="GLOB", help="cases by id, such as 'event.*' (repeatable)")
    add("--python", action="append", metavar="X", type=_python, help="cells of this Python (repeatable)")
    add("--metric", type=_metric, metavar="|".join(Metric), help=f"what is measured ({metric})")
    add("--profile", metavar="|".join(PROFILES), help="how much is measured (standard)")
    add("--device", type=_device, metavar="auto|null|gpu[:INDEX|UUID]", help="where calls go (auto)")
    add("--seed", type=int, metavar="N", help="repeat the random choices of a run")


def _python(text: str) -> str:
    if not re.fullmatch(r"3\.[0-9]+t?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no Python version: write 3.12, or 3.14t for a free-threaded build")
    return text


def _metric(text: str) -> str:
    if text not in set(Metric):
        raise argparse.ArgumentTypeError(f"{text!r} is no metric{perhaps(text, Metric)}: write {', '.join(Metric)}")
    return text


def _device(text: str) -> str:
    """Check a device. Indices and UUIDs are those of ``nvidia-smi -L``; UUIDs may be shortened, as there."""
    if not re.fullmatch(r"auto|null|gpu(:([0-9]+|(GPU|MIG)-[0-9a-f-]+))?", text):
        near = perhaps(text, ("auto", "null", "gpu"))
        raise argparse.ArgumentTypeError(f"{text!r} is no device{near}: write auto, null, gpu, gpu:INDEX or gpu:UUID")
    return text


def _unknown(word: str, options: Collection[str]) -> str:
    """Say what may have been meant by *word*, which is none of the *options*."""
    if not word.startswith("-"):
        option = "--cell" if re.match(r"cu\d", word) else "--case"
        near = f"perhaps you meant {option} {word!r}" if option in options else "--help lists what there is"
        return f"after --: unexpected word {word!r}; {near}"
    return f"after --: unknown option {word.partition('=')[0]}{perhaps(word.partition('=')[0], options)}; --help lists them"


def _group(matrix: Matrix, name: str) -> tuple[Cell, ...]:
    groups = dict(matrix.groups)
    if name not in groups:
        raise UsageError(f"--group: there is no group {name!r}{perhaps(name, groups)}; there are {', '.join(groups) or 'none'}")
    return groups[name]


def _check_each_matches(cells: Collection[Cell], arguments: Arguments) -> None:
    ids = [cell.id for cell in cells]
    for glob in arguments.cell:
        if not any(fnmatchcase(id_, glob) for id_ in ids):
            close = difflib.get_close_matches(glob.replace("*", ""), ids, n=3, cutoff=0) or ids
            raise UsageError(f"--cell {glob!r} matches no cell; the closest are {', '.join(close)}")
    pythons = list(dict.fromkeys(cell.python for cell in cells))
    for python in arguments.python:
        if python not in pythons:
            raise UsageError(f"--python {python} matches no cell; there are {', '.join(pythons)}")
