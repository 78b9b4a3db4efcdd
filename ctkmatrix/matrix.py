"""``matrix.toml`` -> ``Matrix``: the axes, exclusions, odd cells, groups, profiles, waivers; each mistake told with its line."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

from packaging.utils import InvalidName, canonicalize_name
from packaging.version import InvalidVersion, Version

from ctkmatrix import waivers
from ctkmatrix.model import DEFAULT_MARGINS, Cell, Margin, Matrix, Profile
from ctkmatrix.suggest import perhaps
from ctkmatrix.tomlfile import TomlFile

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Collection, Iterable

    from ctkmatrix.tomllines import Path

_T = TypeVar("_T")
_AXES = ("pythons", "cores", "toolkits")
_GROUP = (*_AXES, "extras")
_COORDINATES = ("toolkit", "python", "bindings", "core")
_NUMBERS = ("processes", "values", "seconds_per_value", "block_limit")
_STOP = ("max_processes", "relative", "absolute_ns", "seconds_limit")
"""When more than a profile's processes are measured; without ``max_processes``, never."""

IN_EVERY_CELL = ("cuda-bindings", "cuda-core", "cuda-toolkit", "numpy")
"""The packages whose releases are axes, or one and the same everywhere: no extras."""

OLDEST_PYTHON = Version("3.11")
"""The oldest Python that the locks and the worker serve."""


def load(path: pathlib.Path) -> Matrix:
    """Read the matrix at *path*. Raises MatrixError, which names the line, at the first mistake."""
    return _Reader(TomlFile(path)).matrix()


def newest(cells: Iterable[Cell]) -> Cell:
    """Return the newest cell: by version order of toolkit, bindings, core, Python.

    A free-threaded build is the newest only where there is no other. Raises ValueError when there are no cells.
    """
    return max(cells, key=lambda cell: (not cell.python.endswith("t"), _order(cell)))


def tags(cell: Cell) -> tuple[str, ...]:
    """Return the words that select *cell* in nox: ``cu13``, ``cu13.0``, ``py3.12``, ``b13.0.3``, ``c1.2.2``."""
    core = cell.core or "none"
    return (f"cu{cell.major}", f"cu{cell.toolkit}", f"py{cell.python}", f"b{cell.bindings}", f"c{core}")


def _order(cell: Cell) -> tuple[Version, Version, Version, Version, bool, tuple[str, ...]]:
    """Return the key of the version order: no core comes before any, 3.14t after 3.14, extras after none."""
    return (
        Version(cell.toolkit),
        Version(cell.bindings),
        Version(cell.core or "0"),
        Version(cell.python.removesuffix("t")),
        cell.python.endswith("t"),
        cell.extras,
    )


