"""A journal -> results: every planned field has an outcome, and the numbers are the processes' own."""

from __future__ import annotations

import dataclasses
import gc

import msgspec
import pytest

from ctkmatrix import journal
from ctkmatrix.collected import collect
from ctkmatrix.model import Case, Cell, Estimate, Field, Flag, Metric, Outcome, Profile, Results, Status, Variant
from ctkmatrix.needs import NEEDS_GPU
from ctkmatrix.results import assemble, twin
from ctkmatrix.stats import estimate
from tests.test_journal import BEGAN, BURST

CELL, OTHER = Cell("13.5", "3.14", "13.5.0", "1.2.2"), Cell("13.5", "3.14t", "13.5.0", None)
CASE = Case(
    "a.b",
    "B.",
    (
        Variant("native", ()),
        Variant("native-runtime", (), needs="gpu"),
        Variant("bindings", ()),
        Variant("bindings-runtime", (), needs="gpu"),
        Variant("core", ()),
    ),
)
ONE_PROCESS = msgspec.structs.replace(BEGAN, profile=Profile("one", 1, 5, 0.004, 60))
PLAN = msgspec.structs.replace(ONE_PROCESS, cells=(CELL, OTHER), cases={"a.b": "1"})
IDENTITY = {"python": {"version": "3.14.1", "optimised": "yes"}, "packages": {}}


def block(cell: Cell, process: int, **values: float) -> journal.Measured:
    """Return a block whose variants took *values* (underscores stand for hyphens)."""
    return journal.Measured(
        cell=cell.id,
        process=process,
        round=process,
        case="a.b",
        results={name.replace("_", "-"): journal.Values(10, (value, value, 9 * value), ()) for name, value in values.items()},
    )


def results(*records: journal.Record, kind: str = "null") -> Results:
    """Return the results of a journal with *records*."""
    plan = msgspec.structs.replace(PLAN, device={"kind": kind, "name": "d", "architecture": "90", "uuid": ""})
    return assemble(collect([plan, *records]), [CASE], (), 1e-6)


def field(found: Results, variant: str, cell: Cell = CELL) -> Field:
    """Return one field."""
    return next(one for one in found.fields if (one.cell, one.variant) == (cell.id, variant))


def test_every_planned_field_has_an_outcome() -> None:
    """Cells by cases by variants, whatever the journal holds."""
    found = results()
    assert len(found.fields) == 2 * 5
    assert {one.outcome.status for one in found.fields} == {Status.NOT_RUN, Status.NOT_APPLICABLE}
    assert all(one.outcome.reason for one in found.fields)
    assert found.manifest.status == "interrupted"


def test_overhead_is_python_minus_native_in_the_same_processes() -> None:
    """The value of a process is its median; native itself has a time and no overhead."""
    found = results(*(block(CELL, n, native=1e-9, bindings=5e-9 + n * 1e-9, core=3e-9) for n in range(3)))
    bindings = field(found, "bindings")
    assert bindings.overhead is not None
    assert bindings.overhead.points == pytest.approx([4e-9, 5e-9, 6e-9])
    assert bindings.ratio is not None
    assert bindings.ratio.value == pytest.approx(6.0)
    assert field(found, "native").overhead is None
    assert field(found, "native").time is not None


def test_overhead_is_paired_within_processes() -> None:
    """What a process adds to both sides cancels, also below zero; processes that lack one side do not count."""
    shifts = {0: 0.0, 1: 50.0, 2: 10.0, 3: 90.0}
    both = [block(CELL, n, native=100 + shift, bindings=400 + shift, core=60 + shift) for n, shift in shifts.items()]
    found = results(*both, block(CELL, 7, bindings=9999.0), block(CELL, 8, native=1.0))
    overhead, time, ratio = (getattr(field(found, "bindings"), name) for name in ("overhead", "time", "ratio"))
    assert overhead == Estimate(300.0, 300.0, 300.0, (300.0,) * 4)
    assert time.points == (400.0, 450.0, 410.0, 490.0, 9999.0)
    assert ratio == estimate([(400 + shift) / (100 + shift) for shift in shifts.values()])
    assert field(found, "core").overhead == Estimate(-40.0, -40.0, -40.0, (-40.0,) * 4)


