"""Where each key and each array item of a TOML text stands: tomllib tells values, not lines."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Path: TypeAlias = tuple[str | int, ...]
"""The way to a value from the top: keys, and positions (from 0) in arrays."""

_TOKEN = re.compile(
    r'''"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}'''  # strings of several lines; quotes may stand just before the end
    r"""|"(?:\\.|[^"\\])*"|'[^']*'|#[^\n]*"""
    r"""|[\[\]{},=.\n]|[^\s\[\]{},=.#"']+""",
    re.DOTALL,
)


def lines(text: str) -> dict[Path, int]:
    """Return the line, from 1, on which each key and each array item of *text* begins.

    *text* must be valid TOML: have tomllib read it first. A table that appears only as a part of longer names
    (``a`` in ``[a.b]``) stands where it is named first.
    """
    scanner = _Scanner(text)
    scanner.document()
    return scanner.found


class _Scanner:
    """One walk over the tokens of a valid TOML text."""

    def __init__(self, text: str) -> None:
        self.found: dict[Path, int] = {}
        self._tokens = [token for token in _tokens(text) if not token[0].startswith("#")]
        self._at = 0
        self._tables: dict[Path, int] = {}

    def document(self) -> None:
        table: Path = ()
        while self._skip_newlines():
            if self._peek() == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Path:
        """Read ``[table]``, or ``[[array of tables]]``, whose items are numbered as they come."""
        line = self._tokens[self._at][1]
        depth = self._many("[")
        name = self._key(())
        self._many("]")
        if depth == 2:
            number = self._tables[name] = self._tables.get(name, -1) + 1
            name = (*name, number)
            self.found[name] = line
        return name

    def _pair(self, table: Path) -> None:
        path = self._key(table)
        self._next()  # the equals sign
        self._value(path)

    def _key(self, table: Path) -> Path:
        """Read a key with its dots; below an array of tables it belongs to that array's newest item."""
        path = table
        while True:
            path = (*path, _plain(self._peek()))
            self._note(path)
            self._next()
            if self._peek() != ".":
                return path
            self._next()
            if path in self._tables:
                path = (*path, self._tables[path])

    def _value(self, path: Path) -> None:
        if self._peek() == "[":
            self._array(path)
        elif self._peek() == "{":
            self._inline_table(path)
        else:
            while self._peek() not in {",", "]", "}", "\n", ""}:
                self._next()

    def _array(self, path: Path) -> None:
        self._next()
        number = 0
        while self._skip_newlines() and self._peek() != "]":
            item = (*path, number)
            self._note(item)
            self._value(item)
            number += 1
            self._skip_newlines()
            self._many(",")
        self._next()

    def _inline_table(self, path: Path) -> None:
        self._next()
        while self._skip_newlines() and self._peek() != "}":
            self._pair(path)
            self._skip_newlines()
            self._many(",")
        self._next()

    def _note(self, path: Path) -> None:
        self.found.setdefault(path, self._tokens[self._at][1])

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _next(self) -> None:
        self._at += 1

    def _many(self, token: str) -> int:
        """Pass over as many *token* as there are, and say how many that was."""
        start = self._at
        while self._peek() == token:
            self._next()
        return self._at - start

    def _skip_newlines(self) -> bool:
        """Go to the next thing on any line; say whether there is one."""
        self._many("\n")
        return bool(self._peek())


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Give each token with its line."""
    line, seen = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        yield match[0], line


def _plain(key: str) -> str:
    """Take the quotes off a key. Basic strings have Python's escapes, as far as keys need them."""
    if key.startswith('"'):
        return str(ast.literal_eval(key))
    return key.strip("'")
