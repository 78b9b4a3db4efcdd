"""What a variant is made of, as text for the reader: its function, and what that uses of its own file."""

from __future__ import annotations

import inspect
import re
from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DEFINITION = re.compile(
    r"""
    ^(?:(?://|template\ ).*\n)*                   # a comment above, a template's head
    (?:CASE\("(?P<case>[^"]+)"\)
      |class\ (?P<class>\w+)
      |[\w:<>&*\ ]*?\b(?P<function>\w+)\(.*\)
    )\ \{
    (?:.*\}|.*\n(?:(?:[\ \#].*)?\n)*\};?)$        # one line, or indented ones up to a brace in the first column
    """,
    re.MULTILINE | re.VERBOSE,
)
"""A definition at the top level of a file in ``native/``, as clang-format lays it out."""


def native(text: str, case: str) -> str:
    """Return the ``CASE`` of that id in the *text* of a C++ file, below the functions and classes of the file that it uses.

    Nothing where the file has none.
    """
    found = list(DEFINITION.finditer(text))
    wanted = {match.start() for match in found if match["case"] == case}
    for match in reversed(found):  # what is used stands above
        name = match["class"] or match["function"]
        if name and any(_uses(other[0], name) for other in found if other.start() in wanted):
            wanted.add(match.start())
    return "\n\n".join(match[0] for match in found if match.start() in wanted)


def _uses(text: str, name: str) -> bool:
    """Whether *text* names *name*, and not that of another namespace or object."""
    return re.search(rf"(?<![\w.>:]){name}\b", text) is not None


def python(body: Callable[..., object]) -> str:
    """Return the text of *body*, below the constants, functions and classes of its module that it uses.

    A case that is declared in a loop or by a function has values of its own: they are told like constants, and which functions of
    its module it was given right above it.
    """
    used = list(dict.fromkeys(_used(body)))
    *beside, own = (dedent(inspect.getsource(each)).strip() for each in (*used, body))
    return "\n\n".join([*_constants(body, *used), *beside, *_given(body), own])


def _used(body: Callable[..., object]) -> Iterator[Callable[..., object]]:
    """Yield the functions and classes of its module that *body* uses; before each, those that it uses."""
    outside = inspect.getclosurevars(body)
    for value in (*outside.globals.values(), *outside.nonlocals.values()):
        if (inspect.isfunction(value) or inspect.isclass(value)) and value.__module__ == body.__module__:
            if inspect.isfunction(value):
                yield from _used(inspect.unwrap(value))
            yield value


def _constants(*bodies: Callable[..., object]) -> list[str]:
    """Return a paragraph that says the numbers and texts that *bodies* take from outside, if any."""
    found: dict[str, object] = {}
    for body in filter(inspect.isfunction, bodies):
        outside = inspect.getclosurevars(inspect.unwrap(body))
        found |= {name: value for name, value in {**outside.globals, **outside.nonlocals}.items() if _is_plain(value)}
    return ["\n".join(f"{name} = {value!r}" for name, value in found.items())] if found else []


def _given(body: Callable[..., object]) -> list[str]:
    """Return a paragraph that says by what name *body* calls the functions that it was given, if any."""
    given = {name: value for name, value in inspect.getclosurevars(body).nonlocals.items() if inspect.isfunction(value)}
    return ["\n".join(f"{name} = {value.__name__}" for name, value in given.items())] if given else []


def _is_plain(value: object) -> bool:
    return isinstance(value, int | float | str | bytes) or (isinstance(value, tuple) and all(map(_is_plain, value)))
