"""Folded stacks -> a flame graph, or one of the difference between two -> SVG that needs neither script nor network. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ctkmatrix.callgraph import INTERPRETER, is_python, place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctkmatrix.callgraph import Stack, Stacks

TEMPLATES = Path(__file__).parent.parent / "templates"

WIDTH = 1200
MARGIN = 10
ROW = 17
LETTER = 6.05
"""Pixels a letter of the monospace font at the size of the template: labels are cut by it."""
LEAST = 0.001
"""The part of the whole below which a frame is left out: it would be a pixel wide."""
LISTED = 12
"""Functions in the list below the graph."""

KINDS = {
    "python": "Python function",
    "interpreter": "the interpreter",
    "core": "cuda.core",
    "bindings": "cuda.bindings",
    "driver": "driver (libcuda)",
    "other": "other libraries",
}
STEPS = ((0.5, 3), (0.1, 2), (0.01, 1))
"""A frame whose own change is beyond this part of the largest one has the colour of that strength."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a graph is of: its title, what is said under it, and what its widths count, such as «instructions a turn»."""

    title: str
    lines: tuple[str, ...]
    unit: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Box:
    """A frame as it is drawn: pixels across, rows up, a label that fits, the whole story for who points at it, a style's name."""

    x: float
    row: int
    width: float
    label: str
    story: str
    style: str


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the list of functions: amounts as they are shown, and the function."""

    amounts: tuple[str, ...]
    function: str


@dataclass(frozen=True, slots=True)
class Graph:
    """All that the template draws. ``legend`` is (style, words); ``columns`` are the heads of ``rows``."""

    subject: Subject
    boxes: tuple[Box, ...]
    legend: tuple[tuple[str, str], ...]
    heading: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    depth: int


@dataclass
class _Node:
    """A function under its callers: ``own`` is what it executed itself, ``all`` with what it called; ``before`` likewise."""

    own: float = 0.0
    all: float = 0.0
    own_before: float = 0.0
    all_before: float = 0.0
    callees: dict[str, _Node] = field(default_factory=dict)


def flame(subject: Subject, stacks: Stacks) -> Graph:
    """Return the flame graph of *stacks*: widths are what a function and those it called cost, colours say what it is."""
    root = _tree(stacks, {})
    boxes, left_out, depth = _boxes(root, lambda name, node: (kind(name), _story(name, node, root.all, subject.unit)))
    own = by_function(stacks)
    rows = [Row((amount(cost), f"{cost / root.all:.1%}"), name) for name, cost in list(own.items())[:LISTED]]
    seen = {box.style for box in boxes}
    return Graph(
        subject,
        boxes,
        tuple((style, words) for style, words in KINDS.items() if style in seen),
        f"Functions by what they cost themselves, {subject.unit}",
        ("own", "of all"),
        tuple(rows),
        (*_left_out(left_out, root.all, subject.unit), *subject.notes),
        depth,
    )


def difference(subject: Subject, before: Stacks, after: Stacks) -> Graph:
    """Return the flame graph of *after*, coloured by how much each frame's own cost differs from *before*."""
    root = _tree(after, before)
    largest = max((abs(after.get(stack, 0) - before.get(stack, 0)) for stack in {*before, *after}), default=0.0)

    def drawn(name: str, node: _Node) -> tuple[str, str]:
        own, whole = node.own - node.own_before, node.all - node.all_before
        story = f"{_story(name, node, root.all, subject.unit)}; change {signed(whole)}, itself {signed(own)}"
        return change(own, largest), story

    boxes, left_out, depth = _boxes(root, drawn)
    rows = [Row((signed(by), amount(was), amount(now)), name) for name, by, was, now in changed(before, after)]
    gone = sum(cost for stack, cost in before.items() if stack not in after)
    note = f"{amount(gone)} {subject.unit} of the first cell were in stacks that the second has not: its own graph shows them."
    return Graph(
        subject,
        boxes,
        _change_legend(largest),
        f"Functions whose own cost changed most, {subject.unit}",
        ("change", "before", "after"),
        tuple(rows),
        (*_left_out(left_out, root.all, subject.unit), *([note] if gone else ()), *subject.notes),
        depth,
    )


def changed(before: Stacks, after: Stacks, most: int = LISTED) -> list[tuple[str, float, float, float]]:
    """Return (function, change, before, after) of the *most* functions whose own cost changed most, the largest change first."""
    was, now = by_function(before), by_function(after)
    both = {name: (was.get(name, 0), now.get(name, 0)) for name in {*was, *now}}
    found = [(name, last - first, first, last) for name, (first, last) in both.items()]
    return sorted((one for one in found if one[1]), key=lambda one: (-abs(one[1]), one[0]))[:most]


