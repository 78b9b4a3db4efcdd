"""The measuring of processes, with real workers of a real cell over the null driver. A case loses itself alone."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import device, journal
from ctkmatrix.measure import Measurer
from ctkmatrix.model import Case, Profile, Variant
from ctkmatrix.plan import rounds
from ctkmatrix.store import Run, Store
from tests.conftest import ROOT, Bench

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

PROFILE = Profile("test", processes=2, values=3, seconds_per_value=0.0005, block_limit=3)
GOOD = Case("bad.good", "", (Variant("bindings", ()), Variant("python", ())))


def bad(name: str, *variants: str) -> Case:
    """Return one of the cases in tests/bad_cases."""
    return Case(f"bad.{name}", "", tuple(Variant(variant, ()) for variant in variants or ("python",)))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A new run."""
    return Store(tmp_path).create()


def measurer(bench: Bench, run: Run) -> Measurer:
    """Return a measurer of the bad cases."""
    setup = bench.workshop.setup(bench.cell, bench.environment, bench.baselines, bench.libcuda)
    setups = {bench.cell.id: dataclasses.replace(setup, cases=ROOT / "tests" / "bad_cases")}
    return Measurer(run, device.NULL, PROFILE, setups, lambda _units, _what: None)


def measure(bench: Bench, run: Run, *cases: Case) -> list[journal.Record]:
    """Measure *cases* in both rounds, in the order given, and return the journal."""
    made = measurer(bench, run)
    for process in rounds([bench.cell], cases, PROFILE, device="null", seed=1, max_padding=100):
        blocks = tuple(sorted(process.blocks, key=lambda block: cases.index(block.case)))
        made.measure(dataclasses.replace(process, blocks=blocks))
    return run.records()


def measured(records: list[journal.Record], case: str) -> list[journal.Measured]:
    """Return the blocks of *case*."""
    return [one for one in records if isinstance(one, journal.Measured) and one.case == f"bad.{case}"]


def lost(records: list[journal.Record]) -> list[tuple[str, str]]:
    """Return what was lost, and why."""
    return [(one.case, one.reason) for one in records if isinstance(one, journal.Lost)]


def test_a_good_case_is_measured_in_every_round(newest_bench: Bench, run: Run) -> None:
    """As many values as asked, the loops of the first process kept in the second, the time in loops told."""
    first, second = measured(measure(newest_bench, run, GOOD), "good")
    for block in (first, second):
        assert set(block.results) == {"bindings", "python"}
        assert all(len(values.values) == PROFILE.values for values in block.results.values())
        assert not block.dirt
    assert {v: x.loops for v, x in first.results.items()} == {v: x.loops for v, x in second.results.items()}
    timed = sum(values.loops * sum(values.values) for values in second.results.values())
    assert timed < second.looped < 3 * timed


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("crashes", "crashed: SIGSEGV"),
        ("exits", "the process ended by itself with status 3"),
        ("hangs", "hung: no answer within 3 s"),
    ],
)
def test_a_worker_that_is_lost_loses_one_case(newest_bench: Bench, run: Run, name: str, reason: str) -> None:
    """The cases after it go on in a new process, and it is not tried again in the next round."""
    records = measure(newest_bench, run, bad(name), GOOD)
    assert lost(records) == [(f"bad.{name}", reason)]
    assert len(measured(records, "good")) == 2
    opened = [one for one in records if isinstance(one, journal.Opened)]
    assert len({one.process for one in opened}) == 3


def test_a_variant_that_raises_loses_itself_alone(newest_bench: Bench, run: Run) -> None:
    """The case's other variant is measured in both rounds; the failing one is told once and not tried again."""
    first, second = measured(measure(newest_bench, run, bad("raises", "python", "bindings")), "raises")
    assert first.failures == {"python": "ZeroDivisionError: on purpose"}
    assert second.failures == {}
    assert set(first.results) == set(second.results) == {"bindings"}


def test_a_call_that_fails_is_told_by_the_error_s_name(newest_bench: Bench, run: Run) -> None:
    """Not a time, not a traceback: CUDA's own name."""
    assert measured(measure(newest_bench, run, bad("fails", "bindings")), "fails")[0].failures == {
        "bindings": "CUDA_ERROR_INVALID_DEVICE"
    }


def test_what_a_version_lacks_is_no_failure(newest_bench: Bench, run: Run) -> None:
    """It is kept apart, with its reason."""
    block = measured(measure(newest_bench, run, bad("absent", "bindings")), "absent")[0]
    assert block.absent == {"bindings": "cuda.core 9.9 brings it"}
    assert not block.failures


def test_a_case_that_prints_disturbs_nothing(newest_bench: Bench, run: Run) -> None:
    """What it prints goes to the cell's log; the protocol has pipes of its own."""
    assert measured(measure(newest_bench, run, bad("prints")), "prints")[0].results
    log = run.log(newest_bench.cell.id).read_text()
    assert '{"results": {}}' in log
    assert "to standard error" in log


