"""The words ``--candidate`` and ``--reference`` -> what each side is: a release of the index, wheels, or an earlier run.

Both sides give the same packages. A package that neither gives is the same on both; one that a single side gives would differ
without anybody having said from what, and is an error.

Of several wheels that fit a Python, an installer's choice is taken: the one with the closest tags. Two that are equally close
are an error. Source trees are out of scope: what is tagged is a wheel.
"""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from ctkmatrix import wheelfile
from ctkmatrix.errors import UsageError
from ctkmatrix.suggest import perhaps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctkmatrix.wheelfile import Wheel

PACKAGES = ("cuda-bindings", "cuda-core")
"""What can be validated."""

_WORD = re.compile(r"(?P<package>[A-Za-z0-9._-]+)\s*(?P<sign>==|=)\s*(?P<value>.+)")
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(?:[<>~!@\[ ].*)?")


@dataclass(frozen=True, slots=True)
class Given:
    """One package of one side. Without ``wheels`` it is *version* of the index.

    ``left_out`` are the other wheels of the directory: (file name, why), the reason as the end of a sentence.
    """

    package: str
    version: str
    wheels: tuple[Wheel, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()

    def wheel(self, python: str, machine: str) -> Wheel | None:
        """Return the wheel for *python* on *machine*, or ``None``."""
        return min(
            (wheel for wheel in self.wheels if wheel.rank(python, machine) is not None),
            key=lambda wheel: wheel.rank(python, machine) or 0,
            default=None,
        )


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """A reference that is measured already: a run by its name, and a glob over the ids of its cells."""

    run: str
    glob: str = "*"


@dataclass(frozen=True, slots=True)
class Asked:
    """Both sides. ``reference`` holds the same packages as ``candidate``, in the same order, or is an earlier run."""

    candidate: tuple[Given, ...]
    reference: tuple[Given, ...] | EarlierRun


def read(candidate: Sequence[str], reference: Sequence[str], pythons: Sequence[str], machine: str | None = None) -> Asked:
    """Read the words after each ``--candidate`` and each ``--reference``, and the wheels that they name.

    pythons
        Those of matrix.toml; wheels that fit none of them are not used.
    machine
        The CPU, as in ``platform.machine()``; this one's unless said.

    Raises UsageError.
    """
    surroundings = (pythons, machine or platform.machine())
    now = _side("--candidate", candidate, *surroundings)
    if not now:
        raise UsageError("--candidate is missing: write --candidate cuda-bindings=DIRECTORY_OF_WHEELS, or cuda-bindings==VERSION")
    if not reference:
        raise UsageError(f"--reference is missing: write for example --reference {now[0].package}==VERSION, the last release")
    runs = [word for word in reference if not _is_package(word)]
    if not runs:
        then = _side("--reference", reference, *surroundings)
        _see_same_packages(now, then)
        return Asked(now, then)
    if len(reference) > 1:
        raise UsageError(f"--reference {runs[0]}: a run is the whole reference: give it alone, or packages alone")
    run, _, glob = runs[0].partition(":")
    return Asked(now, EarlierRun(run, glob or "*"))


def _is_package(word: str) -> bool:
    """Whether *word* tells a package: it has a sign or a path, or begins like one of ours. All else is the name of a run."""
    head = _REQUIREMENT.fullmatch(word)
    return "=" in word or "/" in word or (head is not None and bool(perhaps(canonicalize_name(head[1]), PACKAGES)))


def _side(option: str, words: Iterable[str], pythons: Sequence[str], machine: str) -> tuple[Given, ...]:
    """Return what the words of one side give, in the order of ``PACKAGES``."""
    found: dict[str, Given] = {}
    for word in words:
        given = _given(option, word, pythons, machine)
        if given.package in found:
            raise UsageError(f"{option} {word}: {given.package} is given twice: give each package once")
        found[given.package] = given
    return tuple(found[package] for package in PACKAGES if package in found)


def _given(option: str, word: str, pythons: Sequence[str], machine: str) -> Given:
    parts = _WORD.fullmatch(word)
    if parts is None:
        or_run = ", or name an earlier run" if option == "--reference" else ""
        raise UsageError(f"{option} {word}: write PACKAGE==VERSION or PACKAGE=PATH, such as cuda-bindings==13.0.3{or_run}")
    where, package = f"{option} {word}", canonicalize_name(parts["package"])
    if package not in PACKAGES:
        near = perhaps(package, PACKAGES)
        raise UsageError(f"{where}: {parts['package']} cannot be validated{near}; {' and '.join(PACKAGES)} can")
    if parts["sign"] == "==":
        return Given(package, _version(where, package, parts["value"]))
    return _from_path(where, package, parts["value"], pythons, machine)


def _version(where: str, package: str, text: str) -> str:
    """Return *text* as a normalised version; pre-releases and local versions are versions."""
    try:
        return str(Version(text))
    except InvalidVersion:
        hint = (
            f": for wheels, write {package}={text}" if Path(text).exists() else ": name one release, such as 13.0.3 or 13.1.0rc1"
        )
        raise UsageError(f"{where}: {text!r} is no version{hint}") from None


def _from_path(where: str, package: str, text: str, pythons: Sequence[str], machine: str) -> Given:
    path = Path(text).expanduser()
    if path.is_dir():
        return _directory(where, package, path, pythons, machine)
    if not path.exists():
        raise UsageError(f"{where}: there is no file or directory {text}{_meant_version(package, text)}")
    if path.suffix != ".whl":
        raise UsageError(f"{where}: {path.name} is no wheel. {_sources()}")
    if (named := _named(path)) != package:
        raise UsageError(f"{where}: {path.name} is a wheel of {named}; {_other(named)}")
    wheel = wheelfile.read(path)
    if misfit := wheel.misfit(pythons, machine):
        raise UsageError(f"{where}: {path.name} {misfit}")
    return Given(package, wheel.version, (wheel,))


def _directory(where: str, package: str, path: Path, pythons: Sequence[str], machine: str) -> Given:
    """Return the wheels of *package* in the directory *path* that fit; the others are left out, each with its reason."""
    files = sorted(path.glob("*.whl"))
    if not files:
        raise UsageError(f"{where}: {_no_wheels(package, path)}")
    others = [(file.name, f"is a wheel of {named}") for file in files if (named := _named(file)) != package]
    own = [wheelfile.read(file) for file in files if file.name not in dict(others)]
    misfits = [(wheel.file, misfit) for wheel in own if (misfit := wheel.misfit(pythons, machine))]
    fitting = tuple(wheel for wheel in own if wheel.file not in dict(misfits))
    left_out = (*others, *misfits)
    if not fitting:
        reasons = "; ".join(f"{name} {why}" for name, why in left_out)
        raise UsageError(f"{where}: none of the wheels there is of {package} for these Pythons and this machine: {reasons}")
    _see_one_version(where, fitting)
    _see_one_a_python(where, fitting, pythons, machine)
    return Given(package, fitting[0].version, fitting, left_out)


def _see_one_version(where: str, found: Sequence[Wheel]) -> None:
    if len({wheel.version for wheel in found}) > 1:
        listed = ", ".join(wheel.file for wheel in found)
        raise UsageError(f"{where}: there are several versions: {listed}. Leave one of them there, or name its wheel")


def _see_one_a_python(where: str, found: Sequence[Wheel], pythons: Iterable[str], machine: str) -> None:
    """See that an installer would know which wheel to take."""
    for python in pythons:
        ranked = [(rank, wheel) for wheel in found if (rank := wheel.rank(python, machine)) is not None]
        best = [wheel.file for rank, wheel in ranked if rank == min(rank for rank, _ in ranked)]
        if len(best) > 1:
            raise UsageError(f"{where}: for Python {python} there are {' and '.join(best)}: leave one of them there")


def _see_same_packages(candidate: Sequence[Given], reference: Sequence[Given]) -> None:
    now, then = ({given.package for given in side} for side in (candidate, reference))
    for package in PACKAGES:
        if package in now ^ then:
            has, lacks = ("--candidate", "--reference") if package in now else ("--reference", "--candidate")
            raise UsageError(
                f"{has} {package}: {lacks} does not say which {package} it has: add {lacks} {package}==VERSION, "
                f"or leave {package} out, and both have that of matrix.toml"
            )


def _named(path: Path) -> str:
    """Return the package that the wheel's file name tells. Raises UsageError where it tells none."""
    try:
        return parse_wheel_filename(path.name)[0]
    except InvalidWheelFilename as error:
        raise UsageError(f"{path}: this is no wheel's file name ({error}): leave the name as the build gave it") from error


def _other(package: str) -> str:
    """Say what to do with a wheel of *package*, which is not the one that was said."""
    return f"write {package}=PATH" if package in PACKAGES else f"{' and '.join(PACKAGES)} can be validated"


def _meant_version(package: str, text: str) -> str:
    try:
        return f"; perhaps you meant {package}=={Version(text)}"
    except InvalidVersion:
        return ""


def _no_wheels(package: str, path: Path) -> str:
    """Say why the directory *path*, without a wheel, will not do."""
    if built := sorted(directory.name for directory in path.iterdir() if directory.is_dir() and any(directory.glob("*.whl"))):
        nearer = f"{package}={path / built[0]}"
        return f"there are no wheels in {path}, but in {', '.join(built)} below it: perhaps you meant {nearer}"
    if any((path / name).exists() for name in ("pyproject.toml", "setup.py")):
        return f"{path} is a source tree. {_sources()}"
    return f"there are no wheels in {path}: give a directory of *.whl files, or one of them"


def _sources() -> str:
    return (
        "Sources are out of scope, as the wheels are what is published: build them first, by `uv build --wheel --python 3.N` for "
        "each Python, or download those that the project's CI built, and give their directory"
    )
