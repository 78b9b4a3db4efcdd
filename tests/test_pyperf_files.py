"""pyperf takes what we write."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pyperf
import pytest

from ctkmatrix.model import Burst, Sample
from ctkmatrix.pyperf_files import metadata, suite, suites
from tests.results_factory import results

if TYPE_CHECKING:
    from pathlib import Path

    from ctkmatrix.model import Results

METADATA = {"python_version": "3.14.1", "cpu_model_name": "a CPU", "ctkmatrix_cell": "c"}


def sample(case: str, variant: str, process: int, *values: float) -> Sample:
    """Return a sample with one warm-up."""
    return Sample("c", case, variant, process, process, 40, values, (3e-7,))


SAMPLES = {
    ("a.b", "core"): [sample("a.b", "core", 2, 2e-7, 2.1e-7), sample("a.b", "core", 0, 1e-7, 1.1e-7)],
    ("a.b", "native"): [sample("a.b", "native", 0, 1e-9, 1e-9), sample("a.b", "native", 2, 1e-9, 1.2e-9)],
}


def test_one_process_is_one_run(tmp_path: Path) -> None:
    """Names, values, loops and warm-ups come back as they were, in order of process."""
    path = tmp_path / "cell.json"
    path.write_bytes(suite(SAMPLES, METADATA))
    read = pyperf.BenchmarkSuite.load(str(path))
    assert read.get_benchmark_names() == ["a.b/core", "a.b/native"]
    first, second = read.get_benchmark("a.b/core").get_runs()
    assert (first.values, second.values) == ((1e-7, 1.1e-7), (2e-7, 2.1e-7))
    assert first.warmups == ((10, 3e-7),)
    assert first.get_metadata()["loops"] == 40
    assert read.get_metadata()["python_version"] == "3.14.1"


@pytest.mark.parametrize("command", [["stats"], ["hist"], ["show"], ["compare_to"]])
def test_pyperf_s_own_commands_take_the_file(tmp_path: Path, command: list[str]) -> None:
    """Users keep their tools."""
    path = tmp_path / "cell.json"
    path.write_bytes(suite(SAMPLES, METADATA))
    files = [str(path)] * (2 if command == ["compare_to"] else 1)
    done = subprocess.run([sys.executable, "-m", "pyperf", *command, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nothing_measured_is_an_error() -> None:
    """There is no empty file that looks like a result."""
    with pytest.raises(ValueError, match="no samples"):
        suite({("a.b", "core"): []}, METADATA)


def of_a_machine() -> Results:
    """Return results of 32 cells, of a machine that has a name."""
    whole = results()
    return replace(whole, manifest=replace(whole.manifest, machine=whole.manifest.machine | {"id": "5f1c"}))


def test_every_cell_with_a_time_has_a_file() -> None:
    """Of what was timed: not of a cell that did not run, nor of a share, which pyperf has no unit for."""
    whole = of_a_machine()
    first, *others = whole.cases
    whole = replace(whole, cases=(replace(first, unit="share"), *others))
    samples = {(one.cell, one.case, one.variant): [sample(one.case, one.variant, 0, 1e-7)] for one in whole.fields}
    files = suites(samples, whole)
    assert set(files) == {one.cell for one in whole.fields if one.time}
    assert len(files) < len(whole.cells)
    cell, file = next(iter(files.items()))
    names = set(pyperf.BenchmarkSuite.loads(file.decode()).get_benchmark_names())
    timed = {f"{one.case}/{one.variant}" for one in whole.fields if one.cell == cell and one.time}
    assert names == {name for name in timed if not name.startswith(f"{first.id}/")} < timed


def test_a_file_says_what_it_is_of() -> None:
    """Machine, device and interpreter under pyperf's own names where it has one; the burst where there was one."""
    whole = of_a_machine()
    cell = whole.cells[0].cell.id
    found = metadata(whole, cell)
    assert (found["ctkmatrix_cell"], found["ctkmatrix_run"]) == (cell, whole.manifest.run)
    assert (found["cpu_model_name"], found["hostname"]) == (whole.manifest.machine["cpu"], "5f1c")
    assert "ctkmatrix_burst" not in found
    drained = replace(whole, manifest=replace(whole.manifest, burst=Burst(128, cell)))
    assert metadata(drained, cell) == found | {"ctkmatrix_burst": "128"}