class _Reader:
    """Makes the parts of the matrix from one file."""

    def __init__(self, file: TomlFile) -> None:
        self._file = file

    def matrix(self) -> Matrix:
        needed = (*_AXES, "profiles", "target_ns")
        self._file.table((), (*needed, "exclude", "cells", "groups", "margins", "targets", "waive"), required=needed)
        axes = self._axes(())
        excluded = self._excluded(axes)
        planned = [cell for cell in axes if cell not in excluded]
        by_hand = self._by_hand(planned)
        if not planned and not by_hand:
            self._file.fail(("exclude",), "every cell is excluded: nothing is left to measure")
        return Matrix(
            cells=tuple(sorted([*planned, *by_hand], key=_order)),
            excluded=tuple((cell, why) for cell, why in excluded.items() if cell not in by_hand),
            profiles=self._profiles(),
            target=self._file.positive(("target_ns",), 1e9) / 1e9,
            margins=self._margins(),
            targets=self._targets(),
            groups=self._groups(),
            waivers=waivers.read(self._file),
        )

    def _groups(self) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
        names = self._file.table(("groups",)) if self._file.has("groups") else ()
        return tuple((name, self._group(("groups", name))) for name in names)

    def _group(self, path: Path) -> tuple[Cell, ...]:
        """Return the cells that the tables of a group give together."""
        if isinstance(self._file.value(path), dict):
            self._file.fail(path, f"a group may have several tables: write [[groups.{path[-1]}]], in double brackets")
        tables = self._file.array(path)
        if not tables:
            self._file.fail(path, f"group «{path[-1]}» is empty: give it {', '.join(_AXES)}")
        return tuple(sorted({cell for table in tables for cell in self._of_table(table)}, key=_order))

    def _of_table(self, at: Path) -> list[Cell]:
        """Return the cells that one table of a group gives."""
        keys = self._file.table(at, _GROUP, required=_AXES)
        extras = self._extras((*at, "extras")) if "extras" in keys else ()
        return [replace(cell, extras=extras) for cell in self._axes(at)]

    def _extras(self, path: Path) -> tuple[str, ...]:
        """Return the packages at *path* by their normalised names, in order: however they are written, a cell has one id."""
        if not self._file.array(path):
            self._file.fail(path, "«extras» is empty: name at least one package, or remove the line")
        return tuple(sorted(self._axis(path, self._extra)))

    def _extra(self, path: Path) -> str:
        text = self._file.text(path)
        try:
            name = canonicalize_name(text, validate=True)
        except InvalidName:
            self._file.fail(path, f"«{text}» is no package's name: write that alone; `nox -s lock` pins its release")
        if name in IN_EVERY_CELL:
            self._file.fail(path, f"«{text}» is in every cell, in the release that the cell says: remove it from «extras»")
        return name

    def _axes(self, at: Path) -> list[Cell]:
        """Return the cells that the axes in the table *at* give."""
        pythons = self._axis((*at, "pythons"), self._python)
        cores = self._axis((*at, "cores"), self._core)
        toolkits = (*at, "toolkits")
        return [
            Cell(toolkit, python, bindings, core)
            for toolkit in self._toolkits(toolkits)
            for bindings, core, python in product(self._axis((*toolkits, toolkit), self._release), cores, pythons)
        ]

    def _toolkits(self, path: Path) -> list[str]:
        found = self._file.table(path)
        if not found:
            self._file.fail(path, '«toolkits» is empty: write for example "13.0" = ["13.0.3"]')
        for key in found:
            if isinstance(self._file.value((*path, key)), dict):  # a bare 13.0 is a key 0 in a table 13
                self._file.fail((*path, key), f'a toolkit\'s version must stand in quotes, such as "{key}.0"')
            self._checked_toolkit((*path, key), key)
        return found

    def _axis(self, path: Path, check: Callable[[Path], _T]) -> list[_T]:
        """Return the checked items of an array that must hold at least one, and none of them twice."""
        items = self._file.array(path)
        if not items:
            self._file.fail(path, f"«{path[-1]}» is empty, so no cell is left: list at least one version")
        found: list[_T] = []
        for item in items:
            version = check(item)
            if version in found:
                again = self._file.value(item)
                self._file.fail(item, f"«{again}» is listed twice: remove one")
            found.append(version)
        return found

    def _excluded(self, axes: list[Cell]) -> dict[Cell, str]:
        """Return the cells of the axes that are left out, each with the first reason that does it."""
        excluded: dict[Cell, str] = {}
        for path in self._file.array(("exclude",)) if self._file.has("exclude") else ():
            wanted = self._exclusion(path)
            matched = [cell for cell in axes if all(getattr(cell, part) == version for part, version in wanted.items())]
            if not matched:
                self._file.fail(path, f"this exclusion matches no cell{self._why_none(path, axes)}: correct or remove it")
            for cell in matched:
                excluded.setdefault(cell, self._file.text((*path, "reason")))
        return excluded

    def _exclusion(self, path: Path) -> dict[str, Any]:
        """Return what the cells that are left out have in common; what is not said matches everything."""
        keys = self._file.table(path, (*_COORDINATES, "reason"))
        if "reason" not in keys or not self._file.text((*path, "reason")).strip():
            self._file.fail(path, 'an exclusion needs its reason, which the report shows: add reason = "…"')
        if keys == ["reason"]:
            self._file.fail(path, f"this would exclude every cell: say which, by {', '.join(_COORDINATES)}")
        return self._coordinates(path, keys)

    def _why_none(self, path: Path, axes: list[Cell]) -> str:
        """Name the first part of an exclusion that no cell has, if there is one."""
        for key, wanted in self._file.value(path).items():
            have = {getattr(cell, key, wanted) or "none" for cell in axes}
            if wanted not in have:
                return f" (none has {key} {wanted}{perhaps(wanted, have)})"
        return ""

    def _by_hand(self, planned: list[Cell]) -> list[Cell]:
        cells: list[Cell] = []
        for path in self._file.array(("cells",)) if self._file.has("cells") else ():
            cell = Cell(**self._coordinates(path, self._file.table(path, _COORDINATES, required=_COORDINATES)))
            if cell in planned or cell in cells:
                self._file.fail(path, f"{cell.id} is there twice: the axes or a line above give it too; remove this line")
            cells.append(cell)
        return cells

    def _coordinates(self, path: Path, keys: Collection[str]) -> dict[str, Any]:
        checks: dict[str, Callable[[Path], str | None]] = {
            "toolkit": self._listed_toolkit,
            "python": self._python,
            "bindings": self._release,
            "core": self._core,
        }
        return {key: check((*path, key)) for key, check in checks.items() if key in keys}

    def _margins(self) -> tuple[tuple[str, Margin], ...]:
        if not self._file.has("margins"):
            return DEFAULT_MARGINS
        needed, keys = ("relative", "absolute_ns"), ("relative", "absolute_ns", "instructions")
        found = []
        for glob in self._file.table(("margins",), required=("*",)):
            path = ("margins", glob)
            given = self._file.table(path, keys, required=needed)
            relative, absolute = self._file.positive((*path, "relative"), 1), self._file.positive((*path, "absolute_ns"), 1e9)
            more = {"instructions": self._file.positive((*path, "instructions"), 1)} if "instructions" in given else {}
            found.append((glob, Margin(relative, absolute / 1e9, **more)))
        return tuple(found)

    def _targets(self) -> tuple[tuple[str, float], ...]:
        globs = self._file.table(("targets",)) if self._file.has("targets") else ()
        return tuple((glob, self._file.positive(("targets", glob), 1e9) / 1e9) for glob in globs)

    def _profiles(self) -> tuple[Profile, ...]:
        names = self._file.table(("profiles",), required=("quick", "standard"))  # the default, and that of --quick
        return tuple(self._profile(name) for name in names)

    def _profile(self, name: str) -> Profile:
        path = ("profiles", name)
        given = self._file.table(path, (*_NUMBERS, *_STOP), required=_NUMBERS)
        processes = self._file.count((*path, "processes"), 1000)
        stop: dict[str, Any] = {}
        for key, most, unit in (("relative", 1, 1), ("absolute_ns", 1e9, 1e-9), ("seconds_limit", 86_400, 1)):
            if key in given:
                stop[key.removesuffix("_ns")] = self._file.positive((*path, key), most) * unit
        most = self._file.count((*path, "max_processes"), 1000) if "max_processes" in given else processes
        if most < processes:
            self._file.fail((*path, "max_processes"), f"«max_processes» is {most}, and «processes» is {processes} already")
        return Profile(
            name=name,
            processes=processes,
            max_processes=most,
            **stop,
            values=self._file.count((*path, "values"), 1000),
            seconds_per_value=self._file.positive((*path, "seconds_per_value"), 60),
            block_limit=self._file.positive((*path, "block_limit"), 86_400),
        )

    def _listed_toolkit(self, path: Path) -> str:
        toolkit = self._checked_toolkit(path, self._file.text(path))
        listed = self._file.table(("toolkits",))
        if toolkit not in listed:
            known = f"{perhaps(toolkit, listed)}; listed: {', '.join(listed)}"
            self._file.fail(path, f"toolkit «{toolkit}» is not listed under [toolkits]{known}")
        return toolkit

    def _checked_toolkit(self, path: Path, text: str) -> str:
        if not re.fullmatch(r"[1-9][0-9]*\.(0|[1-9][0-9]*)", text):
            self._file.fail(path, f"«{text}» is no toolkit version: write X.Y, for example 13.0")
        return text

    def _python(self, path: Path) -> str:
        text = self._file.text(path)
        if not re.fullmatch(r"3\.(0|[1-9][0-9]*)t?", text):
            self._file.fail(path, f"«{text}» is no Python version: write 3.N, or 3.Nt for a free-threaded build")
        if Version(text.removesuffix("t")) < OLDEST_PYTHON:
            self._file.fail(path, f"Python {text} is too old: the oldest that is measured is {OLDEST_PYTHON}")
        return text

    def _release(self, path: Path) -> str:
        """Read an exact final release: a pre-release can be a candidate, never a cell."""
        text = self._file.text(path)
        try:
            version = Version(text)
        except InvalidVersion:
            self._file.fail(path, f"«{text}» is no version: write an exact release, for example 13.0.3")
        if version.is_prerelease or version.local or len(version.release) != 3 or str(version) != text:
            self._file.fail(path, f"«{text}» is no exact final release: write X.Y.Z, for example 13.0.3")
        return text

    def _core(self, path: Path) -> str | None:
        return None if self._file.value(path) == "none" else self._release(path)
