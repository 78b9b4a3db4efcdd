"""Two sides and the matrix -> a reference's and a candidate's cell for each Python, or why one side has none. Pure.

Both cells of a pair have one toolkit, or their NVRTC and headers would differ too: that of the candidate's cuda-bindings X.Y;
where cuda-core alone is validated, the newest. A package that neither side gives is the newest that matrix.toml has for that
toolkit, or, beside an earlier run, what the run had.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import Version

from ctkmatrix import matrix
from ctkmatrix.differences import NONE, Difference
from ctkmatrix.errors import UsageError
from ctkmatrix.suggest import perhaps

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctkmatrix.candidates import EarlierRun, Given
    from ctkmatrix.model import Cell, CellResult, Matrix
    from ctkmatrix.wheelfile import Wheel

REFERENCE, CANDIDATE = "reference", "candidate"
"""The labels of the cells. They are equally long, so that no path on one side is longer than its twin on the other."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One side for one Python: what is to be installed, or the *reason* why nothing can be, as a sentence without its stop.

    ``wheels`` are files to install; what else the cell says comes from the index. ``packages`` is not ``None`` for the cell of an
    earlier run: what that had, ``{package: version}``; nothing is made of it.
    """

    cell: Cell
    wheels: tuple[Wheel, ...] = ()
    reason: str = ""
    packages: Mapping[str, str] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """Both sides for one Python. ``under_test`` are the packages that are given: they may differ, and nothing else should."""

    python: str
    reference: Planned
    candidate: Planned
    under_test: tuple[str, ...]

    @property
    def reason(self) -> str:
        """Why this Python cannot be compared; empty where both sides can be tried."""
        return "; ".join(side.reason for side in (self.candidate, self.reference) if side.reason)


def plan(  # noqa: PLR0913 -- a plan has as many facts
    matrix_: Matrix,
    candidate: Sequence[Given],
    reference: Sequence[Given],
    machine: str,
    *,
    toolkit: str | None = None,
    pythons: Sequence[str] = (),
) -> tuple[PlannedPair, ...]:
    """Return a pair for each Python of *matrix_* that a side may have: one with its wheel, or, of the index, any.

    toolkit, pythons
        What was asked for instead of the toolkit that fits, and of all Pythons.

    Raises UsageError where no toolkit fits, or no Python is left.
    """
    fitting = _toolkit(matrix_.cells, "matrix.toml", candidate, toolkit)
    _see_major(reference, fitting)
    newest = matrix.newest(cell for cell in matrix_.cells if cell.toolkit == fitting)
    under_test = tuple(given.package for given in candidate)
    wanted = [python for python in pythons_of(matrix_) if any(_has(python, side, machine) for side in (candidate, reference))]
    return tuple(
        PlannedPair(
            python,
            _planned(replace(newest, python=python, label=REFERENCE), reference, machine),
            _planned(replace(newest, python=python, label=CANDIDATE), candidate, machine),
            under_test,
        )
        for python in _chosen(wanted, pythons)
    )


def plan_beside(  # noqa: PLR0913 -- a plan has as many facts
    matrix_: Matrix,
    candidate: Sequence[Given],
    earlier: EarlierRun,
    results: Sequence[CellResult],
    machine: str,
    *,
    toolkit: str | None = None,
    pythons: Sequence[str] = (),
) -> tuple[PlannedPair, ...]:
    """Return what ``plan`` does, for a reference that is measured already: *results* are the cells of the *earlier* run.

    A Python that *matrix_* has, and the run has not, is a pair without a reference. Raises UsageError, also where the run has
    several cells of one Python that the candidate could be set against.
    """
    matched = [one for one in results if fnmatchcase(one.cell.id, earlier.glob)]
    if not matched:
        raise UsageError(f"--reference: {earlier.glob!r} matches no cell of run {earlier.run}; it has {_ids(results)}")
    fitting = _toolkit((one.cell for one in matched), f"run {earlier.run}", candidate, toolkit)
    at = [one for one in matched if one.cell.toolkit == fitting]
    under_test = tuple(given.package for given in candidate)
    wanted = [python for python in pythons_of(matrix_) if _has(python, candidate, machine) or _of(at, python)]
    return tuple(_beside(python, candidate, earlier, at, machine, under_test) for python in _chosen(wanted, pythons))


def differences(pair: PlannedPair, reference: Mapping[str, str], candidate: Mapping[str, str]) -> tuple[Difference, ...]:
    """Return in what the environments of *pair* differ beside the packages under test; both are ``{package: version}``."""
    return tuple(
        Difference("Packages", name, then, now, (pair.candidate.cell.id,))
        for name in sorted({*reference, *candidate} - {*pair.under_test})
        if (then := reference.get(name, NONE)) != (now := candidate.get(name, NONE))
    )


def pythons_of(matrix_: Matrix) -> tuple[str, ...]:
    """Return the Pythons of the matrix's own cells, in version order."""
    found = {cell.python for cell in matrix_.cells}
    return tuple(sorted(found, key=lambda python: (Version(python.removesuffix("t")), python)))


