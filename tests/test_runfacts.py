"""A run's manifest under names for people, with units."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ctkmatrix import runfacts
from ctkmatrix.model import Burst, Metric
from ctkmatrix.quantities import THIN
from tests.results_factory import counted, results

CPU = {"busy": 28.46, "ours": 3.73, "clock": 20877.7}
GPU: dict[str, Any] = {
    "driver": "580.159.04",
    "sm_clock": 345,
    "sm_clock_max": 1980,
    "applications_clock": "Not Supported",
    "memory_clock": 3201,
    "temperature": 37,
    "power": 80.801,
    "throttle_reasons": 5,
    "power_violation": 2_000_000_000,
    "thermal_violation": 0,
    "persistence": 1,
    "processes": 0,
    "mig": 0,
}


def groups(kind: str = "gpu", metric: Metric = Metric.TIME, **changed: object) -> dict[str, dict[str, str]]:
    """Return what is said of a manifest of which something was *changed*, by group and name."""
    run = replace(results(device_kind=kind, metric=metric).manifest, **changed)  # type: ignore[arg-type]
    return {group.title: {fact.name: fact.value for fact in group.facts} for group in runfacts.manifest(run)}


def test_the_manifest_by_subject() -> None:
    """Run, device, machine, harness and orchestrator each have their group."""
    said = groups()
    assert list(said) == ["Measurement", "Device", "Machine", "Harness", "Orchestrator"]
    run = said["Measurement"]
    assert (run["Seed"], run["Wall time"]) == ("1234567", "9 min 12 s")
    assert run["Share of it inside timed loops"] == f"63.4{THIN}%"
    assert said["Harness"] == {"Commit": "4f0c1d2e", "Changed since": "no"}


def test_telemetry_has_names_and_units() -> None:
    """Clocks in MHz, heat, power, NVML's bits in words, counters as durations; what NVML could not tell is shown as it is."""
    device = {"kind": "gpu", "architecture": "90", "telemetry": {"load": 1.46582, "cpu": CPU, "gpu": GPU}}
    assert groups(device=device)["Device"] == {
        "Kind": "GPU",
        "Compute capability": "9.0",
        "Load average before the run": "1.47",
        "CPU time used until then, by all": "28.5 s",
        "CPU time used until then, by ctkmatrix": "3.73 s",
        "The system had run for": "5 h 47 min",
        "Driver": "580.159.04",
        "SM clock before the run": f"345{THIN}MHz",
        "Highest SM clock": f"1{THIN}980{THIN}MHz",
        "Applications clock of the SMs": "Not Supported",
        "Memory clock before the run": f"3{THIN}201{THIN}MHz",
        "Temperature before the run": f"37{THIN}°C",
        "Power before the run": f"80.80{THIN}W",
        "Low clocks before the run, by NVML": "idle, power cap",
        "Time below its clocks for power, until then": "2 s",
        "Time below its clocks for heat, until then": "never",
        "Persistence mode": "on",
        "Processes on it before the run": "0",
        "MIG": "off",
    }


def test_nothing_is_said_of_a_gpu_that_is_not_there() -> None:
    """The architecture that the null driver answers with is no GPU's."""
    null = {"kind": "null", "name": "null driver", "architecture": "90", "uuid": "", "pci": "", "driver_model": "none (Linux)"}
    device = groups("null", device=null | {"telemetry": {"load": 0.5, "cpu": CPU}})["Device"]
    assert list(device.values()) == ["null driver, no GPU", "null driver", "0.50", "28.5 s", "3.73 s", "5 h 47 min"]


def test_the_machine_has_names_and_units() -> None:
    """Memory in GiB, CPUs as ranges, loads to three digits; what has no name here is shown by its key."""
    machine = {"cpus": 16, "allowed_cpus": [0, 1, 2, 5], "memory_bytes": 135128870912, "load": [1.46582, 0.0], "shoe": 9}
    assert groups(machine=machine)["Machine"] == {
        "CPUs": "16",
        "Allowed CPUs": "0 … 2, 5",
        "Memory": f"125.8{THIN}GiB",
        "Load average over 1, 5 and 15 minutes": "1.47, 0",
        "shoe": "9",
    }


def test_the_driver_model_is_told() -> None:
    """A GPU's, like any other fact of it."""
    assert groups(device={"kind": "gpu", "driver_model": "WDDM"})["Device"]["Driver model"] == "WDDM"


def test_a_run_that_counted_says_nothing_of_time() -> None:
    """Its profile is a number of processes, and what counted is named."""
    said = {group.title: {fact.name: fact.value for fact in group.facts} for group in runfacts.manifest(counted(5).manifest)}
    run = said["Measurement"]
    assert (run["Measured"], run["Profile"]) == ("instructions", "count: 5 processes a cell")
    assert not any("time" in name for name in run if name != "Wall time")
    assert said["Counter of instructions"] == {"valgrind": "3.19.0"}


def test_the_page_says_how_asynchronous_cases_were_drained() -> None:
    """The length of bursts; with the reason where it is but the shortest; nothing where no such case was timed."""
    said = [groups(burst=burst)["Measurement"].get("Asynchronous cases") for burst in (None, Burst(256, "c", "native"))]
    assert said == [None, "in bursts of 256, drained between them"]
    shortest = groups(burst=Burst(64, "c", reason="why"))["Measurement"]["Asynchronous cases"]
    assert shortest == "in bursts of 64, drained between them; why"
