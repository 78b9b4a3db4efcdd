"""``[[waive]]`` of matrix.toml: regressions that are accepted, until a version and for a reason. Pure but for the reading.

A waiver that no longer holds, or that nothing answers to, is an error: else a list of them only grows, and hides what it was not
meant for.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from ctkmatrix.candidates import PACKAGES
from ctkmatrix.errors import MatrixError
from ctkmatrix.model import Waiver
from ctkmatrix.suggest import perhaps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ctkmatrix.judged import Row
    from ctkmatrix.tomlfile import TomlFile
    from ctkmatrix.tomllines import Path

    Versions = Mapping[str, str]
    """The candidate's version of each package under test."""

FILE = "matrix.toml"

_NEEDED = ("case", "cell", "until", "reason")
_KNOWN = (*_NEEDED, "package", "variant")
_MEANING = {"reason": "why it is accepted, which every report shows", "until": "the first version in which it no longer holds"}


def read(file: TomlFile) -> tuple[Waiver, ...]:
    """Return the waivers of *file*, in its order. Raises MatrixError, which names the line, at the first mistake."""
    found: list[Waiver] = []
    for path in _tables(file):
        waiver = _waiver(file, path)
        if twin := next((one for one in found if _same(one, waiver)), None):
            file.fail(path, f"this waiver stands in line {twin.line} already: remove one")
        found.append(waiver)
    return tuple(found)


def _tables(file: TomlFile) -> list[Path]:
    if not file.has("waive"):
        return []
    if isinstance(file.value(("waive",)), dict):
        file.fail(("waive",), "there may be several waivers: write [[waive]], in double brackets")
    return file.array(("waive",))


def _waiver(file: TomlFile, path: Path) -> Waiver:
    keys = file.table(path, _KNOWN)
    for key in _NEEDED:
        if key not in keys:
            meaning = f", {_MEANING[key]}" if key in _MEANING else ""
            file.fail(path, f'a waiver needs its {key}{meaning}: add {key} = "…"')
    given = {key: _text(file, (*path, key)) for key in keys}
    if (package := given.get("package", PACKAGES[0])) not in PACKAGES:
        near = perhaps(package, PACKAGES)
        file.fail((*path, "package"), f"«{package}» is not validated{near}; {' and '.join(PACKAGES)} are")
    return Waiver(**given | {"until": _version(file, (*path, "until"))}, line=file.line(path))


def _text(file: TomlFile, path: Path) -> str:
    text = file.text(path)
    if not text.strip():
        file.fail(path, f"«{path[-1]}» of a waiver is empty")
    return text


def _version(file: TomlFile, path: Path) -> str:
    text = file.text(path)
    try:
        return str(Version(text))
    except InvalidVersion:
        file.fail(path, f"«{text}» is no version: write the first that must be as fast again, for example 13.0.4")


def _same(one: Waiver, other: Waiver) -> bool:
    return (one.package, one.case, one.variant, one.cell) == (other.package, other.case, other.variant, other.cell)


def faults(
    waivers: Iterable[Waiver], rows: Sequence[Row], versions: Versions, *, narrowed: bool = False
) -> tuple[MatrixError, ...]:
    """Return what is wrong with *waivers* in view of what was judged, each as an error that was not raised.

    Those of packages that are not under test are not looked at. *narrowed* says that less was judged than there is, by the words
    on the command line: that nothing answers to a waiver is then no fault.
    """
    found = ((one, _fault(one, rows, versions[one.package], narrowed=narrowed)) for one in _concerned(waivers, versions))
    return tuple(MatrixError(FILE, waiver.line, why) for waiver, why in found if why)


def expired(waivers: Iterable[Waiver], versions: Versions) -> tuple[MatrixError, ...]:
    """Return what is known to be wrong before anything is measured: waivers that no longer hold."""
    return faults(waivers, (), versions, narrowed=True)


def _fault(waiver: Waiver, rows: Sequence[Row], candidate: str, *, narrowed: bool) -> str:
    """Say what is wrong with a waiver; empty where nothing is."""
    if not _holds(waiver, candidate):
        below = f"it holds for {waiver.package} below {waiver.until}, and the candidate is {candidate}"
        return f"this waiver has expired: {below}: remove it, or give it a later version"
    if narrowed or any(_covers(waiver, row) for row in rows):
        return ""
    return f"this waiver matches nothing that was judged{_nearest(waiver, rows)}: correct or remove it"


def waiver_of(row: Row, waivers: Iterable[Waiver], versions: Versions) -> Waiver | None:
    """Return the first of *waivers* that holds for *row*, or ``None``."""
    return next((one for one in _concerned(waivers, versions) if _holds(one, versions[one.package]) and _covers(one, row)), None)


def _concerned(waivers: Iterable[Waiver], versions: Versions) -> Iterator[Waiver]:
    return (waiver for waiver in waivers if waiver.package in versions)


def _holds(waiver: Waiver, candidate: str) -> bool:
    return Version(candidate) < Version(waiver.until)


def _covers(waiver: Waiver, row: Row) -> bool:
    """Whether *row* is meant: of what a package can move."""
    return (
        not row.control
        and fnmatchcase(row.case, waiver.case)
        and fnmatchcase(row.variant, waiver.variant)
        and any(fnmatchcase(cell, waiver.cell) for cell in _names(row))
    )


def _names(row: Row) -> tuple[str, str]:
    """Return the candidate cell's id, and it without the label."""
    return row.candidate, row.candidate.rpartition("+")[0]


def _nearest(waiver: Waiver, rows: Iterable[Row]) -> str:
    """Name the first part of a waiver that nothing answers to, if there is one."""
    own = [row for row in rows if not row.control]
    for part, glob, names in (
        ("case", waiver.case, {row.case for row in own}),
        ("variant", waiver.variant, {row.variant for row in own}),
        ("cell", waiver.cell, {name for row in own for name in _names(row)}),
    ):
        if not any(fnmatchcase(name, glob) for name in names):
            return f" (no {part} is called «{glob}»{perhaps(glob, sorted(names))})"
    return ""
