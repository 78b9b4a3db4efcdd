"""A file of callgrind's -> folded stacks: instructions by chain of functions, C and Python, outermost first. Pure.

callgrind is to run with ``OPTIONS``: a function's name then carries those of its callers, ``name'caller'caller's caller…``, so
that the stacks are what was executed and no guess from a graph of calls. The format is that of valgrind's manual, «Callgrind
Format Specification». A frame is text: ``name (where)``, or ``where+0xADDRESS`` for a function that has no symbol.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

Stack: TypeAlias = tuple[str, ...]
Stacks: TypeAlias = dict[Stack, float]

OPTIONS = ("--separate-callers=500", "--separate-recs=1")
"""500 callers are more than Python's own limit of recursion lets a case have in sight; a shorter chain would lose its root."""

NO_OBJECT = "???"
INTERPRETER = "CPython"
"""Where the interpreter's own functions are, ``python3.14`` or ``libpython3.12.so.1.0``: the same name for every version."""
EVALUATION = f"_PyEval_EvalFrameDefault ({INTERPRETER})"
INTERPRETING = f"the interpreter at the case's own code ({INTERPRETER})"
TRAMPOLINE = f"py_trampoline_evaluator ({INTERPRETER})"
UNNAMED = re.compile(r"(.+)\+0x[0-9a-f]+")
NAMELESS = "unnamed ("
"""What a frame begins with that stands for all functions without a symbol of one library."""


@dataclass(frozen=True, slots=True)
class Dump:
    """What one file says: instructions by context, as callgrind writes it, and the object that each context's function is in."""

    costs: dict[str, int]
    objects: dict[str, set[str]]
    pid: int

    @property
    def total(self) -> int:
        """All instructions of the file."""
        return sum(self.costs.values())


@dataclass
class _Reader:
    """What the lines so far have said. Names are written once and then told by their number: ``fn=(3) name``, ``fn=(3)``."""

    names: dict[tuple[str, str], str] = field(default_factory=dict)
    costs: dict[str, int] = field(default_factory=dict)
    objects: dict[str, set[str]] = field(default_factory=dict)
    here: str = ""
    where: str = NO_OBJECT
    called_where: str = ""
    in_call: bool = False
    pid: int = 0

    def read(self, line: str) -> None:
        key, equals, value = line.partition("=")
        if equals and key in _SPECIFIERS:
            getattr(self, _SPECIFIERS[key])(value)
        elif line.startswith("pid:"):
            self.pid = int(line.split()[1])
        elif line[:1] in _POSITION:
            self._cost(line)

    def name(self, space: str, value: str) -> str:
        number, _, name = value.partition(" ")
        if name:
            self.names[space, number] = name
        return self.names[space, number]

    def object(self, value: str) -> None:
        self.where = self.name("ob", value)

    def called_object(self, value: str) -> None:
        self.called_where = self.name("ob", value)

    def function(self, value: str) -> None:
        self.here = self.name("fn", value)
        self.objects.setdefault(self.here, set()).add(self.where)

    def called_function(self, value: str) -> None:
        self.objects.setdefault(self.name("fn", value), set()).add(self.called_where or self.where)
        self.called_where = ""

    def calls(self, _value: str) -> None:
        self.in_call = True  # the next line is what the call cost altogether: the callee's own lines say it again

    def _cost(self, line: str) -> None:
        if not self.in_call:
            words = line.split()
            self.costs[self.here] = self.costs.get(self.here, 0) + (int(words[1]) if len(words) > 1 else 0)
        self.in_call = False


_SPECIFIERS = {"ob": "object", "cob": "called_object", "fn": "function", "cfn": "called_function", "calls": "calls"}
_POSITION = frozenset("0123456789+-*")
"""What a line with a cost begins with: a line number, its difference to the last one, or «the same»."""


def read(lines: Iterable[str]) -> Dump:
    """Return what the *lines* of a file of callgrind's say; its one event is Ir, its one position the line."""
    reader = _Reader()
    for line in lines:
        reader.read(line.rstrip("\n"))
    return Dump(reader.costs, reader.objects, reader.pid)


class PerfMap:
    """Python functions by the address of their trampoline: what CPython, from 3.12 on with -X perf, writes into perf-PID.map."""

    def __init__(self, lines: Iterable[str]) -> None:
        entries = sorted(self._entries(lines))
        self._starts = [start for start, _, _ in entries]
        self._entries_by_start = entries

    @staticmethod
    def _entries(lines: Iterable[str]) -> Iterator[tuple[int, int, str]]:
        for line in lines:
            start, size, name = line.rstrip("\n").split(" ", 2)
            qualname, _, path = name.removeprefix("py::").rpartition(":")
            yield int(start, 16), int(size, 16), f"{qualname} ({shortened(path)})"

    def at(self, address: int) -> str | None:
        """Return the Python function whose trampoline *address* is in."""
        index = bisect.bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        start, size, name = self._entries_by_start[index]
        return name if address < start + size else None


def shortened(path: str) -> str:
    """Return a Python file's path without what differs from machine to machine: from the package or the library on."""
    for mark in (r"/site-packages/", r"/lib/python3\.[0-9]+t?/"):
        parts = re.split(mark, path, maxsplit=1)
        if len(parts) == 2:
            return parts[1]
    return "/".join(PurePath(path).parts[-2:])


