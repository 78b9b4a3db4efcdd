"""Where the numbers come from, in short and in full."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ctkmatrix import provenance
from ctkmatrix.model import Cell, CellResult, Metric, Outcome, Range, Status, Work
from ctkmatrix.page import Fact, FactGroup, Package
from tests.results_factory import COMPILER, EMPTY, NO_PYTHON, counted, results

if TYPE_CHECKING:
    from ctkmatrix.model import Results
    from ctkmatrix.page import CellRow


def row_of(these: Results, place: int) -> CellRow:
    """Return what is said of the cell at *place*."""
    return provenance.cell_row(these.cells[place], these.manifest)


def measurement(these: Results, cell: CellResult) -> dict[str, str]:
    """Return what is said of the measuring of *cell*."""
    group = provenance.cell_row(cell, these.manifest).details[0]
    assert group.title == "Measurement"
    return {fact.name: fact.value for fact in group.facts}


def test_the_short_form_of_a_cell() -> None:
    """Versions as people write them, in the order of the heads; the banner's flag is not repeated."""
    row = row_of(results(), 1)
    assert dict(zip(provenance.CELL_HEADS, row.values, strict=True)) == {
        "Interpreter": "3.12.4",
        "Build": "unknown",
        "numpy": "2.4.1",
        "Native baseline": "g++ 12.2.0 + NVRTC 12.9",
        "libcuda": "12.9",
        "NVRTC": "12.9",
        "Processes": "12",
    }
    assert row.flags == ("interpreter build", "no nvcc")


def test_the_details_keep_what_the_short_form_leaves_out() -> None:
    """In the order of reading; the compilers are named in full."""
    details = {group.title: group.facts for group in row_of(results(), 1).details}
    assert list(details) == ["Measurement", "Interpreter", "Native baselines", "Kernels", "Libraries really loaded", "Other"]
    assert Fact("native.compiler", COMPILER) in details["Native baselines"]
    assert Fact("SHA-256 of the lock", "9b1f0c") in details["Other"]


def test_every_package_has_its_version_and_hash() -> None:
    """That of nothing is left out."""
    these = results()
    tree: dict[str, object] = {
        "packages": {"numpy": "2.4.1", "cuda-toolkit": "13.0.1"},
        "hashes": {"numpy": "5" * 64, "cuda-toolkit": EMPTY},
    }
    row = provenance.cell_row(replace(these.cells[1], provenance=tree), these.manifest)
    assert row.packages == (Package("cuda-toolkit", "13.0.1", ""), Package("numpy", "2.4.1", "5" * 64))


def test_a_cell_says_what_its_workers_did_and_met() -> None:
    """Device and driver, time and its timed share, load; over a GPU clocks, heat, power and why clocks were low."""
    readings = {"load": Range(0.42, 3.1), "sm_clock": Range(1980, 1980), "temperature": Range(41, 47), "power": Range(118, 221.3)}
    these = results(device_kind="gpu")
    work = Work(400.0, 300.0, 0.0, readings, ("idle", "power cap"))
    facts = measurement(these, replace(these.cells[1], work=work))
    thin = "\N{NARROW NO-BREAK SPACE}"
    assert facts == {
        "Device": "NVIDIA H200, driver 590.44.01",
        "Processes": "12",
        "Workers' time": "6 min 40 s",
        "Share of it inside timed loops": f"75{thin}%",
        "Load average": "0.42 … 3.10",
        "SM clock": f"1{thin}980{thin}MHz",
        "Temperature": f"41 … 47{thin}°C",
        "Power": f"118 … 221.3{thin}W",
        "Low clocks, by NVML": "idle, power cap",
    }
    assert measurement(these, replace(these.cells[1], work=replace(work, throttled=())))["Low clocks, by NVML"] == "never"


def test_counting_takes_time_too() -> None:
    """Where instructions alone were counted, nothing is said of timed loops."""
    these = counted()
    assert measurement(these, replace(these.cells[1], work=Work(counting=90.0))) == {
        "Device": "null driver",
        "Processes": "5",
        "Counting workers' time": "1 min 30 s",
    }


