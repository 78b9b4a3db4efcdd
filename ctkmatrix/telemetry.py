"""What is read around each worker's life -> what the workers of a cell did and met. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pynvml

from ctkmatrix.model import Range, Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctkmatrix import journal

GPU = ("sm_clock", "memory_clock", "temperature", "power")
"""What is told of a GPU's readings, in NVML's units but power, which is in W."""

REASONS = {
    pynvml.nvmlClocksThrottleReasonGpuIdle: "idle",
    pynvml.nvmlClocksThrottleReasonApplicationsClocksSetting: "applications clock",
    pynvml.nvmlClocksThrottleReasonDisplayClockSetting: "display clock",
    pynvml.nvmlClocksThrottleReasonSyncBoost: "sync boost",
    pynvml.nvmlClocksThrottleReasonSwPowerCap: "power cap",
    pynvml.nvmlClocksThrottleReasonSwThermalSlowdown: "heat, by the driver",
    pynvml.nvmlClocksThrottleReasonHwThermalSlowdown: "heat, by the hardware",
    pynvml.nvmlClocksThrottleReasonHwPowerBrakeSlowdown: "power brake",
    pynvml.nvmlClocksThrottleReasonHwSlowdown: "slowdown by the hardware",
}
"""NVML's bits, in words."""


def work(opened: Iterable[journal.Opened], closed: Sequence[journal.Closed], counting: float) -> Work:
    """Sum up the workers of a cell, from the records of those that measured time.

    counting
        Seconds of those that counted instructions.
    """
    taken = [*(record.telemetry for record in opened), *(record.telemetry for record in closed)]
    gpus = [gpu for reading in taken if isinstance(gpu := reading.get("gpu"), dict)]
    named = {"load": _range(taken, "load"), **{name: _range(gpus, name) for name in GPU}}
    return Work(
        seconds=sum(record.lifetime for record in closed),
        looped=sum(record.looped for record in closed),
        counting=counting,
        readings={name: found for name, found in named.items() if found},
        throttled=_throttled(gpus),
    )


def _range(readings: Iterable[dict[str, Any]], name: str) -> Range | None:
    """Return the bounds of what was read as *name*; where NVML could not tell, there is a text in its place."""
    found = [float(value) for reading in readings if isinstance(value := reading.get(name), (int, float))]
    return Range(min(found), max(found)) if found else None


def _throttled(gpus: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    bits = 0
    for gpu in gpus:
        bits |= found if isinstance(found := gpu.get("throttle_reasons"), int) else 0
    return reasons(bits)


def reasons(bits: int) -> tuple[str, ...]:
    """Say why NVML says that clocks are low."""
    unknown = bits & ~sum(REASONS)
    return (*(word for bit, word in REASONS.items() if bits & bit), *([f"reason {unknown:#x}"] if unknown else []))
