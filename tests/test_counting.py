"""The counting of processes, with real workers under a real callgrind. A case loses itself alone."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import callgrind, compilers, counts, device, journal
from ctkmatrix.counting import Counter, at_once
from ctkmatrix.model import Case, Variant
from ctkmatrix.plan import heaps
from ctkmatrix.store import Store
from tests.conftest import ROOT, Bench

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def case(id_: str, *variants: str) -> Case:
    """Return a case of the case set, or of tests/bad_cases."""
    return Case(id_, "", tuple(Variant(variant, ()) for variant in variants))


def counter(bench: Bench, tmp_path: Path, cases: str) -> Counter:
    """Return what counts *cases*, a directory."""
    setup = bench.workshop.setup(bench.cell, bench.environment, bench.baselines, bench.libcuda)
    setups = {bench.cell.id: dataclasses.replace(setup, cases=ROOT / cases)}
    tool = callgrind.find(bench.workshop.build / "native", compilers.host_compiler())
    return Counter(Store(tmp_path).create(), device.NULL, tool, setups, lambda _units, _what: None, block_limit=20)


def count(bench: Bench, tmp_path: Path, cases: str, processes: int, *wanted: Case) -> list[journal.Record]:
    """Count *wanted* in so many processes, in the order given, and return the journal."""
    made = counter(bench, tmp_path, cases)
    planned = [
        dataclasses.replace(process, blocks=tuple(sorted(process.blocks, key=lambda block: wanted.index(block.case))))
        for process in heaps([bench.cell], wanted, processes)
    ]
    made.count(planned)
    return made.run.records()


def counted(records: list[journal.Record]) -> list[journal.Counted]:
    """Return the blocks that were counted."""
    return [record for record in records if isinstance(record, journal.Counted)]


def test_counts_repeat_within_their_margin(newest_bench: Bench, tmp_path: Path) -> None:
    """Two heaps give nearly the same, native far fewer than Python, and the loop itself its few instructions."""
    records = count(
        newest_bench, tmp_path, "cases", 2, case("device.current", "native", "bindings"), case("loop.empty", "native")
    )
    first, second = (one for one in counted(records) if one.case == "device.current")
    for variant in ("native", "bindings"):
        one, other = first.results[variant], second.results[variant]
        assert one.settled
        assert one.instructions == pytest.approx(other.instructions, rel=counts.MARGIN, abs=2)
    assert 500 < first.results["bindings"].instructions < 5_000
    assert first.results["native"].instructions < 50
    empty = next(one for one in counted(records) if one.case == "loop.empty")
    assert empty.results["native"].instructions == pytest.approx(3, abs=2)
    assert {record.round for record in counted(records)} == {0, 1}


def test_whatever_a_case_does_it_loses_itself_alone(newest_bench: Bench, tmp_path: Path) -> None:
    """One that crashes, one that raises, one that a version lacks, one that leaves dirt: the good one is counted all the same."""
    records = count(
        newest_bench,
        tmp_path,
        "tests/bad_cases",
        1,
        case("bad.crashes", "python"),
        case("bad.raises", "python"),
        case("bad.absent", "bindings"),
        case("bad.leaks_context", "bindings"),
        case("bad.good", "bindings", "python"),
    )
    found = {one.case: one for one in counted(records)}
    assert set(found["bad.good"].results) == {"bindings", "python"}
    assert found["bad.raises"].failures == {"python": "ZeroDivisionError: on purpose"}
    assert found["bad.absent"].absent == {"bindings": "cuda.core 9.9 brings it"}
    assert found["bad.leaks_context"].dirt
    lost = [record for record in records if isinstance(record, journal.Lost)]
    assert [(record.case, record.reason) for record in lost] == [("bad.crashes", "crashed: SIGSEGV")]
    assert all(one.counted for one in records if isinstance(one, journal.Opened | journal.Closed))


def test_an_interrupt_ends_the_workers_and_writes_no_loss(newest_bench: Bench, tmp_path: Path) -> None:
    """Within seconds, while a worker hangs; what it was at is neither counted nor lost."""
    hangs = case("bad.hangs", "python")
    made = dataclasses.replace(counter(newest_bench, tmp_path, "tests/bad_cases"), block_limit=600)

    made.run.append(journal.Paused(at="", interrupted=True, wall=0.0))  # so that there is a journal to read

    def interrupt_once_open() -> None:
        while not any(isinstance(record, journal.Opened) for record in made.run.records()):
            time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt_once_open, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        made.count(list(heaps([newest_bench.cell], [hangs], 2)))
    assert not [record for record in made.run.records() if isinstance(record, journal.Lost | journal.Counted)]


def test_workers_are_no_more_than_cpus() -> None:
    """At least one, however little memory there is."""
    assert 1 <= at_once() <= len(os.sched_getaffinity(0))
