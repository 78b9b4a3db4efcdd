"""Makes the environments of a reference and a candidate, alike in everything but the packages under test.

The candidate is resolved first, then the reference with all else held at what the candidate got; where that cannot be, the
reference is resolved freely, and the differences are told. Beside an earlier run it is the candidate that follows.

Wheels are installed from copies whose directory is named by their content. To uv, a rebuilt wheel with the same name and version
is another one, so that no cache serves the old one, offline or not; and nobody can change a wheel between its hash and its use.
``--refresh-package`` would do the first alone, and uv forbids it offline.

Below the given root, ``.ctkmatrix/validate``: ``wheels/<sha256>/<file>``, ``<cell id>.txt``, the lock, and ``envs/<cell id>/``.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from importlib import metadata
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from ctkmatrix import envcheck, envs, interpreters, locks, sideplan, store, uv, wheelfile, wheels
from ctkmatrix.errors import EnvironmentFailed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from ctkmatrix.differences import Difference
    from ctkmatrix.envs import Environment
    from ctkmatrix.model import Cell
    from ctkmatrix.sideplan import Planned, PlannedPair
    from ctkmatrix.wheelfile import Wheel

SHOWN = 3
"""So many files stand in a message; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A wheel that was installed: what may be published of where it came from."""

    package: str
    version: str
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Side:
    """One side for one Python.

    ``environment`` is ``None`` where there is a *reason*, where the other side has one, and for the cell of an earlier run.
    ``packages`` are all that is installed, ``{package: version}``; ``wheels`` those that came from files.
    """

    cell: Cell
    environment: Environment | None = None
    reason: str = ""
    packages: Mapping[str, str] = field(default_factory=dict, hash=False)
    wheels: tuple[Origin, ...] = ()

    @property
    def lock_hash(self) -> str:
        """The SHA-256 of the lock, in which the hashes of all wheels are; empty without an environment."""
        return self.environment.lock_hash if self.environment else ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Both sides for one Python, and in what their packages differ beside those under test."""

    python: str
    reference: Side
    candidate: Side
    differences: tuple[Difference, ...] = ()

    @property
    def reason(self) -> str:
        """Why this Python cannot be compared, which is never a pass; empty where it can."""
        return "; ".join(side.reason for side in (self.candidate, self.reference) if side.reason)


def make(pair: PlannedPair, root: Path) -> Pair:
    """Make, or find again, the environments of *pair* below *root*; after the first that fails, no other is made.

    Raises MachineError for what concerns every Python: no uv, no network, no space; UsageError where a wheel is gone meanwhile.
    """
    if pair.reason:
        return Pair(pair.python, _unmade(pair.reference), _unmade(pair.candidate))
    measured = pair.reference.packages is not None
    first, second = (pair.reference, pair.candidate) if measured else (pair.candidate, pair.reference)
    led = _side(first, root, pair.under_test)
    followed = _unmade(second) if led.reason else _side(second, root, pair.under_test, led.packages)
    reference, candidate = (led, followed) if measured else (followed, led)
    apart = () if led.reason or followed.reason else sideplan.differences(pair, reference.packages, candidate.packages)
    return Pair(pair.python, reference, candidate, apart)


def _unmade(planned: Planned) -> Side:
    return Side(planned.cell, reason=planned.reason, packages=planned.packages or {})


def _side(planned: Planned, root: Path, under_test: Collection[str], like: Mapping[str, str] | None = None) -> Side:
    """Return one side, its packages but those *under_test* held at what *like* has, where that can be."""
    if planned.packages is not None:
        return _unmade(planned)
    pins = [f"{name}=={version}" for name, version in (like or {}).items() if name not in under_test]
    try:
        lock = _lock(planned, root, pins)
        environment = _environment(planned.cell, lock, root, _records(planned, root), under_test)
    except EnvironmentFailed as error:
        return Side(planned.cell, reason=f"the {planned.cell.label} cannot be had for Python {planned.cell.python}: {error}")
    origins = tuple(Origin(wheel.package, wheel.version, wheel.file, wheel.sha256) for wheel in planned.wheels)
    return Side(planned.cell, environment, packages=_pins(lock, planned.cell), wheels=origins)