def by_function(stacks: Stacks) -> dict[str, float]:
    """Return what each function cost itself, wherever it was called from; the largest first."""
    found: dict[str, float] = {}
    for stack, cost in stacks.items():
        found[stack[-1]] = found.get(stack[-1], 0) + cost
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def kind(frame: str) -> str:
    """Return what *frame* belongs to: a key of ``KINDS``."""
    where = place(frame)
    if is_python(frame):
        return "python"
    if where == INTERPRETER:
        return "interpreter"
    if where.startswith("libcuda.so"):
        return "driver"
    return next((name for name in ("core", "bindings") if f"{where}.".startswith(f"cuda.{name}.")), "other")


def change(by: float, largest: float) -> str:
    """Return the style of a frame whose own cost changed *by* so much, where the *largest* change is that."""
    part = abs(by) / largest if largest else 0
    strength = next((strength for least, strength in STEPS if part > least), 0)
    return f"{'more' if by > 0 else 'less'}{strength}" if strength else "same"


def amount(value: float) -> str:
    """Return a number as it is shown: whole from 10 on."""
    return f"{value:,.0f}" if abs(value) >= 10 or value == int(value) else f"{value:,.1f}"


def signed(value: float) -> str:
    """Return a change as it is shown."""
    sign = "\N{MINUS SIGN}" if value < 0 else "+" if value > 0 else ""
    return sign + amount(abs(value))


def label(frame: str, width: float) -> str:
    """Return what fits into *width* pixels of *frame*: all of it, or its name, or the beginning of that, or nothing."""
    letters = int((width - 6) / LETTER)
    name = frame.rpartition(" (")[0] or frame
    if letters < 3:
        return ""
    return next((text for text in (frame, name) if len(text) <= letters), f"{name[: letters - 1]}…")


def svg(graph: Graph) -> str:
    """Return *graph* as SVG. Every string of it is escaped: no function's name can become markup."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("flame.svg.j2").render(graph=graph, width=WIDTH, margin=MARGIN, row=ROW)


def _tree(after: Stacks, before: Stacks) -> _Node:
    root = _Node()
    for stack in sorted({*after, *before}):
        now, was = after.get(stack, 0), before.get(stack, 0)
        node = root
        for node in _path(root, stack):
            node.all += now
            node.all_before += was
        node.own += now
        node.own_before += was
    return root


def _path(root: _Node, stack: Stack) -> Iterator[_Node]:
    yield root
    for frame in stack:
        root = root.callees.setdefault(frame, _Node())
        yield root


def _boxes(root: _Node, drawn: Callable[[str, _Node], tuple[str, str]]) -> tuple[tuple[Box, ...], float, int]:
    """Return the boxes, what those left out cost, and how many rows there are; row 0 is the lowest."""
    scale = (WIDTH - 2 * MARGIN) / root.all if root.all else 0
    boxes: list[Box] = []
    left_out = 0.0
    deepest = 0
    waiting = [(root, float(MARGIN), 0)]
    while waiting:
        node, x, row = waiting.pop()
        for name, callee in node.callees.items():
            if callee.all < LEAST * root.all:
                left_out += callee.all
                continue
            width = callee.all * scale
            style, story = drawn(name, callee)
            boxes.append(Box(round(x, 2), row, round(width, 2), label(name, width), story, style))
            waiting.append((callee, x, row + 1))
            deepest = max(deepest, row + 1)
            x += width
    return tuple(boxes), left_out, deepest


def _story(name: str, node: _Node, total: float, unit: str) -> str:
    return f"{name}: {amount(node.all)} {unit}, {node.all / total:.1%}; itself {amount(node.own)}"


def _left_out(cost: float, total: float, unit: str) -> tuple[str, ...]:
    if cost <= LEAST / 2 * total:
        return ()
    return (f"Frames under {LEAST:.1%} are not drawn: {amount(cost)} {unit} altogether, {cost / total:.1%}.",)


def _change_legend(largest: float) -> tuple[tuple[str, str], ...]:
    if not largest:
        return (("same", "no frame changed"),)
    down = [(f"less{strength}", f"less, by over {amount(least * largest)}") for least, strength in STEPS]
    up = [(f"more{strength}", f"more, by over {amount(least * largest)}") for least, strength in reversed(STEPS)]
    return (*down, ("same", "about the same"), *up)


def text_table(columns: Sequence[str], rows: Iterable[Row]) -> list[str]:
    """Return the list of functions as lines for a terminal."""
    rows = list(rows)
    widths = [max(len(head), *(len(row.amounts[index]) for row in rows)) for index, head in enumerate(columns)] if rows else []
    lines = [[*columns, "function"], *([*row.amounts, row.function] for row in rows)]
    return ["  ".join([*(word.rjust(width) for word, width in zip(line, widths, strict=False)), line[-1]]) for line in lines]
