"""What was asked for, checked against the matrix, the case set and the machine: whole before anything is built or measured."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, cast

from ctkmatrix import args, callgrind, caseset, compilers, device, journal, machine, matrix, plan
from ctkmatrix.args import Arguments
from ctkmatrix.errors import NotComparable, UsageError
from ctkmatrix.model import SCHEMA, Metric
from ctkmatrix.store import Run, Store
from ctkmatrix.workers import MAX_PADDING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from ctkmatrix.callgrind import Callgrind
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

    @property
    def counted(self) -> frozenset[plan.Done]:
        """The blocks whose instructions the journal holds."""
        return frozenset((one.cell, one.round, one.case) for one in self.records if isinstance(one, journal.Counted))


@dataclass(frozen=True, slots=True)
class Job:
    """Cells, cases, profile and device of one invocation, and the run that it goes on with, if any.

    ``counter`` is ``None`` where no instructions are counted.
    """

    matrix: Matrix
    words: tuple[str, ...]
    cells: tuple[Cell, ...]
    cases: tuple[Case, ...]
    profile: Profile
    device: Device
    seed: int | None = None
    earlier: Earlier | None = field(default=None)
    metric: Metric = Metric.TIME
    counter: Callgrind | None = None

    def processes(self, seed: int, only: Mapping[int, Collection[tuple[str, str]]] | None = None) -> list[plan.Process]:
        """Return the processes that are left to run, in their order: the profile's, or those of the rounds in *only*."""
        return list(
            plan.rounds(
                self.cells,
                self.cases,
                self.profile,
                device=self.device.target,
                seed=seed,
                max_padding=MAX_PADDING,
                done=self.earlier.done if self.earlier else (),
                only=only,
            )
        )

    def heaps(self, only: Mapping[int, Collection[tuple[str, str]]] | None = None) -> list[plan.Process]:
        """Return the processes that are left to count instructions in, in their order: the usual heaps, or those in *only*."""
        done = self.earlier.counted if self.earlier else ()
        return list(plan.heaps(self.cells, self.cases, plan.COUNT.processes, done, only))

    @property
    def newest_toolkit(self) -> str:
        """The toolkit whose headers the null driver is generated from: the newest of the whole matrix."""
        return matrix.newest(self.matrix.all_cells).toolkit


def load(place: Place, only: Sequence[str], words: Sequence[str]) -> Job:
    """Return the job for *words*, among the cells of the ids *only* (all of the matrix or the group, where it is empty).

    Raises MatrixError, UsageError, MachineError, or NotComparable where the run to go on with does not fit.
    """
    loaded = matrix.load(place.root / "matrix.toml")
    arguments = args.parse(words, [profile.name for profile in loaded.profiles])
    if arguments.resume is not None:
        return _resumed(place, loaded, only, arguments)
    return of(place, loaded, args.select(args.among(loaded, arguments, only), arguments), arguments, words)


def of(place: Place, loaded: Matrix, cells: Sequence[Cell], arguments: Arguments, words: Sequence[str]) -> Job:
    """Return the job for these *cells* and what else the *arguments* ask for; *words* are what the run keeps of them.

    Raises UsageError or MachineError.
    """
    return Job(
        loaded,
        tuple(words),
        tuple(cells),
        _cases(_case_set(place, loaded), arguments),
        _profile(loaded, arguments),
        _device(arguments),
        arguments.seed,
        metric=Metric(arguments.metric),
        counter=_counter(place, Metric(arguments.metric)),
    )


def _case_set(place: Place, loaded: Matrix) -> tuple[Case, ...]:
    compilers.host_compiler()
    return caseset.aimed(caseset.load(place.root, compilers.LIBRARY_FLAGS), loaded.targets)


def _cases(cases: Sequence[Case], arguments: Arguments) -> tuple[Case, ...]:
    """Return the cases that are asked for, without what is not countable. Raises UsageError where nothing is left."""
    chosen = caseset.select(cases, arguments.case)
    if arguments.metric != Metric.INSTRUCTIONS:
        return chosen
    if not (counted := tuple(case for case in chosen if case.countable)):
        names = ", ".join(case.id for case in chosen)
        raise UsageError(f"{names}: nothing to count: a share of time, or the work of other threads or processes")
    return counted


