"""``reports/``: written in one step, read back whole."""

from __future__ import annotations

import dataclasses
import os
import re
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import collected, results
from ctkmatrix.errors import MachineError, UsageError
from ctkmatrix.store import Store, free_bytes, replace
from tests.test_journal import BEGAN, MEASURED

if TYPE_CHECKING:
    from pathlib import Path

    from ctkmatrix import journal
    from ctkmatrix.model import Results


def test_a_run_is_named_by_time_and_a_short_id(tmp_path: Path) -> None:
    """Two runs of one second do not meet."""
    store = Store(tmp_path)
    names = {store.create().id for _ in range(5)}
    assert len(names) == 5
    assert all(re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{6}", name) for name in names)


def test_records_are_there_as_soon_as_they_are_appended(tmp_path: Path) -> None:
    """Another process sees each record at once: nothing waits in a buffer."""
    run = Store(tmp_path).create()
    records: list[journal.Record] = [BEGAN, MEASURED]
    for count, record in enumerate(records, start=1):
        run.append(record)
        assert len(run.records()) == count
    assert run.records() == records


def test_a_torn_last_line_is_mended(tmp_path: Path) -> None:
    """What a full disk or a crash cut off goes; the next record begins a line of its own, and all others stay."""
    run = Store(tmp_path).create()
    run.append(BEGAN)
    run.append(MEASURED)
    path = run.directory / "journal.jsonl"
    path.write_bytes(path.read_bytes()[:-7])
    run.mend()
    run.append(MEASURED)
    assert run.records() == [BEGAN, MEASURED]


def test_latest_points_to_the_newest_run(tmp_path: Path) -> None:
    """The link is replaced in one step, and relative: the directory can be moved."""
    store = Store(tmp_path)
    for _ in range(2):
        run = store.create()
        store.point_latest(run)
    assert (tmp_path / "latest").resolve() == run.directory.resolve()
    assert not (tmp_path / "latest").readlink().is_absolute()


def test_a_run_is_found_by_its_name_or_the_start_of_it(tmp_path: Path) -> None:
    """Nobody types a whole id; a start that two runs share is told."""
    store = Store(tmp_path)
    first, second = store.create(), store.create()
    for run in (first, second):
        run.append(BEGAN)
    assert store.find(first.id).id == first.id
    assert store.find("latest").id == max(first.id, second.id)
    with pytest.raises(UsageError, match="2 runs begin with"):
        store.find(first.id[:4])
    with pytest.raises(UsageError, match="no run is called 'nonsense'"):
        store.find("nonsense")


def test_a_misspelt_run_gets_a_suggestion(tmp_path: Path) -> None:
    """One wrong digit is pointed out."""
    store = Store(tmp_path)
    run = store.create()
    run.append(BEGAN)
    with pytest.raises(UsageError, match=f"perhaps you meant «{run.id}»"):
        store.find(run.id[:-1] + "x")


def test_what_cannot_be_written_is_the_machine_s_fault(tmp_path: Path) -> None:
    """A file where a directory is needed: one message that names it, exit 13."""
    (tmp_path / "runs").write_text("")
    with pytest.raises(MachineError, match="runs"):
        Store(tmp_path).create()
    with pytest.raises(MachineError, match="cannot be written"):
        replace(tmp_path / "runs" / "file", b"")


def test_results_of_another_schema_are_refused(tmp_path: Path) -> None:
    """A file that is no results is told by its path."""
    run = Store(tmp_path).create()
    (run.directory / "results.json").write_text("{}")
    with pytest.raises(UsageError, match=r"results\.json: no readable results"):
        run.results()
    run.write_results(dataclasses.replace(small(), schema=99), {})
    with pytest.raises(UsageError, match="schema 99, and this ctkmatrix reads 1"):
        run.results()


def small() -> Results:
    """Return results without cells."""
    return results.assemble(collected.collect([BEGAN]), (), (), 1e-6)


def test_free_space_is_told_for_directories_to_come(tmp_path: Path) -> None:
    """The build directory need not be there yet."""
    assert free_bytes(tmp_path / "not" / "there") > 0


def test_the_last_words_of_a_cell_are_the_end_of_its_log(tmp_path: Path) -> None:
    """Its last lines, of one endless line the end; a cell that printed nothing, or has no log, says nothing."""
    run = Store(tmp_path).create()
    run.log("many").write_text("".join(f"line {number}\n" for number in range(1000)) + "\n", encoding="utf-8")
    run.log("endless").write_bytes(b"\xff" * 100_000)
    run.log("silent").touch()
    said = run.last_words(["many", "endless", "silent", "none"])
    assert said.keys() == {"many", "endless"}
    assert said["many"].splitlines() == [f"line {number}" for number in range(980, 1000)]
    assert said["endless"] == "\N{REPLACEMENT CHARACTER}" * 4000


def test_a_run_is_measured_by_one_at_a_time(tmp_path: Path) -> None:
    """Whoever resumes what is being measured is told so; what ended lets go."""
    run = Store(tmp_path).create()
    run.append(BEGAN)
    run.hold()
    other = Store(tmp_path).find(run.id)
    with pytest.raises(UsageError, match="is being measured by another process"):
        other.hold()
    os.close(run._held)
    other.hold()
    os.close(other._held)