def _beside(  # noqa: PLR0913, PLR0917 -- as above
    python: str,
    candidate: Sequence[Given],
    earlier: EarlierRun,
    at: Sequence[CellResult],
    machine: str,
    under_test: tuple[str, ...],
) -> PlannedPair:
    """Set the candidate for *python* against the one cell that the run has of it."""
    found = _of(at, python)
    if len(found) > 1:
        raise UsageError(
            f"--reference: run {earlier.run} has several cells for Python {python}: {_ids(found)}; "
            f"choose with a glob, such as --reference '{earlier.run}:{found[0].cell.id.replace(python, '*')}'"
        )
    like = found[0].cell if found else replace(at[0].cell, python=python)
    now = _planned(replace(like, label=CANDIDATE), candidate, machine)
    reason = "" if found else f"run {earlier.run} has no cell of Python {python} with toolkit {like.toolkit}"
    return PlannedPair(python, Planned(like, reason=reason, packages=_packages(found)), now, under_test)


def _planned(like: Cell, side: Sequence[Given], machine: str) -> Planned:
    """Return *like* with the packages that a side gives."""
    versions = {given.package: given.version for given in side}
    cell = replace(like, bindings=versions.get("cuda-bindings", like.bindings), core=versions.get("cuda-core", like.core))
    wheels = [(given, given.wheel(cell.python, machine)) for given in side if given.wheels]
    lacking = [given for given, wheel in wheels if wheel is None]
    reason = "; ".join(
        f"the {like.label} has no wheel of {given.package} {given.version} for Python {like.python} on {machine}"
        for given in lacking
    )
    return Planned(cell, tuple(wheel for _, wheel in wheels if wheel is not None), reason)


def _has(python: str, side: Sequence[Given], machine: str) -> bool:
    """Whether *side* may have *python*; of a release of the index, uv finds out."""
    return all(not given.wheels or given.wheel(python, machine) is not None for given in side)


def _chosen(wanted: Sequence[str], asked: Sequence[str]) -> list[str]:
    """Return those of *wanted* that are *asked* for: all, where none is."""
    for python in asked:
        if python not in wanted:
            raise UsageError(f"--python {python}: neither side has it{perhaps(python, wanted)}; there are {', '.join(wanted)}")
    return [python for python in wanted if not asked or python in asked]


def _toolkit(cells: Iterable[Cell], where: str, candidate: Sequence[Given], asked: str | None) -> str:
    """Return the toolkit of both sides, among those of *cells*. Raises UsageError, which names them, where none fits."""
    known = sorted({cell.toolkit for cell in cells}, key=Version)
    of_bindings = next((_minor(given) for given in candidate if given.package == "cuda-bindings"), None)
    fitting = asked or of_bindings or known[-1]
    if fitting not in known:
        why = f"--toolkit {asked}" if asked else f"cuda-bindings {candidate[0].version} is of toolkit {fitting}"
        advice = "" if asked else "; take one of them by --toolkit"
        raise UsageError(f"{why}: {where} has no such toolkit{perhaps(fitting, known)}; it has {', '.join(known)}{advice}")
    _see_major(candidate, fitting)
    return fitting


def _see_major(side: Sequence[Given], toolkit: str) -> None:
    """See that the bindings of a side are for the major version of *toolkit*: with another they load nothing."""
    for given in side:
        if given.package == "cuda-bindings" and _minor(given).partition(".")[0] != toolkit.partition(".")[0]:
            raise UsageError(
                f"cuda-bindings {given.version} does not go with toolkit {toolkit}, which both sides would have: "
                "compare releases of one major version"
            )


def _minor(given: Given) -> str:
    """Return the X.Y of a version."""
    version = Version(given.version)
    return f"{version.major}.{version.minor}"


def _of(results: Sequence[CellResult], python: str) -> list[CellResult]:
    return [one for one in results if one.cell.python == python]


def _packages(found: Sequence[CellResult]) -> dict[str, str]:
    """Return what the cell of a run had installed, as its workers said."""
    said = found[0].provenance.get("packages") if found else None
    return {canonicalize_name(str(name)): str(version) for name, version in said.items()} if isinstance(said, dict) else {}


def _ids(results: Sequence[CellResult]) -> str:
    return ", ".join(one.cell.id for one in results)
