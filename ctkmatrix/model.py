"""The vocabulary: frozen dataclasses without I/O. Times are seconds, per turn of a case's loop."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

SCHEMA = 1
"""Version of every JSON file that is written."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of the matrix: a toolkit, a Python, a cuda-bindings and a cuda-core release.

    ``python`` is ``3.N``, or ``3.Nt`` for a free-threaded build; ``core`` is ``None`` where cuda.core is absent. ``label`` tells
    apart what is one combination in two environments, such as a reference and a candidate; cells of the matrix have none.
    ``extras`` are packages that are installed beside, by their normalised names in order; cells of groups alone have any.
    """

    toolkit: str
    python: str
    bindings: str
    core: str | None
    label: str = ""
    extras: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The cell's name everywhere: ``cuX.Y-py3.N[t]-bV-cV``, then ``+`` and the name of each extra, then ``+label`` if any."""
        plain = f"cu{self.toolkit}-py{self.python}-b{self.bindings}-c{self.core or 'none'}"
        return "+".join([plain, *self.extras, *([self.label] if self.label else [])])

    @property
    def major(self) -> str:
        """The toolkit's major version, ``12`` or ``13``."""
        return self.toolkit.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Profile:
    """How much is measured.

    processes
        Worker processes a cell, the unit of inference: so many are always measured.
    max_processes
        Up to so many are measured of what is still too wide.
    relative, absolute
        The half-width of a 95 % interval that is narrow enough: the larger of *relative* times the variant's own time, and
        *absolute* seconds.
    seconds_limit
        Seconds of measuring after which nothing more is added.
    values
        Timed values a (case, variant) in each process.
    seconds_per_value
        The time that a value should take; loops are calibrated to it.
    block_limit
        Seconds after which a case that has not answered counts as hung.
    """

    name: str
    processes: int
    values: int
    seconds_per_value: float
    block_limit: float
    max_processes: int = 0
    relative: float = 0.02
    absolute: float = 5e-9
    seconds_limit: float = 3600.0


@dataclass(frozen=True, slots=True)
class Margin:
    """A change that does not matter: the larger of *relative* times the reference's time, and *absolute* seconds.

    ``instructions`` is that of a count, relative to the reference's.
    """

    relative: float
    absolute: float
    instructions: float = 0.01

    def at(self, time: float) -> float:
        """Return the margin for a reference that takes *time* seconds."""
        return max(self.relative * time, self.absolute)


DEFAULT_MARGINS = (("*", Margin(0.03, 10e-9)),)
"""The larger of 3 % and 10 ns, for every case."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """A regression that is accepted, for candidates of *package* below the version *until*.

    ``case``, ``variant`` and ``cell`` are globs over ids; ``line`` is where it stands in matrix.toml.
    """

    case: str
    cell: str
    until: str
    reason: str
    package: str = "cuda-bindings"
    variant: str = "*"
    line: int = 0


@dataclass(frozen=True, slots=True)
class Matrix:
    """What ``matrix.toml`` says. ``cells`` is in version order: toolkit, bindings, core, Python."""

    cells: tuple[Cell, ...]
    excluded: tuple[tuple[Cell, str], ...]
    profiles: tuple[Profile, ...]
    target: float
    """The overhead that maintainers aim at, seconds a call."""
    margins: tuple[tuple[str, Margin], ...] = DEFAULT_MARGINS
    """(glob over case ids, margin); the last that matches counts."""
    targets: tuple[tuple[str, float], ...] = ()
    """(glob over case ids, seconds a call); the last that matches counts, before ``target``."""
    groups: tuple[tuple[str, tuple[Cell, ...]], ...] = ()
    """(name, cells in version order); a plain run measures none of them."""
    waivers: tuple[Waiver, ...] = ()
    """Which regressions `nox -s validate` accepts."""

    @property
    def all_cells(self) -> tuple[Cell, ...]:
        """Its own cells and those of its groups, none twice."""
        return tuple(dict.fromkeys([*self.cells, *(cell for _, cells in self.groups for cell in cells)]))

    def profile(self, name: str) -> Profile:
        """Return the profile called *name*. Raises KeyError where there is none."""
        return {profile.name: profile for profile in self.profiles}[name]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to do what a case measures; ``calls`` are the driver calls of one turn."""

    name: str
    calls: tuple[str, ...]
    differs: str = ""
    """How this differs from the native twin; empty says like for like."""
    needs: str = ""
    """Empty for nothing; ``gpu``, a genuine driver; ``sm_90``, a GPU of compute capability 9.0 or higher; as in ``needs.py``."""
    source: str = ""
    """The text of the variant's function, and of what it uses of its own file, for the reader."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that is measured, in every variant that makes sense.

    ``without_native`` is the reason why there is no native twin, or empty. ``version`` is a hash of the case's source, its
    native twin, the loop and the compile flags: measurements of different versions never meet.
    """

    id: str
    title: str
    variants: tuple[Variant, ...]
    references: tuple[str, ...] = ()
    calls_per_turn: int = 1
    isolated: bool = False
    asynchronous: bool = False
    seconds_per_turn: float = 0.0
    """About how long a turn takes where that is longer than a value should: for the expected time alone."""
    without_native: str = ""
    version: str = ""
    unit: str = "time"
    """``time``, in seconds a turn, or ``share``, a number without a unit."""
    uncountable: str = ""
    """Why instructions of the worker say nothing of a turn, or empty."""
    target: float = 0.0
    """The overhead that maintainers aim at, seconds a call, where ``matrix.toml`` gives this case one of its own; else 0."""

    @property
    def area(self) -> str:
        """The first part of the id; names the files in ``cases/`` and ``native/``."""
        return self.id.partition(".")[0]

    @property
    def countable(self) -> bool:
        """Whether instructions a turn mean anything: not for a share, nor where others do the work."""
        return self.unit == "time" and not self.uncountable