def test_nothing_in_common_is_no_overhead() -> None:
    """Two sides from different processes are not set against each other."""
    found = field(results(block(CELL, 0, native=1.0), block(CELL, 1, core=2.0)), "core")
    assert found.time == Estimate(2.0, None, None, (2.0,))
    assert (found.overhead, found.ratio) == (None, None)


def test_runtime_variants_are_set_against_the_runtime_s_twin() -> None:
    """Not against the driver's."""
    assert (twin("bindings-runtime"), twin("bindings"), twin("core")) == ("native-runtime", "native", "native")
    found = results(block(CELL, 0, native=1e-9, native_runtime=3e-9, bindings_runtime=10e-9), kind="gpu")
    overhead = field(found, "bindings-runtime").overhead
    assert overhead is not None
    assert overhead.value == pytest.approx(7e-9)


def test_without_its_twin_a_variant_has_a_time_and_no_overhead() -> None:
    """A native side that failed in any process is set against nothing, even where earlier processes measured it."""
    failed = journal.Measured(cell=CELL.id, process=1, round=1, case="a.b", results={}, failures={"native": "CUDA_ERROR_UNKNOWN"})
    found = results(block(CELL, 0, native=1e-9, core=2e-9), failed)
    assert field(found, "native").outcome == Outcome(Status.FAILED, "CUDA_ERROR_UNKNOWN")
    assert field(found, "core").outcome.status is Status.MEASURED
    assert field(found, "core").time is not None
    assert field(found, "core").overhead is None


def test_a_failure_in_one_process_is_a_failure() -> None:
    """Values from other processes do not hide it."""
    lost = journal.Lost(cell=CELL.id, process=1, round=1, case="a.b", reason="crashed: SIGSEGV")
    found = results(block(CELL, 0, native=1e-9, core=2e-9), lost)
    assert field(found, "core").outcome == Outcome(Status.FAILED, "crashed: SIGSEGV")
    assert field(found, "core").time is None


def test_dirt_is_a_failure() -> None:
    """What a case leaves behind is its failure."""
    dirty = msgspec.structs.replace(block(CELL, 0, core=2e-9), dirt="a capture is open")
    assert field(results(dirty), "core").outcome == Outcome(Status.FAILED, "it left the process unclean: a capture is open")


def test_a_cell_without_an_environment_is_not_run_and_says_why() -> None:
    """Its reason stands at the cell and at each of its fields; the others are not touched."""
    absent = journal.Prepared(cell=CELL.id, reason="no interpreter for Python 3.14")
    found = results(absent, block(OTHER, 0, native=1e-9, bindings=2e-9))
    assert field(found, "core").outcome == Outcome(Status.NOT_RUN, "no interpreter for Python 3.14")
    assert found.cells[0].outcome == Outcome(Status.NOT_RUN, "no interpreter for Python 3.14")
    assert found.cells[1].outcome == Outcome(Status.MEASURED)


def test_a_worker_that_cannot_start_is_told() -> None:
    """The cell is not run, with the worker's last words."""
    lost = journal.Lost(cell=CELL.id, process=0, round=0, case="", reason="ImportError: no")
    assert field(results(lost), "core").outcome == Outcome(Status.NOT_RUN, "the worker did not start: ImportError: no")


def test_what_cannot_apply_does_not_count_as_missing() -> None:
    """A variant that needs a GPU over the null driver, and core in a cell without it: planned by nobody."""
    paused = journal.Paused(at="2026", interrupted=False, wall=1.0)
    found = results(block(CELL, 0, native=1e-9, bindings=2e-9, core=2e-9), block(OTHER, 0, native=1e-9, bindings=2e-9), paused)
    assert field(found, "bindings-runtime").outcome == Outcome(Status.NOT_APPLICABLE, NEEDS_GPU)
    assert field(found, "core", OTHER).outcome == Outcome(Status.NOT_APPLICABLE, "this cell has no cuda.core")
    assert found.manifest.status == "complete"


TENSORS = Case("a.b", "B.", tuple(Variant(name, (), needs="sm_90") for name in ("native", "bindings")))
ENDED = journal.Paused(at="2026", interrupted=False, wall=1.0)


