"""A run's manifest, as facts for the page: under names, and with units, for people. Pure.

Device and machine are JSON-like trees whose keys their writers choose: a leaf that has no name here is shown by its key.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from ctkmatrix.model import Metric
from ctkmatrix.page import Fact, FactGroup
from ctkmatrix.provenance import UNKNOWN, drained, flat, groups, leaf, profile
from ctkmatrix.quantities import ELLIPSIS, NANO, THIN, duration, moment, number, percent
from ctkmatrix.telemetry import reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ctkmatrix.model import Manifest

    Say = Callable[[Any], str]
    Names = Mapping[str, tuple[str, Say]]

MEASURED = {Metric.TIME: "time", Metric.INSTRUCTIONS: "instructions", Metric.BOTH: "time and instructions"}

OF_A_GPU = ("architecture", "uuid", "libcuda", "driver_cuda", "pci", "visible", "driver_model")
"""What says nothing where there is no GPU."""


def manifest(run: Manifest) -> tuple[FactGroup, ...]:
    """Everything that the manifest says, by subject."""
    gone = OF_A_GPU if run.device_kind == "null" else ()
    device = {"kind": run.device_kind, **{key: value for key, value in run.device.items() if key not in gone}}
    return (
        FactGroup("Measurement", _run(run)),
        FactGroup("Device", tuple(_told(device, DEVICE))),
        FactGroup("Machine", tuple(_told(run.machine, MACHINE))),
        FactGroup("Harness", tuple(_told(run.harness, HARNESS))),
        *groups({"Orchestrator": run.orchestrator}),
        *(groups({"Counter of instructions": run.counter}) if run.counter else ()),
    )


def _run(run: Manifest) -> tuple[Fact, ...]:
    return (
        Fact("Run", run.run),
        Fact("Status", run.status),
        Fact("Started", moment(run.started)),
        Fact("Finished", moment(run.finished) or UNKNOWN),
        Fact("Arguments", " ".join(run.arguments) or "none"),
        Fact("Measured", MEASURED[run.metric]),
        Fact("Profile", profile(run)),
        Fact("Seed", str(run.seed)),
        Fact("Wall time", duration(run.wall_seconds)),
        *(_timed(run) if run.metric is not Metric.INSTRUCTIONS else ()),
    )


def _timed(run: Manifest) -> tuple[Fact, ...]:
    """Say what the workers that measured time did with it."""
    return (
        Fact("Workers' time", duration(run.worker_seconds)),
        Fact("Share of it inside timed loops", UNKNOWN if run.timed_share is None else percent(run.timed_share)),
        *([Fact("Asynchronous cases", drained(run.burst))] if run.burst else []),
    )


def _told(tree: Mapping[str, object], names: Names) -> Iterator[Fact]:
    for key, value in flat("", tree):
        name, say = names.get(key, (key, leaf))
        yield Fact(name, say(value))


def _measured(say: Callable[[float], str]) -> Say:
    """Say a number by *say*; where NVML could not tell, there is a text in its place, which is shown as it is."""
    return lambda value: say(value) if isinstance(value, (int, float)) else leaf(value)


def _in(unit: str, scale: float = 1.0) -> Say:
    return _measured(lambda value: f"{number(value / scale, 4)}{THIN}{unit}")


def _capability(digits: object) -> str:
    return f"{digits[:-1]}.{digits[-1]}" if isinstance(digits, str) and digits.isdecimal() else leaf(digits)


def _loads(value: object) -> str:
    loads = value if isinstance(value, (list, tuple)) else [value]
    return ", ".join(number(each) if isinstance(each, (int, float)) else leaf(each) for each in loads)


def _ranges(cpus: object) -> str:
    """Say which CPUs: ``0 … 15``."""
    if not isinstance(cpus, (list, tuple)):
        return leaf(cpus)
    runs = [[cpu for _, cpu in run] for _, run in groupby(enumerate(sorted(cpus)), key=lambda each: each[1] - each[0])]
    return ", ".join(f"{run[0]} {ELLIPSIS} {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs) or leaf(cpus)


_switch = _measured(lambda value: "on" if value else "off")
_reasons = _measured(lambda bits: ", ".join(reasons(int(bits))) or "no reason")
_span = _measured(duration)
_below = _measured(lambda nanoseconds: duration(nanoseconds / NANO) if nanoseconds else "never")
_mhz = _in("MHz")

DEVICE: Names = {
    "kind": ("Kind", lambda kind: {"gpu": "GPU", "null": "null driver, no GPU"}.get(kind, leaf(kind))),
    "name": ("Name", leaf),
    "architecture": ("Compute capability", _capability),
    "uuid": ("UUID", leaf),
    "libcuda": ("Driver's library", leaf),
    "driver_cuda": ("CUDA version of the driver", leaf),
    "pci": ("PCI address", leaf),
    "visible": ("CUDA_VISIBLE_DEVICES of the workers", leaf),
    "driver_model": ("Driver model", leaf),
    "telemetry.load": ("Load average before the run", _loads),
    "telemetry.cpu.busy": ("CPU time used until then, by all", _span),
    "telemetry.cpu.ours": ("CPU time used until then, by ctkmatrix", _span),
    "telemetry.cpu.clock": ("The system had run for", _span),
    "telemetry.gpu.driver": ("Driver", leaf),
    "telemetry.gpu.sm_clock": ("SM clock before the run", _mhz),
    "telemetry.gpu.sm_clock_max": ("Highest SM clock", _mhz),
    "telemetry.gpu.applications_clock": ("Applications clock of the SMs", _mhz),
    "telemetry.gpu.applications_clock_default": ("Applications clock, by default", _mhz),
    "telemetry.gpu.memory_clock": ("Memory clock before the run", _mhz),
    "telemetry.gpu.temperature": ("Temperature before the run", _in("\N{DEGREE SIGN}C")),
    "telemetry.gpu.power": ("Power before the run", _in("W")),
    "telemetry.gpu.throttle_reasons": ("Low clocks before the run, by NVML", _reasons),
    "telemetry.gpu.power_violation": ("Time below its clocks for power, until then", _below),
    "telemetry.gpu.thermal_violation": ("Time below its clocks for heat, until then", _below),
    "telemetry.gpu.persistence": ("Persistence mode", _switch),
    "telemetry.gpu.processes": ("Processes on it before the run", leaf),
    "telemetry.gpu.mig": ("MIG", _switch),
    "telemetry.gpu.error": ("NVML says", leaf),
}
"""What ``device.Device`` and ``machine.telemetry`` call their parts: its name, and how its value is said."""

MACHINE: Names = {
    "id": ("Id", leaf),
    "cpu": ("CPU", leaf),
    "cpus": ("CPUs", leaf),
    "allowed_cpus": ("Allowed CPUs", _ranges),
    "governor": ("Frequency governor", leaf),
    "boost": ("Boost", leaf),
    "memory_bytes": ("Memory", _in("GiB", 2**30)),
    "system": ("System", leaf),
    "kernel": ("Kernel", leaf),
    "architecture": ("Architecture", leaf),
    "driver_model": ("Driver model", leaf),
    "libc": ("C library", leaf),
    "load": ("Load average over 1, 5 and 15 minutes", _loads),
}
"""The same of ``machine.describe``."""

HARNESS: Names = {"commit": ("Commit", leaf), "dirty": ("Changed since", leaf)}
"""The same of ``machine.harness``."""
