"""Where the numbers come from, in short and in full."""

from __future__ import annotations

from dataclasses import replace

from ctkmatrix import provenance
from ctkmatrix.model import Cell, CellResult, Metric, Outcome, Status
from ctkmatrix.page import Fact, FactGroup
from tests.results_factory import COMPILER, NO_PYTHON, counted, results


def test_the_short_form_of_a_cell() -> None:
    """Versions as people write them, in the order of the heads; the banner's flag is not repeated."""
    row = provenance.cell_row(results().cells[1])
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
    """The compilers stand there in full; hashes say what they are of, and those of nothing are left out."""
    details = {group.title: group.facts for group in provenance.cell_row(results().cells[1]).details}
    assert Fact("native.compiler", COMPILER) in details["native"]
    hashed = details["contents (SHA-256 of the wheel's RECORD lines)"]
    assert [fact.name for fact in hashed] == ["cuda-bindings", "cuda-core", "numpy"]
    assert "hashes" not in details


def test_one_compiler_for_host_code_and_kernels_is_said_once() -> None:
    """Where nvcc makes both, it is named once."""
    tree: dict[str, object] = {"native": {"native": {"compiler": "nvcc 13.5.37 with g++ 12.2.0"}}}
    tree["cubin"] = {"compiler": "nvcc 13.5.37 with g++ 12.2.0"}
    row = provenance.cell_row(replace(results().cells[0], provenance=tree))
    assert dict(zip(provenance.CELL_HEADS, row.values, strict=True))["Native baseline"] == "nvcc 13.5.37 with g++ 12.2.0"


def test_a_cell_without_provenance_has_no_holes() -> None:
    """What is not recorded reads as a dash; mark and reason say why."""
    row = provenance.cell_row(CellResult(Cell("13.0", "3.14", "13.0.3", None), Outcome(Status.NOT_RUN, NO_PYTHON)))
    assert set(row.values[:-1]) == {"–"}  # noqa: RUF001 -- the dash that is shown
    assert (row.state, row.reason, row.details) == ("not run", NO_PYTHON, ())


def test_every_leaf_of_a_tree_is_a_fact() -> None:
    """Branches are groups with dotted names, the rest is a last group; truth, lists and absence are words."""
    tree = {"a": {"b": {"c": 1}, "d": True, "e": None}, "lock": "9b", "cpus": [1, 2], "load": 0.97021484375, "none": {}}
    assert provenance.groups(tree) == (
        FactGroup("a", (Fact("b.c", "1"), Fact("d", "yes"), Fact("e", "–"))),  # noqa: RUF001 -- the dash that is shown
        FactGroup("Other", (Fact("lock", "9b"), Fact("cpus", "1, 2"), Fact("load", "0.9702"), Fact("none", "none"))),
    )


def test_the_manifest_by_subject() -> None:
    """Run, device, machine, harness and orchestrator each have their group."""
    said = provenance.manifest(results().manifest)
    groups = {group.title: {fact.name: fact.value for fact in group.facts} for group in said}
    assert list(groups) == ["Measurement", "Device", "Machine", "Harness", "Orchestrator"]
    run = groups["Measurement"]
    assert (run["Seed"], run["Wall time"]) == ("1234567", "9 min 12 s")
    assert run["Share of it inside timed loops"] == "63.4\N{NARROW NO-BREAK SPACE}%"
    assert groups["Harness"] == {"commit": "4f0c1d2e", "dirty": "no"}


def test_what_a_device_says_of_itself_is_shown() -> None:
    """The driver's model is a fact like any other."""
    run = replace(results().manifest, device={"name": "null driver", "driver_model": "none (Linux)"})
    (device,) = (group for group in provenance.manifest(run) if group.title == "Device")
    assert Fact("driver_model", "none (Linux)") in device.facts


def test_the_device_is_named() -> None:
    """A GPU with its driver; a device without a name by its kind."""
    assert provenance.device(results(device_kind="gpu").manifest) == "NVIDIA H200, driver 590.44.01"
    assert provenance.device(replace(results().manifest, device={})) == "null driver, no GPU"


def test_a_run_that_counted_says_nothing_of_time() -> None:
    """Its profile is a number of processes, what counted is named, and flags of time do not show."""
    these = counted(processes=5)
    groups = {group.title: {fact.name: fact.value for fact in group.facts} for group in provenance.manifest(these.manifest)}
    run = groups["Measurement"]
    assert (run["Measured"], run["Profile"]) == ("instructions", "count: 5 processes a cell")
    assert not any("time" in name for name in run if name != "Wall time")
    assert groups["Counter of instructions"] == {"valgrind": "3.19.0"}
    cell = these.cells[1]
    assert provenance.cell_row(cell, Metric.INSTRUCTIONS).flags == ("interpreter build", "no nvcc")
    assert "few processes" in provenance.cell_row(cell, Metric.BOTH).flags