def on_an_older_gpu(*records: journal.Record, metric: Metric = Metric.TIME) -> Results:
    """Return the results of *records* for ``TENSORS`` on a GPU of compute capability 8.0."""
    device = {"kind": "gpu", "name": "NVIDIA A100", "architecture": "80", "uuid": "GPU-1"}
    plan = msgspec.structs.replace(PLAN, device=device, metric=metric, cells=(CELL,))
    return assemble(collect([plan, *records]), [TENSORS], (), 1e-6)


def test_what_an_older_gpu_lacks_is_not_applicable_and_says_so() -> None:
    """A reason with both architectures, never a failure; the run is complete without it."""
    found = on_an_older_gpu(ENDED)
    assert {one.outcome for one in found.fields} == {Outcome(Status.NOT_APPLICABLE, "needs sm_90: this GPU is sm_80")}
    assert found.manifest.status == "complete"


def test_what_an_older_gpu_lacks_is_counted_all_the_same() -> None:
    """Counts run over the null driver: they stay beside the reason why there is no time, and what failed there has failed."""
    count = journal.Instructions(10, 1000.0, settled=True)
    heap = journal.Counted(cell=CELL.id, process=0, round=0, case="a.b", results={"native": count, "bindings": count})
    found = on_an_older_gpu(heap, ENDED, metric=Metric.BOTH)
    assert {one.outcome for one in found.fields} == {Outcome(Status.NOT_APPLICABLE, "needs sm_90: this GPU is sm_80")}
    assert [one.count.minimum for one in found.fields if one.count] == [1000.0, 1000.0]
    lost = journal.Lost(cell=CELL.id, process=0, round=0, case="a.b", reason="crashed: SIGSEGV")
    failed = on_an_older_gpu(lost, ENDED, metric=Metric.BOTH)
    assert {one.outcome for one in failed.fields} == {Outcome(Status.FAILED, "crashed: SIGSEGV")}
    assert failed.manifest.status == "incomplete"


def test_fewer_processes_than_planned_are_incomplete() -> None:
    """A run that was cut short is not complete, although every field has a number."""
    plan = msgspec.structs.replace(PLAN, cells=(CELL,), profile=Profile("two", 2, 5, 0.004, 60))
    records: list[journal.Record] = [
        block(CELL, 0, native=1e-9, bindings=2e-9, core=2e-9),
        journal.Paused(at="2026", interrupted=False, wall=1.0),
    ]
    assert assemble(collect([plan, *records]), [CASE], (), 1e-6).manifest.status == "incomplete"
    more = [*records, block(CELL, 1, native=1e-9, bindings=2e-9, core=2e-9)]
    assert assemble(collect([plan, *more]), [CASE], (), 1e-6).manifest.status == "complete"


def test_an_environment_that_is_lost_later_loses_nothing_measured() -> None:
    """On a resumed run the values of its first part stay."""
    found = results(block(CELL, 0, native=1e-9, bindings=2e-9), journal.Prepared(cell=CELL.id, reason="no lock"))
    assert field(found, "bindings").time is not None
    assert field(found, "core").outcome == Outcome(Status.NOT_RUN, "no lock")


def test_a_run_that_ended_with_something_missing_is_incomplete() -> None:
    """Ended is not complete."""
    paused = journal.Paused(at="2026", interrupted=False, wall=1.0)
    assert results(block(CELL, 0, native=1e-9), paused).manifest.status == "incomplete"


def test_flags_tell_what_weakens_a_cell() -> None:
    """Null driver, few processes, governor, free-threaded, interpreter's build, no nvcc: each where it is so and nowhere else."""
    opened = [
        journal.Opened(
            cell=cell.id,
            process=n,
            round=0,
            cpu=0,
            padding=0,
            identity=IDENTITY if n == 0 else {"python": {"optimised": "no"}},
        )
        for n, cell in enumerate((CELL, OTHER))
    ]
    native = {"native": {"path": "p", "nvcc": True}}
    prepared = [
        journal.Prepared(cell=CELL.id, native=native),
        journal.Prepared(cell=OTHER.id, native={"native": {"path": "p", "nvcc": False}}),
    ]
    found = results(*prepared, *opened, kind="null")
    assert found.cells[0].flags == (Flag.NULL_DRIVER, Flag.FEW_PROCESSES, Flag.GOVERNOR)
    assert set(found.cells[1].flags) - set(found.cells[0].flags) == {Flag.FREE_THREADED, Flag.INTERPRETER_BUILD, Flag.NO_NVCC}
    on_gpu = results(*prepared, *opened, kind="gpu")
    assert Flag.NULL_DRIVER not in on_gpu.cells[0].flags