def _lock(planned: Planned, root: Path, pins: Sequence[str]) -> Path:
    """Write the lock of one side, under the constraints *pins*, or without them where they leave no solution."""
    cell = planned.cell
    files = {wheel.package: _kept(wheel, root).as_uri() for wheel in planned.wheels}
    names = ((one, one.partition("==")[0]) for one in locks.cell_requirements(cell))
    requirements = [f"{name} @ {files[name]}" if name in files else one for one, name in names]
    python = f"--python={interpreters.find(cell.python)}"
    try:
        text = locks.resolve(requirements, cell.toolkit, uv.run_or_do_offline, python, pins=pins)
    except EnvironmentFailed:
        if not pins:
            raise
        text = locks.resolve(requirements, cell.toolkit, uv.run_or_do_offline, python)
    if missing := [wheel.file for wheel in planned.wheels if f"sha256:{wheel.sha256}" not in text]:
        raise EnvironmentFailed(f"uv's lock does not hold the hash of {', '.join(missing)}")
    lock = root / f"{cell.id}.txt"
    store.replace(lock, text.encode())
    return lock


def _kept(wheel: Wheel, root: Path) -> Path:
    """Return the copy of *wheel* in the directory that is named by its content."""
    kept = root.resolve() / "wheels" / wheel.sha256 / wheel.file
    if not kept.is_file() or wheelfile.sha256(kept) != wheel.sha256:
        if wheelfile.sha256(wheel.path) != wheel.sha256:
            raise EnvironmentFailed(f"{wheel.file} was changed meanwhile: begin again when it is built")
        store.replace(kept, wheel.path.read_bytes())
    return kept


def _environment(cell: Cell, lock: Path, root: Path, records: Mapping[str, str], under_test: Collection[str]) -> Environment:
    """Make the environment of *cell*, or find it again, and see that the packages under test are what was to be installed."""
    directory = root / "envs" / cell.id

    def made() -> Environment:
        return envs.make(
            directory, lock, lambda: interpreters.find(cell.python), lambda python: envcheck.cell(cell, python, lock)
        )

    environment = made()
    if environment.reused and _spoilt(environment, records, under_test):
        envs.forget(directory)
        environment = made()
    if spoilt := _spoilt(environment, records, under_test):
        envs.forget(directory)
        rest = f" and {len(spoilt) - SHOWN} more" if len(spoilt) > SHOWN else ""
        raise EnvironmentFailed(
            f"what is installed is not what the wheel holds: {', '.join(spoilt[:SHOWN])}{rest}; "
            f"uv's cache may be spoilt: `uv cache clean {' '.join(sorted(under_test))}`, then begin again"
        )
    return environment


def _records(planned: Planned, root: Path) -> dict[str, str]:
    """Return ``{package: RECORD}`` of the wheels that are files."""
    return {wheel.package: wheelfile.record(_kept(wheel, root)) for wheel in planned.wheels}


def _spoilt(environment: Environment, records: Mapping[str, str], under_test: Collection[str]) -> list[str]:
    """Return the installed files of the packages under test that have another hash than the wheel's RECORD says.

    A wheel of the index was checked against the lock when it was downloaded, and brought its RECORD with it.
    """
    place = environment.site_packages
    found = metadata.distributions(path=[str(place)])
    brought: dict[str, str] = {canonicalize_name(package.name): package.read_text("RECORD") or "" for package in found}
    missing = [package for package in under_test if not brought.get(package)]
    told = brought | dict(records)
    return missing or [name for package in under_test for name in wheelfile.spoilt(told[package], place)]


def _pins(lock: Path, cell: Cell) -> dict[str, str]:
    return wheels.pins(lock.read_text(encoding="utf-8"), cell.python, platform.machine())
