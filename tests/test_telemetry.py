"""What a cell's workers did and met."""

from __future__ import annotations

from typing import Any

import pynvml

from ctkmatrix import journal
from ctkmatrix.model import Range, Work
from ctkmatrix.telemetry import work
from tests.test_results import CELL, IDENTITY, OTHER, block, results


def opened(process: int, **telemetry: Any) -> journal.Opened:
    """Return the record of a worker that is ready."""
    return journal.Opened(cell=CELL.id, process=process, round=process, cpu=0, padding=0, identity=IDENTITY, telemetry=telemetry)


def closed(process: int, *, counted: bool = False, **telemetry: Any) -> journal.Closed:
    """Return the record of a worker that lived for 10 s and timed 8 of them."""
    return journal.Closed(cell=CELL.id, process=process, lifetime=10.0, looped=8.0, telemetry=telemetry, counted=counted)


def test_a_cell_has_the_time_of_its_own_workers() -> None:
    """Those that counted are summed apart, and no other cell has any of it."""
    measured = block(CELL, 0, native=1e-9)
    records: list[journal.Record] = [opened(0), measured, closed(0), opened(1), closed(1), closed(0, counted=True)]
    own, other = results(*records).cells
    assert (own.work.seconds, own.work.looped, own.work.counting) == (20.0, 16.0, 10.0)
    assert (other.cell, other.work) == (OTHER, Work())


def test_readings_are_told_by_their_bounds() -> None:
    """From starts and ends alike; what NVML could not tell is a text, and left out."""
    gpus: list[dict[str, Any]] = [{"sm_clock": 1980, "power": 118.5}, {"sm_clock": 345, "power": "Not Supported"}]
    found = work([opened(0, load=0.5, gpu=gpus[0])], [closed(0, load=3.0, gpu=gpus[1])], 0.0)
    assert found.readings == {"load": Range(0.5, 3.0), "sm_clock": Range(345, 1980), "power": Range(118.5, 118.5)}


def test_reasons_for_low_clocks_are_words() -> None:
    """All that were ever named, once each; a bit of a newer driver by its number."""
    bits = [pynvml.nvmlClocksThrottleReasonSwPowerCap, pynvml.nvmlClocksThrottleReasonGpuIdle | 1 << 40, "no permission"]
    found = work([opened(number, gpu={"throttle_reasons": each}) for number, each in enumerate(bits)], [], 0.0)
    assert found.throttled == ("idle", "power cap", "reason 0x10000000000")


def test_without_a_gpu_there_is_nothing_to_throttle() -> None:
    """Nor with one that cannot be asked."""
    assert work([opened(0, load=1.0)], [closed(0, gpu={"error": "unknown"})], 0.0).throttled == ()