class Metric(enum.StrEnum):
    """What of a case is measured: its time on the device, its instructions over the null driver, or both."""

    TIME = "time"
    INSTRUCTIONS = "instructions"
    BOTH = "both"


class Status(enum.StrEnum):
    """What became of one planned (cell, case, variant)."""

    MEASURED = "measured"
    FAILED = "failed"
    NOT_RUN = "not run"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A status and, unless all went well, the reason in words for people."""

    status: Status
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """The values of one (cell, case, variant) from one worker process, in the order in which they were taken.

    ``values`` are seconds a turn; ``process`` is unique within the run; ``round`` counts from 0; ``loops`` is the number of turns
    behind each value; ``warmups`` are values that count for nothing.
    """

    cell: str
    case: str
    variant: str
    process: int
    round: int
    loops: int
    values: tuple[float, ...]
    warmups: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """A point and its 95 % interval over processes. Seconds a turn, or a plain number for a ratio.

    ``low`` and ``high`` are ``None`` with fewer than two processes. ``points`` holds each process's own value, in process order.
    """

    value: float
    low: float | None
    high: float | None
    points: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Mode:
    """A group of processes that counted nearly the same: their minimum, instructions a turn, and how many they are."""

    instructions: float
    processes: int


@dataclass(frozen=True, slots=True)
class Count:
    """Instructions a turn over the null driver, counted in worker processes whose heaps differ.

    ``points`` holds each process's own count, in process order; ``modes`` are two or none. ``turns`` is the N of blocks of N
    and 2N turns; ``settled`` says that blocks agreed before they counted, in every process.
    """

    minimum: float
    maximum: float
    modes: tuple[Mode, ...]
    points: tuple[float, ...]
    turns: int
    settled: bool

    @property
    def spread(self) -> float:
        """How far the processes lie apart, as a part of the minimum."""
        return (self.maximum - self.minimum) / self.minimum


class Judgement(enum.StrEnum):
    """What a comparison comes to."""

    SLOWER = "slower"
    FASTER = "faster"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The comparison of one (case, variant) between a reference and a candidate cell.

    ``change`` is candidate minus reference, seconds a turn, with its 95 % interval; ``relative`` is it over the reference's time;
    ``p`` is adjusted for all comparisons of the invocation (Holm). ``reason`` says why a verdict is inconclusive.
    """

    reference: str
    candidate: str
    case: str
    variant: str
    judgement: Judgement
    change: Estimate | None
    relative: float | None
    p: float | None
    margin: float
    reason: str = ""


