"""What is kept of a profile, and how it is drawn: ``reports/profiles/CASE/VARIANT/CELL.svg``, and a JSON file beside it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ctkmatrix import callgraph, flame, sampling
from ctkmatrix.model import SCHEMA
from ctkmatrix.store import replace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ctkmatrix.callgraph import Stacks

INSTRUCTIONS, SAMPLES = "instructions a turn", "samples"
"""What a profile may count."""

NAMED_PYTHON = (
    "Python functions have their names by CPython's perf support, under which each call of one goes through a trampoline: "
    "a turn costs somewhat more than `nox -s count` says."
)
UNNAMED_PYTHON = "CPython before 3.12 cannot name Python functions to callgrind: all that they do is the interpreter's here."
BYTECODES = "A Python function's own instructions are the interpreter's loop over its bytecodes."
NO_SYMBOLS = (
    "«library+0xADDRESS» is a function of a library without symbols, as wheels are; "
    "one that it jumps to at its end is not told from it."
)
NOT_COMPARABLE = "«unnamed (library)» are functions of a library without symbols, which are not told from each other."


class Profile(msgspec.Struct, frozen=True, kw_only=True, tag="profile"):
    """One case in one variant in one cell. ``stacks`` are folded: frames by «;», outermost first, and their own cost.

    ``outside`` is what lay outside the case's function; ``libraries`` are hashes of the files that functions without a symbol
    are in; ``turns`` is 0 for samples.
    """

    case: str
    case_version: str
    variant: str
    cell: str
    unit: str
    turns: int
    outside: float
    stacks: dict[str, float]
    libraries: dict[str, str]
    provenance: dict[str, str]
    schema: int = SCHEMA

    @property
    def name(self) -> str:
        """What its files are called."""
        return self.cell if self.unit == INSTRUCTIONS else f"{self.cell}-{self.unit}"

    @property
    def folded(self) -> Stacks:
        """The stacks, as ``callgraph`` has them."""
        return {tuple(text.split(";")): cost for text, cost in self.stacks.items()}


class Difference(msgspec.Struct, frozen=True, kw_only=True, tag="difference"):
    """The same case and variant in two cells."""

    before: Profile
    after: Profile
    schema: int = SCHEMA


class Made(NamedTuple):
    """A graph that is there: what it is of, and its path relative to ``reports/``. ``against`` is empty for a single cell."""

    variant: str
    cell: str
    against: str
    unit: str
    path: str


def made(reports: Path, case: str) -> list[Made]:
    """Return the graphs of *case* that lie below *reports*, in order of variant, cell and what it is held against.

    One whose data cannot be read (cut off, or of another version) is left out: a page needs none of them.
    """
    found = []
    for path in (reports / "profiles" / case).glob("*/*.json"):
        svg = path.with_suffix(".svg")
        with contextlib.suppress(msgspec.DecodeError, OSError):
            one = msgspec.json.decode(path.read_bytes(), type=Profile | Difference)
            last, first = (one.after, one.before.cell) if isinstance(one, Difference) else (one, "")
            if svg.exists():
                found.append(Made(last.variant, last.cell, first, last.unit, svg.relative_to(reports).as_posix()))
    return sorted(found)


def graph(made: Profile) -> flame.Graph:
    """Return the flame graph of one profile."""
    total = sum(made.stacks.values())
    how = (
        f"{made.turns:,} against {2 * made.turns:,} turns" if made.turns else f"{sampling.SECONDS} s at {sampling.RATE} a second"
    )
    lines = (made.cell, f"{flame.amount(total)} {made.unit}; {how}; null driver")
    return flame.flame(flame.Subject(_title(made), lines, made.unit, tuple(_notes(made, made.folded))), made.folded)


def compared(before: Profile, after: Profile) -> flame.Graph:
    """Return the flame graph of the difference: the stacks of *after*, coloured by what changed since *before*."""
    same = frozenset(name for name, hash_ in before.libraries.items() if after.libraries.get(name) == hash_)
    was, now = (callgraph.without_addresses(one.folded, same) for one in (before, after))
    least, most = sum(was.values()), sum(now.values())
    lines = (
        f"{after.cell} (drawn) against {before.cell}",
        f"{flame.amount(least)} {after.unit} before, {flame.amount(most)} after: {flame.signed(most - least)}; null driver",
    )
    return flame.difference(flame.Subject(_title(after), lines, after.unit, tuple(_notes(after, now))), was, now)


def _title(made: Profile) -> str:
    return f"{made.case}, {made.variant}"


def _notes(made: Profile, shown: Stacks) -> Iterator[str]:
    """Give what the reader of *shown*, the stacks of *made* as they are drawn, has to know."""
    frames = {frame for stack in shown for frame in stack}
    if made.outside > flame.LEAST * sum(shown.values()):
        yield f"{flame.amount(made.outside)} {made.unit} outside the case's function are left out."
    if made.unit == INSTRUCTIONS and made.variant != "native":
        yield from (BYTECODES, NAMED_PYTHON) if any(map(callgraph.is_python, frames)) else (UNNAMED_PYTHON,)
    if any(callgraph.UNNAMED.fullmatch(frame) for frame in frames):
        yield NO_SYMBOLS
    if any(frame.startswith(callgraph.NAMELESS) for frame in frames):
        yield NOT_COMPARABLE


def write(reports: Path, content: Profile | Difference) -> tuple[flame.Graph, Path]:
    """Draw *content* and write the graph and its data below *reports*; return the graph and its path. Raises MachineError."""
    if isinstance(content, Profile):
        drawn, last, name = graph(content), content, content.name
    else:
        drawn, last = compared(content.before, content.after), content.after
        name = f"{content.before.name}-against-{last.name}"
    path = reports / "profiles" / last.case / last.variant / f"{name}.svg"
    replace(path.with_suffix(".json"), msgspec.json.encode(content))
    replace(path, flame.svg(drawn).encode())
    return drawn, path
