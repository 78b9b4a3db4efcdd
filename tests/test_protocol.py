"""What a worker says: that it is its cell, and what its answers are worth. Real workers are opened in the tests of `measure`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from ctkmatrix import journal
from ctkmatrix.model import Cell
from ctkmatrix.plan import Process
from ctkmatrix.protocol import block, differences
from ctkmatrix.workers import Launch, WorkerLost, WorkerProcess

if TYPE_CHECKING:
    from pathlib import Path

CELL = Cell("13.5", "3.14t", "13.5.0", None)
PROCESS = Process(CELL, 2, (), 0)
COMMON = {"id": 3, "uptime": 1.5, "failures": {"core": "it is not here", "cupy": "ValueError"}, "not_applicable": ["core"]}
TIMED = COMMON | {"results": {"native": {"loops": 10, "values": [1e-6, 2], "warmups": [3e-6]}}, "dirt": "", "looped": 0.5}
COUNTED = COMMON | {"results": {"native": {"turns": 10, "instructions": 7, "blocks": 2, "settled": True}}, "dirt": "a capture"}


def test_free_threaded_and_default_builds_never_pass_for_each_other() -> None:
    """3.14t is not 3.14."""
    identity = {
        "python": {"minor": "3.14"},
        "packages": {"cuda-bindings": "13.5.0"},
        "libraries": {"nvrtc": {"version": "13.5"}},
    }
    assert differences(CELL, identity) == "Python is 3.14 where 3.14t was asked for"


def test_times_become_a_record() -> None:
    """Of the process that was asked; what is not in a version is parted from what failed."""
    assert block(journal.Measured, PROCESS, 7, "a.b", TIMED) == journal.Measured(
        cell=CELL.id,
        process=7,
        round=2,
        case="a.b",
        results={"native": journal.Values(10, (1e-6, 2.0), (3e-6,))},
        failures={"cupy": "ValueError"},
        absent={"core": "it is not here"},
        looped=0.5,
    )


def test_counts_become_a_record() -> None:
    """Likewise, with the dirt that was left."""
    found = block(journal.Counted, PROCESS, 7, "a.b", COUNTED)
    assert found.results == {"native": journal.Instructions(10, 7.0, settled=True)}
    assert (found.failures, found.absent, found.dirt) == ({"cupy": "ValueError"}, {"core": "it is not here"}, "a capture")


@pytest.mark.parametrize("lacking", ["results", "failures", "not_applicable", "dirt", "looped"])
def test_an_answer_that_lacks_something_is_none(lacking: str) -> None:
    """Nothing is taken for granted."""
    answer = {name: value for name, value in TIMED.items() if name != lacking}
    with pytest.raises(WorkerLost, match=f"makes no sense: KeyError.*{lacking}"):
        block(journal.Measured, PROCESS, 7, "a.b", answer)


@pytest.mark.parametrize("values", [["fast"], 1e-6, None])
def test_values_that_are_no_numbers_are_no_answer(values: Any) -> None:
    """Nor is a single number."""
    wrong = TIMED | {"results": {"native": {"loops": 10, "values": values, "warmups": []}}}
    with pytest.raises(WorkerLost, match="makes no sense"):
        block(journal.Measured, PROCESS, 7, "a.b", wrong)


def test_a_worker_that_answers_with_an_error_is_lost(tmp_path: Path) -> None:
    """In its own words."""
    launch = Launch(tmp_path / "python", tmp_path / "log", {}, padding=0, under=(sys.executable, "-I"))
    with WorkerProcess(launch) as worker, pytest.raises(WorkerLost, match=r"AttributeError: .*no attribute 'sing'"):
        worker.ask({"op": "sing"}, 30)