def test_flags_tell_what_weakens_a_field() -> None:
    """Processes of two modes flag the variant that shows them, and no other."""
    times = [1e-9, 2e-9, 1e-9, 2e-9]
    found = results(*(block(CELL, n, native=1e-9, bindings=5e-9, core=time) for n, time in enumerate(times)))
    assert {name: field(found, name).flags for name in ("native", "bindings", "core")} == {
        "native": (),
        "bindings": (),
        "core": (Flag.NOISY, Flag.BIMODAL),
    }
    assert field(found, "native-runtime").flags == ()


def test_a_cell_s_telemetry_is_its_own() -> None:
    """What its workers read at their ends is set against what they read at their starts, cell by cell."""
    records: list[journal.Record] = []
    for n, (cell, busy) in enumerate(((CELL, 18.0), (OTHER, 14.1))):
        start, end = ({"cpu": {"busy": at, "ours": ours, "clock": at}} for at, ours in ((10.0, 1.0), (busy, 5.0)))
        end["cpu"]["clock"] = 14.0
        records += [
            journal.Opened(cell=cell.id, process=n, round=0, cpu=0, padding=0, identity=IDENTITY, telemetry=start),
            journal.Closed(cell=cell.id, process=n, lifetime=4.0, looped=3.0, telemetry=end),
        ]
    assert [Flag.OTHER_LOAD in cell.flags for cell in results(*records).cells] == [True, False]


def test_the_timed_share_is_of_the_workers_lives() -> None:
    """Seconds in loops over seconds from spawn to exit, over all workers."""
    closed = [journal.Closed(cell=CELL.id, process=n, lifetime=4.0, looped=looped) for n, looped in enumerate((2.0, 3.0))]
    assert results(*closed).manifest.timed_share == 5 / 8


def test_free_threaded_cells_stay_apart() -> None:
    """3.14t and 3.14 have fields of their own, and no sample of one is in the other."""
    free = dataclasses.replace(CELL, python="3.14t")
    plan = msgspec.structs.replace(PLAN, cells=(CELL, free))
    found = assemble(collect([plan, block(CELL, 0, bindings=1e-9), block(free, 1, bindings=2e-9)]), [CASE], (), 1e-6)
    times = {one.cell: one.time for one in found.fields if one.variant == "bindings"}
    assert {cell: time.points for cell, time in times.items() if time} == {CELL.id: (1e-9,), free.id: (2e-9,)}


def test_drift_is_seen_in_the_order_of_rounds() -> None:
    """Values belong to their own rounds, also where a resumed run's processes came in another order."""
    plan = msgspec.structs.replace(PLAN, cells=(CELL,))
    number = [3, 9, 0, 7, 11, 1, 5, 10, 2, 8, 4, 6]
    blocks = [msgspec.structs.replace(block(CELL, n, core=1e-6 * (1 + 0.02 * r)), round=r) for n, r in enumerate(number)]
    flat = [msgspec.structs.replace(block(CELL, n, core=1e-6 * (1 + 0.02 * n)), round=r) for n, r in enumerate(number)]
    drifting, steady = (assemble(collect([plan, *records]), [CASE], (), 1e-6) for records in (blocks, flat))
    assert Flag.DRIFT in field(drifting, "core").flags
    assert Flag.DRIFT not in field(steady, "core").flags


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(enabled: bool) -> None:
    """Paused while journals are evaluated; on or off again after them, also after one that is refused."""
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        results(block(CELL, 0, native=1e-9, core=2e-9))
        with pytest.raises(ValueError, match="plan"):
            collect([])
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_the_burst_is_the_run_s() -> None:
    """results.json holds it with what it was chosen by; without an asynchronous case there is none."""
    found = results(journal.Settled(burst=BURST), block(CELL, 0, native=1e-9))
    assert found.manifest.burst == BURST
    assert msgspec.json.decode(msgspec.json.encode(found), type=Results).manifest.burst == BURST
    assert results(block(CELL, 0, native=1e-9)).manifest.burst is None