def test_a_cell_says_what_failed_and_how_its_log_ends() -> None:
    """Those of one reason together; what does not apply is no failure, and a cell that did not run has said it."""
    these = results()
    cell = next(result for result in these.cells if result.cell.id == "cu13.5-py3.14-b13.5.0-c1.2.2")
    own = [field for field in these.fields if field.cell == cell.cell.id]
    row = provenance.cell_row(cell, these.manifest, own, "last words")
    assert [(one.mark, one.what.text) for one in row.failures] == [
        ("failed", "launch.empty/core"),
        ("failed", "nvrtc.compile/native, nvrtc.compile/bindings, nvrtc.compile/core"),
    ]
    assert row.failures[1].reason == "no answer in 60 s: the worker was ended"
    assert row.log == "last words"
    away = next(result for result in these.cells if result.outcome.reason == NO_PYTHON)
    own = [field for field in these.fields if field.cell == away.cell.id]
    assert provenance.cell_row(away, these.manifest, own).failures == ()


def test_one_compiler_for_host_code_and_kernels_is_said_once() -> None:
    """Where nvcc makes both, it is named once."""
    tree: dict[str, object] = {"native": {"native": {"compiler": "nvcc 13.5.37 with g++ 12.2.0"}}}
    tree["cubin"] = {"compiler": "nvcc 13.5.37 with g++ 12.2.0"}
    these = results()
    row = provenance.cell_row(replace(these.cells[0], provenance=tree), these.manifest)
    assert dict(zip(provenance.CELL_HEADS, row.values, strict=True))["Native baseline"] == "nvcc 13.5.37 with g++ 12.2.0"


def test_a_cell_without_provenance_has_no_holes() -> None:
    """What is not recorded reads as a dash; mark and reason say why."""
    away = CellResult(Cell("13.0", "3.14", "13.0.3", None), Outcome(Status.NOT_RUN, NO_PYTHON))
    row = provenance.cell_row(away, results().manifest)
    assert set(row.values[:-1]) == {"–"}  # noqa: RUF001 -- the dash that is shown
    assert (row.state, row.reason, row.details) == ("not run", NO_PYTHON, ())


def test_every_leaf_of_a_tree_is_a_fact() -> None:
    """Branches are groups with dotted names, the rest is a last group; truth, lists and absence are words."""
    tree = {"a": {"b": {"c": 1}, "d": True, "e": None}, "lock": "9b", "cpus": [1, 2], "load": 0.97021484375, "none": {}}
    assert provenance.groups(tree) == (
        FactGroup("a", (Fact("b.c", "1"), Fact("d", "yes"), Fact("e", "–"))),  # noqa: RUF001 -- the dash that is shown
        FactGroup("Other", (Fact("lock", "9b"), Fact("cpus", "1, 2"), Fact("load", "0.9702"), Fact("none", "none"))),
    )


def test_the_device_is_named() -> None:
    """A GPU with its driver; a device without a name by its kind."""
    assert provenance.device(results(device_kind="gpu").manifest) == "NVIDIA H200, driver 590.44.01"
    assert provenance.device(replace(results().manifest, device={})) == "null driver, no GPU"


def test_flags_of_time_are_none_of_a_cell_that_counted() -> None:
    """They show where time was measured too."""
    assert row_of(counted(processes=5), 1).flags == ("interpreter build", "no nvcc")
    assert "few processes" in row_of(results(processes=5, metric=Metric.BOTH), 1).flags


def test_a_device_that_is_not_there_is_not_described() -> None:
    """What the null driver answers of one is left out of a cell's facts; a GPU's stands there."""
    tree: dict[str, object] = {"device": {"name": "Null Device", "architecture": "90"}}
    for kind, wanted in (("null", []), ("gpu", ["Device, as the driver calls it"])):
        these = results(device_kind=kind)
        details = provenance.cell_row(replace(these.cells[0], provenance=tree), these.manifest).details
        assert [group.title for group in details[1:]] == wanted