class Flag(enum.StrEnum):
    """What weakens a number; the value is the sentence that the page shows."""

    NULL_DRIVER = "Over the null driver: pure host overhead, no driver work in it."
    FEW_PROCESSES = "Fewer than 12 processes: fit for exploring, not for a verdict."
    FREE_THREADED = "A free-threaded interpreter: never compare it with the default build of the same version."
    INTERPRETER_BUILD = "The interpreter is not built with PGO and LTO, or it is unknown: 10 to 20 % slower is usual."
    NO_NVCC = "The native baseline was not built by this toolkit's own nvcc."
    NOISY = "Noisy: processes differ by more than a tenth of the time."
    BIMODAL = "Two modes: processes fall into two groups, a quarter of the time or more apart."
    DRIFT = "Drift: times moved steadily from round to round."
    THROTTLED = "The GPU throttled its clocks while it was measured."
    CLOCKS_UNLOCKED = "The GPU's clocks are not locked, or it is unknown: they move with load and temperature."
    GOVERNOR = "The CPU's frequency governor is not «performance», or it is unknown."
    OTHER_LOAD = "Something else ran on the CPUs or the GPU meanwhile."
    QUEUE_FULL = "The launch queue may have been full: the time would be the GPU's, not the host's."
    BURST_UNPROVEN = (
        "No length of bursts was shown to keep a launch's time the same in few turns and in many: the shortest was taken."
    )
    TARGET_NOT_REACHED = "The interval is wider than the profile asks for, after all the processes or the time that it allows."


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the matrix: what is known of one (cell, case, variant).

    ``time`` is the variant's own time; ``overhead`` and ``ratio`` set it against the native twin measured in the same processes.
    ``None`` where not measured or where there is no twin. ``count`` is ``None`` where instructions were not counted.
    """

    cell: str
    case: str
    variant: str
    outcome: Outcome
    time: Estimate | None = None
    overhead: Estimate | None = None
    ratio: Estimate | None = None
    flags: tuple[Flag, ...] = ()
    count: Count | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the most of some readings."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Work:
    """What the worker processes of one cell did and met.

    ``seconds`` is the wall time, spawn to exit, of those that measured time, and ``looped`` the part of it inside timed loops;
    ``counting`` is that of those that counted instructions. ``readings`` were taken at the start and at the end of each that
    measured time: the load average, and by NVML clocks (MHz), temperature (°C) and power (W), by the telemetry's names.
    ``throttled`` are NVML's reasons for low clocks, idleness and choice among them.
    """

    seconds: float = 0.0
    looped: float = 0.0
    counting: float = 0.0
    readings: dict[str, Range] = field(default_factory=dict)
    throttled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CellResult:
    """What became of one cell as a whole, and everything that its numbers came from.

    ``provenance`` is JSON-like: interpreter, packages with hashes, libraries really loaded, native compiler and flags.
    """

    cell: Cell
    outcome: Outcome
    flags: tuple[Flag, ...] = ()
    processes: int = 0
    provenance: dict[str, object] = field(default_factory=dict)
    work: Work = field(default_factory=Work)


@dataclass(frozen=True, slots=True)
class BurstTime:
    """What *case* took in bursts of *length* turns: seconds a turn, by the number of turns that were taken."""

    length: int
    case: str
    seconds: dict[int, float]


@dataclass(frozen=True, slots=True)
class Burst:
    """How many turns an asynchronous case takes between two drains, and what that was chosen by.

    ``cell`` and ``variant`` are those that ``times`` were measured in; ``reason`` says why the length is but the shortest one,
    and is empty where the times agreed.
    """

    length: int
    cell: str
    variant: str = ""
    times: tuple[BurstTime, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Where a run's numbers come from. Durations in seconds; times of day in ISO 8601, UTC.

    ``timed_share`` is the part of the workers' wall time, spawn to exit, that was spent inside timed loops; ``device`` and
    ``machine`` are JSON-like.
    """

    run: str
    started: str
    finished: str
    status: str
    """``complete``, ``incomplete`` or ``interrupted``."""
    arguments: tuple[str, ...]
    profile: Profile
    seed: int
    device_kind: str
    """``gpu`` or ``null``."""
    device: dict[str, object]
    machine: dict[str, object]
    harness: dict[str, object]
    orchestrator: dict[str, str]
    metric: Metric = Metric.TIME
    counter: dict[str, str] = field(default_factory=dict)
    """What counted instructions: the version of ``valgrind``; empty where none were."""
    burst: Burst | None = None
    """``None`` where no asynchronous case was timed."""
    timed_share: float | None = None
    worker_seconds: float = 0.0
    wall_seconds: float = 0.0
    schema: int = SCHEMA


@dataclass(frozen=True, slots=True)
class Results:
    """All that a page is made of: ``results.json``."""

    manifest: Manifest
    cases: tuple[Case, ...]
    cells: tuple[CellResult, ...]
    fields: tuple[Field, ...]
    target: float
    excluded: tuple[tuple[Cell, str], ...] = ()
    margins: tuple[tuple[str, Margin], ...] = DEFAULT_MARGINS
    """As in ``Matrix``."""
    schema: int = SCHEMA
