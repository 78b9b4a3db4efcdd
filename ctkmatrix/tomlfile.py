"""A TOML file whose values are asked for by path and kind; whatever is wrong is told with its line."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, NoReturn

from ctkmatrix import tomllines
from ctkmatrix.errors import MatrixError
from ctkmatrix.suggest import perhaps

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Collection

    from ctkmatrix.tomllines import Path


LEAST = 1e-6
"""No quantity in the file is less."""


class TomlFile:
    """The values of one file. Every method raises MatrixError for a value that is not what it should be."""

    def __init__(self, path: pathlib.Path) -> None:
        """Read the file at *path*; messages call it by its last name."""
        self._name = path.name
        text = self._read(path)
        self._data = self._parse(text)
        self._lines = tomllines.lines(text)

    def value(self, path: Path) -> Any:
        """Return what stands at *path*, which must be there."""
        found: Any = self._data
        for part in path:
            found = found[part]
        return found

    def has(self, *path: str) -> bool:
        """Whether the table that *path* leads to holds its last key."""
        return path[-1] in self.value(path[:-1])

    def text(self, path: Path) -> str:
        """Return the text at *path*."""
        found = self.value(path)
        if not isinstance(found, str):
            quotes = f'; write "{found}"' if type(found) in {int, float} else ""
            self._wrong_kind(path, "text in quotes", quotes)
        return found

    def array(self, path: Path) -> list[Path]:
        """Return the paths of the items of the array at *path*."""
        found = self.value(path)
        if not isinstance(found, list):
            self._wrong_kind(path, "an array [...]")
        return [(*path, number) for number in range(len(found))]

    def table(self, path: Path, known: Collection[str] = (), *, required: Collection[str] = ()) -> list[str]:
        """Return the keys of the table at *path*: all of them *known* (empty: any will do), the *required* among them."""
        found = self.value(path)
        if not isinstance(found, dict):
            self._wrong_kind(path, "a table { key = value }")
        for key in found:
            if known and key not in known:
                self.fail((*path, key), f"unknown key «{key}»{perhaps(key, known)}; known: {', '.join(known)}")
        for key in required:
            if key not in found:
                self.fail(path, f"«{key}» is missing{f' in «{_dotted(path)}»' if path else ''}")
        return list(found)

    def count(self, path: Path, most: int) -> int:
        """Return the whole number at *path*, from 1 to *most*."""
        found = self.value(path)
        if type(found) is not int:  # isinstance takes true for a number
            self._wrong_kind(path, "a whole number")
        if not 1 <= found <= most:
            self.fail(path, f"«{_dotted(path)}» must be from 1 to {most}")
        return found

    def positive(self, path: Path, most: float) -> float:
        """Return the number at *path*, from ``LEAST`` to *most*."""
        found = self.value(path)
        if type(found) not in {int, float}:
            self._wrong_kind(path, "a number")
        if not LEAST <= found <= most:
            self.fail(path, f"«{_dotted(path)}» must be from {LEAST:g} to {most:g}")
        return float(found)

    def fail(self, path: Path, message: str) -> NoReturn:
        """Raise *message* for the line of *path*."""
        raise MatrixError(self._name, self.line(path), message)

    def line(self, path: Path) -> int:
        """Return the line of *path*, or of the nearest thing around it that has one."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def _wrong_kind(self, path: Path, kind: str, advice: str = "") -> NoReturn:
        self.fail(path, f"«{_dotted(path)}» must be {kind}, not {self.value(path)!r}{advice}")

    def _read(self, path: pathlib.Path) -> str:
        try:
            return path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise MatrixError(self._name, line, "this is no UTF-8 text: save the file as UTF-8") from error
        except OSError as error:
            raise MatrixError(self._name, 1, f"the file cannot be read: {error.strerror}") from error

    def _parse(self, text: str) -> dict[str, Any]:
        """Have tomllib read *text*. Before Python 3.14 its error tells the place in the message alone."""
        try:
            return tomllib.loads(text)
        except RecursionError as error:
            raise MatrixError(self._name, 1, "arrays or tables are nested too deeply") from error
        except tomllib.TOMLDecodeError as error:
            what, _, where = str(error).rpartition(" (at ")
            place = re.match(r"line (\d+), column (\d+)", where)
            line = int(place[1]) if place else max(1, len(text.splitlines()))
            column = f" at column {place[2]}" if place else ""
            raise MatrixError(self._name, line, f"no valid TOML{column}: {what}") from error
        except ValueError as error:  # more digits than Python reads
            raise MatrixError(self._name, 1, f"no valid TOML: {error}") from error


def _dotted(path: Path) -> str:
    """Write a path as people do: ``cells[0].python``, items counted from 0."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