def test_a_forked_child_answers_for_nobody(newest_bench: Bench, run: Run) -> None:
    """Its copy of the worker ends where it comes back, so no answer belongs to another request."""
    records = measure(newest_bench, run, bad("forks"), bad("slow"), GOOD)
    assert all(min(one.results["python"].values) > 0.001 for one in measured(records, "slow"))
    assert len(measured(records, "good")) == 2


def test_who_writes_into_the_worker_s_pipe_loses_itself_alone(newest_bench: Bench, run: Run) -> None:
    """An answer that is not the worker's own is never taken for one."""
    records = measure(newest_bench, run, bad("talks"), GOOD)
    assert [case for case, _ in lost(records)] == ["bad.talks"]
    assert len(measured(records, "good")) == 2


def test_words_that_no_encoding_has_are_told_all_the_same(newest_bench: Bench, run: Run) -> None:
    """An error's text may hold anything."""
    assert measured(measure(newest_bench, run, bad("surrogate")), "surrogate")[0].failures == {"python": "ValueError: \\ud800"}


def test_an_interpreter_that_is_gone_loses_its_cell_alone(newest_bench: Bench, run: Run) -> None:
    """Not a bug of ours: the worker could not be started."""
    made = measurer(newest_bench, run)
    cell = newest_bench.cell
    made.setups[cell.id] = dataclasses.replace(made.setups[cell.id], python=run.directory / "gone")
    made.measure(next(rounds([cell], [GOOD], PROFILE, device="null", seed=1, max_padding=100)))
    ((case, reason),) = lost(run.records())
    assert case == ""
    assert "gone cannot be started: No such file" in reason


def test_a_loop_left_early_is_a_failure(newest_bench: Bench, run: Run) -> None:
    """Fewer turns than said would be a time too short."""
    block = measured(measure(newest_bench, run, bad("leaves_early")), "leaves_early")[0]
    assert block.failures == {"python": "the case left its loop before the last turn"}


@pytest.mark.parametrize(
    ("name", "dirt"),
    [
        ("leaks_thread", "the number of threads changed from"),
        ("replaces_clock", "the clock changed from"),
        ("leaks_context", "another context than the primary one is current"),
        ("leaks_capture", "a capture is open"),
        ("leaks_memory", "the default memory pool holds"),
        ("leaks_sticky_error", "the context holds a sticky error"),
    ],
)
def test_a_case_that_leaves_dirt_is_caught(newest_bench: Bench, run: Run, name: str, dirt: str) -> None:
    """It is told what it left behind, and the next case begins in a new process."""
    variant = "python" if name in {"leaks_thread", "replaces_clock"} else "bindings"
    records = measure(newest_bench, run, bad(name, variant), GOOD)
    (block,) = measured(records, name)
    assert dirt in block.dirt
    assert [one.dirt for one in measured(records, "good")] == ["", ""]
    assert block.process not in {one.process for one in measured(records, "good")}


def test_a_resumed_measurer_goes_on_where_it_stopped(newest_bench: Bench, run: Run) -> None:
    """Loops, failures and process numbers come back from the journal."""
    before = measure(newest_bench, run, bad("crashes"), bad("raises", "python", "bindings"), GOOD)
    again = measurer(newest_bench, run)
    again.recall(before)
    cell = newest_bench.cell.id
    assert again.attempts.given_up == {(cell, "bad.crashes")}
    assert again.attempts.failed == {(cell, "bad.raises", "python")}
    assert again.loops[cell, "bad.good", "python"] == measured(before, "good")[0].results["python"].loops
    assert again.attempts.processes == 1 + max(one.process for one in before if isinstance(one, journal.Opened))


def test_an_environment_that_is_not_the_cell_measures_nothing(newest_bench: Bench, run: Run) -> None:
    """Another version than the cell says: not one number under its name."""
    wrong = dataclasses.replace(newest_bench.cell, bindings="13.0.3")
    made = measurer(newest_bench, run)
    made.setups[wrong.id] = dataclasses.replace(made.setups[newest_bench.cell.id], cell=wrong)
    (process, *_rest) = rounds([wrong], [GOOD], PROFILE, device="null", seed=1, max_padding=100)
    made.measure(process)
    assert lost(run.records()) == [("", f"cuda-bindings is {newest_bench.cell.bindings} where 13.0.3 was asked for")]
    assert not measured(run.records(), "good")


def test_workers_get_a_cpu_and_keep_other_threads_free(newest_bench: Bench, run: Run) -> None:
    """The measuring thread is pinned to one CPU, which is recorded, the same in a round."""
    opened = [one for one in measure(newest_bench, run, GOOD) if isinstance(one, journal.Opened)]
    assert all(one.identity["affinity"] == [one.cpu] for one in opened)
