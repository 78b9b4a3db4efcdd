"""What was asked for, checked against the matrix, the case set and the machine: whole before anything is built or measured."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from ctkmatrix import args, caseset, compilers, device, journal, machine, matrix, plan
from ctkmatrix.errors import NotComparable, UsageError
from ctkmatrix.model import SCHEMA
from ctkmatrix.store import Run, Store
from ctkmatrix.workers import MAX_PADDING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from ctkmatrix.args import Arguments
    from ctkmatrix.device import Device
    from ctkmatrix.model import Case, Cell, Matrix, Profile


@dataclass(frozen=True, slots=True)
class Place:
    """The checkout, and what lies in it."""

    root: Path

    @property
    def build(self) -> Path:
        """Environments, toolkits and whatever is compiled."""
        return self.root / ".ctkmatrix"

    @property
    def reports(self) -> Path:
        """Results and pages."""
        return self.root / "reports"


@dataclass(frozen=True, slots=True)
class Earlier:
    """A run that is gone on with: its directory and its journal so far."""

    run: Run
    records: tuple[journal.Record, ...]
    began: journal.Began

    @property
    def done(self) -> frozenset[plan.Done]:
        """The blocks that the journal holds."""
        return frozenset((one.cell, one.round, one.case) for one in self.records if isinstance(one, journal.Measured))


@dataclass(frozen=True, slots=True)
class Job:
    """Cells, cases, profile and device of one invocation, and the run that it goes on with, if any."""

    matrix: Matrix
    words: tuple[str, ...]
    cells: tuple[Cell, ...]
    cases: tuple[Case, ...]
    profile: Profile
    device: Device
    seed: int | None = None
    earlier: Earlier | None = field(default=None)

    def processes(self, seed: int, only: Mapping[int, Collection[tuple[str, str]]] | None = None) -> list[plan.Process]:
        """Return the processes that are left to run, in their order: the profile's, or those of the rounds in *only*."""
        return list(
            plan.rounds(
                self.cells,
                self.cases,
                self.profile,
                device=self.device.kind,
                seed=seed,
                max_padding=MAX_PADDING,
                done=self.earlier.done if self.earlier else (),
                only=only,
            )
        )

    @property
    def newest_toolkit(self) -> str:
        """The toolkit whose headers the null driver is generated from: the newest of the whole matrix."""
        return matrix.newest(self.matrix.cells).toolkit


def load(place: Place, only: Sequence[str], words: Sequence[str]) -> Job:
    """Return the job for *words*, among the cells of the ids *only* (all, where it is empty).

    Raises MatrixError, UsageError, MachineError, or NotComparable where the run to go on with does not fit.
    """
    loaded = matrix.load(place.root / "matrix.toml")
    arguments = args.parse(words, [profile.name for profile in loaded.profiles])
    compilers.host_compiler()
    cases = caseset.load(place.root, compilers.LIBRARY_FLAGS)
    found = device.find(arguments.device)
    among = [cell for cell in loaded.cells if not only or cell.id in only]
    if arguments.resume is not None:
        return _resumed(Store(place.reports).find(arguments.resume), loaded, among, arguments, cases, found)
    cells = args.select(among, arguments)
    profile = loaded.profile(arguments.profile)
    return Job(loaded, tuple(words), cells, caseset.select(cases, arguments.case), profile, found, arguments.seed)


def _resumed(  # noqa: PLR0913, PLR0917 -- all that is compared
    run: Run, loaded: Matrix, among: Sequence[Cell], asked: Arguments, cases: Sequence[Case], found: Device
) -> Job:
    """Return the job of an earlier run: its own cells, cases, profile and seed, which *asked* must not contradict."""
    records = tuple(run.records())
    began = records[0] if records else None
    if not isinstance(began, journal.Began):
        raise NotComparable(f"run {run.id} cannot be resumed: its journal holds no plan")
    _same("schema", str(began.schema), str(SCHEMA), run)
    pauses = [record for record in records if isinstance(record, journal.Paused)]
    if pauses and not pauses[-1].interrupted:
        raise UsageError(f"run {run.id} has ended and was not interrupted: there is nothing to resume")
    if missing := [cell.id for cell in began.cells if cell not in among]:
        raise UsageError(
            f"run {run.id} is of {len(began.cells)} cells, {missing[0]} among them, which this session does not measure; "
            "`nox -s bench -- --resume` goes on with any run"
        )
    _agree(asked, args.parse(began.arguments, [profile.name for profile in loaded.profiles]), run)
    own = tuple(case for case in cases if case.id in began.cases)
    _same("machine", began.machine["id"], machine.describe()["id"], run)
    _same("device", _device(began.device["kind"], began.device["uuid"]), _device(found.kind, found.uuid), run)
    for case, version in began.cases.items():
        now = next((one.version for one in own if one.id == case), "gone")
        _same(f"version of {case}", version, now, run)
    return Job(loaded, began.arguments, began.cells, own, began.profile, found, began.seed, Earlier(run, records, began))


def _agree(asked: Arguments, begun: Arguments, run: Run) -> None:
    """See that what was said beside ``--resume`` is what was said when the run began. Raises UsageError."""
    for said in fields(asked):
        now, then = getattr(asked, said.name), getattr(begun, said.name)
        if said.name not in {"resume", "device"} and now not in {said.default, then}:
            raise UsageError(f"--{said.name} does not go with --resume: run {run.id} goes on as it was planned")


def _same(what: str, then: str, now: str, run: Run) -> None:
    if then != now:
        raise NotComparable(f"run {run.id} cannot be resumed: its {what} was {then} and is {now} now; begin a new run")


def _device(kind: str, uuid: str) -> str:
    return f"{kind} {uuid}".strip()