def _profile(loaded: Matrix, arguments: Arguments) -> Profile:
    """Return how much is measured; every count is as exact as the others. Raises UsageError."""
    if arguments.metric != Metric.INSTRUCTIONS:
        return loaded.profile(arguments.profile)
    if arguments.profile != Arguments().profile:
        raise UsageError(
            f"--profile {arguments.profile} is about time: instructions are counted in {plan.COUNT.processes} processes"
        )
    return plan.COUNT


def _device(arguments: Arguments) -> Device:
    """Return the device that is measured; instructions are counted over the null driver. Raises UsageError, MachineError."""
    if arguments.metric != Metric.INSTRUCTIONS:
        return device.find(arguments.device)
    if arguments.device not in {"auto", "null"}:
        raise UsageError(f"--device {arguments.device} is about time: instructions are counted over the null driver")
    return device.NULL


def _counter(place: Place, metric: Metric) -> Callgrind | None:
    return None if metric is Metric.TIME else callgrind.find(place.build / "native", compilers.host_compiler())


def _resumed(place: Place, loaded: Matrix, only: Sequence[str], asked: Arguments) -> Job:
    """Return the job of an earlier run: its own cells, cases, profile and seed, which *asked* must not contradict."""
    run = Store(place.reports).find(asked.resume or args.LATEST)
    records = tuple(run.earlier_records())
    began = cast("journal.Began", records[0])  # no journal is read without
    _same("schema", str(began.schema), str(SCHEMA), run)
    pauses = [record for record in records if isinstance(record, journal.Paused)]
    if pauses and not pauses[-1].interrupted:
        raise UsageError(f"run {run.id} has ended and was not interrupted: there is nothing to resume")
    if any(cell.label for cell in began.cells):
        raise UsageError(f"run {run.id} sets a candidate against a reference: that is not gone on with, begin it again")
    begun = args.parse(began.arguments, [profile.name for profile in loaded.profiles])
    among = args.among(loaded, begun, only)
    if missing := [cell.id for cell in began.cells if cell not in among]:
        raise UsageError(
            f"run {run.id} is of {len(began.cells)} cells, {missing[0]} among them, which this session does not measure; "
            "`nox -s bench -- --resume` goes on with any run"
        )
    _agree(asked, begun, run)
    own = tuple(case for case in _case_set(place, loaded) if case.id in began.cases)
    _same("machine", began.machine["id"], machine.describe()["id"], run)
    found = _device(replace(asked, metric=str(began.metric)))
    _same("device", _named(began.device["kind"], began.device["uuid"]), _named(found.kind, found.uuid), run)
    for case, version in began.cases.items():
        now = next((one.version for one in own if one.id == case), "gone")
        _same(f"version of {case}", version, now, run)
    counter = _counter(place, began.metric)
    _same("valgrind", began.counter.get("valgrind", ""), counter.version if counter else "", run)
    earlier = Earlier(run, records, began)
    return Job(loaded, began.arguments, began.cells, own, began.profile, found, began.seed, earlier, began.metric, counter)


def _agree(asked: Arguments, begun: Arguments, run: Run) -> None:
    """See that what was said beside ``--resume`` is what was said when the run began. Raises UsageError."""
    for said in fields(asked):
        now, then = getattr(asked, said.name), getattr(begun, said.name)
        if said.name not in {"resume", "device"} and now not in {said.default, then}:
            raise UsageError(f"--{said.name} does not go with --resume: run {run.id} goes on as it was planned")


def _same(what: str, then: str, now: str, run: Run) -> None:
    if then != now:
        raise NotComparable(f"run {run.id} cannot be resumed: its {what} was {then} and is {now} now; begin a new run")


def _named(kind: str, uuid: str) -> str:
    return f"{kind} {uuid}".strip()