def where(path: str) -> str:
    """Return the name of a shared object: its module's for an extension module, its file's otherwise."""
    if re.fullmatch(r"(lib)?python3\.[0-9]+t?(\.so.*)?", PurePath(path).name):
        return INTERPRETER
    module = re.fullmatch(r"(?:.*/site-packages/|.*/)(.+?)(?:\.cpython-[^/]*|\.abi3)\.so", path)
    if module is None:
        return PurePath(path).name
    return re.sub(r"\.cu[0-9]+(?=\.)", "", module[1].replace("/", "."))  # cuda.core holds itself once for each CUDA


def folded(dump: Dump, python: PerfMap) -> Stacks:
    """Return instructions by stack, outermost function first.

    A Python function is one frame: of its trampoline, the interpreter's loop that runs it and the function that calls the
    trampoline. The frame's own instructions are therefore those of its bytecodes.
    """
    stacks: Stacks = {}
    for context, cost in dump.costs.items():
        stack = _without_machinery(tuple(_frames(context, dump, python)))
        stacks[stack] = stacks.get(stack, 0) + cost
    return stacks


def _frames(context: str, dump: Dump, python: PerfMap) -> list[str]:
    """Return the frames of one context, outermost first."""
    names = context.split("'")
    found = [_frame(name, dump.objects.get("'".join(names[index:]), set()), python) for index, name in enumerate(names)]
    return found[::-1]


def _frame(name: str, objects: set[str], python: PerfMap) -> str:
    path = next(iter(objects)) if len(objects) == 1 else NO_OBJECT
    if not name.startswith("0x"):
        plain = name.partition("@@")[0].replace(";", ":")
        return plain if path == NO_OBJECT else f"{plain} ({where(path)})"
    address = int(name, 16)
    if path != NO_OBJECT:
        return f"{where(path)}+{address:#x}"
    return python.at(address) or f"no library+{address:#x}"


def _without_machinery(stack: Stack) -> Stack:
    kept = []
    for index, frame in enumerate(stack):
        follows = is_python(stack[index - 1]) if index else False
        leads = is_python(stack[index + 1]) if index + 1 < len(stack) else False
        calls_trampoline = leads and (frame == TRAMPOLINE or frame.startswith(f"{INTERPRETER}+"))
        if not (calls_trampoline or (follows and frame == EVALUATION)):
            kept.append(frame)
    return tuple(kept)


def is_python(frame: str) -> bool:
    """Whether *frame* is a Python function: its place is a .py file, or ``<frozen …>``."""
    return frame.endswith((".py)", ">)"))


def place(frame: str) -> str:
    """Return where *frame* is: a library, a module, a Python file; empty where it is not known."""
    unnamed = UNNAMED.fullmatch(frame)
    if unnamed:
        return unnamed[1]
    name, _, rest = frame.rpartition(" (")
    return rest.removesuffix(")") if name else ""


def per_turn(once: Stacks, twice: Stacks, turns: int) -> Stacks:
    """Return what a turn costs by stack, from blocks of *turns* and of twice as many: what a block does once falls out."""
    found = {stack: (cost - once.get(stack, 0)) / turns for stack, cost in twice.items()}
    return {stack: cost for stack, cost in found.items() if cost > 0}


def inside(stacks: Stacks, is_root: Callable[[str], bool]) -> tuple[Stacks, float]:
    """Return *stacks* from the outermost frame on that *is_root*, and the sum of those without one.

    Where none has one, as Python functions have no names, the stacks begin with ``INTERPRETING`` in place of all that they have
    in common: callgrind did not see that being entered, and its name for it is a guess.
    """
    roots = {stack: next((index for index, frame in enumerate(stack) if is_root(frame)), None) for stack in stacks}
    if all(index is None for index in roots.values()):
        common = _common(list(stacks))
        return {(INTERPRETING, *stack[common:]): cost for stack, cost in stacks.items()}, 0
    found = {stack: index for stack, index in roots.items() if index is not None}
    return _cut(stacks, found), sum(stacks[stack] for stack, index in roots.items() if index is None)


def _common(stacks: list[Stack]) -> int:
    """Return how many frames all *stacks* begin with."""
    low, high = min(stacks, default=()), max(stacks, default=())
    return next((index for index, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))


def _cut(stacks: Stacks, starts: Mapping[Stack, int]) -> Stacks:
    found: Stacks = {}
    for stack, start in starts.items():
        found[stack[start:]] = found.get(stack[start:], 0) + stacks[stack]
    return found


def without_addresses(stacks: Stacks, comparable: frozenset[str]) -> Stacks:
    """Return *stacks* for comparing: a function without a symbol is told by its library alone, unless that is *comparable*.

    An address means the same in two cells only where both have the same file. Unnamed functions of a library that call each
    other become one frame.
    """
    found: Stacks = {}
    for stack, cost in stacks.items():
        merged: list[str] = []
        for frame in stack:
            unnamed = UNNAMED.fullmatch(frame)
            plain = f"{NAMELESS}{unnamed[1]})" if unnamed and unnamed[1] not in comparable else frame
            if not (merged and merged[-1] == plain and plain != frame):
                merged.append(plain)
        found[tuple(merged)] = found.get(tuple(merged), 0) + cost
    return found
