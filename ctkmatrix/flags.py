"""What weakens a number, told from what was measured and from the telemetry around it. Pure; nothing measured is left out.

What cannot be read (no counter, no permission) raises nothing, except where a flag's sentence says «or it is unknown».
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left, bisect_right
from functools import cache
from itertools import combinations
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np
import pynvml
from scipy import special

from ctkmatrix import stopping
from ctkmatrix.model import Flag
from ctkmatrix.probe.registry import NATIVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ctkmatrix import journal
    from ctkmatrix.model import Burst, Case, Cell, Estimate, Field

VERDICT_PROCESSES = 12

NORMAL = 1.4826
"""The median absolute deviation times this is normal data's standard deviation; one process in eight hardly moves it."""

NOISY_SPREAD = 0.10
"""Of the median: five times the relative half-width that profiles ask for by default, out of reach for a dozen processes."""

GROUP_PROCESSES = 2
GROUP_SHARE = 1 / 8
"""A mode has at least two processes and an eighth of all: what is rarer is an outlier, which the estimator cuts."""

GAP_SHARE = 0.25
"""Of the lower group's median. The modes that an H200's host showed lie half to once the time apart."""

GAP_SPREADS = 3.0
"""A gap of so many spreads within the wider group is no accident of one broad group: the tests hold how rarely that errs."""

DRIFT_PROCESSES = 8
"""With fewer, only a nearly perfect order would be significant."""

DRIFT_LEVEL = 0.01
DRIFT_MOVE = 0.03
"""Of the median, from the first round to the last: the default margin of a verdict, less is of no consequence."""

QUEUE_TIME = 10e-6
"""Seconds. An asynchronous call returns within a few µs (a native launch on an H200: 3 to 4); a full queue waits for the GPU."""

QUEUE_ALIKE = 0.05
"""Both languages wait for the same GPU, so that what Python adds disappears."""

NO_THROTTLE = (
    pynvml.nvmlClocksThrottleReasonGpuIdle
    | pynvml.nvmlClocksThrottleReasonApplicationsClocksSetting
    | pynvml.nvmlClocksThrottleReasonDisplayClockSetting
)
"""NVML's reasons that are no distress: nothing to do, and clocks that somebody chose (the run is the steadier for it).

All others lower the clocks below what was asked for, the power cap among them; so does a bit that a newer driver adds.
"""

CLOCK_MOVE = 0.05
"""Of the highest reading. Boost steps of 15 MHz (under 1 %) are no move; an idle H200 falls from 1,980 to 345 MHz."""

OTHER_CPUS = 0.5
"""CPUs that others kept busy, on average over a process. The housekeeping of a system at rest is far from it."""

OTHER_SHARE = 1 / 8
"""Of the processes: so many may be disturbed without moving the estimate."""


def of_points(rounds: Sequence[int], points: Sequence[float]) -> tuple[Flag, ...]:
    """Return the flags that a field's *points*, one a process, raise by themselves; *rounds* are theirs."""
    raised = ((Flag.NOISY, noisy(points)), (Flag.BIMODAL, bimodal(points)), (Flag.DRIFT, drifting(rounds, points)))
    return tuple(flag for flag, up in raised if up)


def suspect(rounds: NDArray[np.int_], points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which rows of *points*, each a field's, ``of_points`` has to look at, with the same row of *rounds*.

    Of all others it would return nothing; looking at every field of a large matrix takes ten seconds.
    """
    order = np.argsort(points, axis=1)
    ordered = np.take_along_axis(points, order, axis=1).T
    count = len(ordered)
    low, high, middle = ordered[0], ordered[-1], (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    quarter = (count - 1) // 4  # more than half of all points lie this far in, so that no median deviation is wider
    reach = np.maximum(middle - ordered[quarter], ordered[-1 - quarter] - middle)
    found: NDArray[np.bool_] = (NORMAL * reach > NOISY_SPREAD * middle) | (high - low >= GAP_SHARE * low)
    if count >= DRIFT_PROCESSES:
        places = 2 * np.arange(count) + 1 - count  # twice the ranks of rounds, and of points, about their mean
        found |= np.abs(places[order] @ places) / (places @ places) >= _critical(count)
        found |= (np.diff(rounds) <= 0).any(axis=1) | (np.diff(ordered, axis=0) == 0).any(axis=0)  # they have other ranks
    return found


def of_field(
    field: Field, native: Estimate | None, case: Case, began: journal.Began, burst: Burst | None = None
) -> tuple[Flag, ...]:
    """Return the flags of a *field* beside those of its points.

    native
        Its twin's time, ``None`` where it has none.
    burst
        That of the run, ``None`` where it has none.
    """
    if field.time is None:
        return ()
    raised, profile = [], began.profile
    if native and case.asynchronous and began.device["kind"] == "gpu" and queue_full(field.time.value, native.value):
        raised.append(Flag.QUEUE_FULL)
    if case.asynchronous and burst and burst.reason:
        raised.append(Flag.BURST_UNPROVEN)
    aimed = profile.max_processes > profile.processes and case.unit == "time"
    if aimed and not stopping.reached(profile, field):
        raised.append(Flag.TARGET_NOT_REACHED)
    return tuple(raised)


def of_cell(
    cell: Cell,
    began: journal.Began,
    prepared: journal.Prepared | None,
    opened: Sequence[journal.Opened],
    closed: Sequence[journal.Closed],
) -> tuple[Flag, ...]:
    """Return the flags of a *cell*; what tells of measuring is raised only where a worker opened."""
    measured, gpu = bool(opened), began.device["kind"] == "gpu"
    interpreter = opened[0].identity["python"] if opened else {}
    native = (prepared.native if prepared else {}).get(NATIVE, {})
    lives = _lives(opened, closed)
    readings = [reading for life in lives for reading in life]
    raised = {
        Flag.NULL_DRIVER: began.device["kind"] == "null",
        Flag.FEW_PROCESSES: measured and began.profile.processes < VERDICT_PROCESSES,
        Flag.FREE_THREADED: cell.python.endswith("t"),
        Flag.INTERPRETER_BUILD: measured and interpreter.get("optimised") != "yes",
        Flag.NO_NVCC: bool(native) and not native.get("nvcc"),
        Flag.THROTTLED: gpu and (any(map(throttled, readings)) or any(slowed(*life) for life in lives)),
        Flag.CLOCKS_UNLOCKED: gpu and measured and unlocked(began.device.get("telemetry", {}), readings),
        Flag.GOVERNOR: measured and began.machine.get("governor") != "performance",
        Flag.OTHER_LOAD: sum(disturbed(*life) for life in lives) > OTHER_SHARE * len(lives),
    }
    return tuple(flag for flag, up in raised.items() if up)


def noisy(points: Sequence[float]) -> bool:
    """Whether processes differ by more than a tenth of their median, by a spread that outliers do not move."""
    low, high = min(points), max(points)
    if NORMAL * (high - low) <= NOISY_SPREAD * low:  # as nearly always: no need to look closer
        return False
    return _spread(points) > NOISY_SPREAD * statistics.median(points)


def bimodal(points: Sequence[float]) -> bool:
    """Whether the widest gap that leaves a group on each side is wide beside the times and beside both groups' own spread."""
    if max(points) - min(points) < GAP_SHARE * min(points):  # as nearly always: no need to look closer
        return False
    ordered, least = sorted(points), max(GROUP_PROCESSES, math.ceil(GROUP_SHARE * len(points)))
    splits = range(least, len(ordered) - least + 1)
    if not splits:
        return False
    split = max(splits, key=lambda place: ordered[place] - ordered[place - 1])
    lower, upper = ordered[:split], ordered[split:]
    gap = upper[0] - lower[-1]
    return gap >= GAP_SHARE * statistics.median(lower) and gap >= GAP_SPREADS * max(_spread(lower), _spread(upper))


def drifting(rounds: Sequence[int], points: Sequence[float]) -> bool:
    """Whether times moved with the rounds: Spearman's correlation, and a fitted line that moves far enough to matter."""
    if len(points) < DRIFT_PROCESSES or len(set(rounds)) < DRIFT_PROCESSES or len(set(points)) < 2:
        return False
    if abs(_correlation(_ranks(rounds), _ranks(points))) < _critical(len(points)):
        return False
    pairs = combinations(zip(rounds, points, strict=True), 2)
    slope = statistics.median([(last - first) / (then - now) for (now, first), (then, last) in pairs if then != now])  # Theil-Sen
    return abs(slope) * (max(rounds) - min(rounds)) > DRIFT_MOVE * statistics.median(points)


def queue_full(python: float, native: float) -> bool:
    """Whether two times, in seconds, look like the same GPU's rather than two hosts': a hint, since both may simply be slow."""
    return min(python, native) > QUEUE_TIME and abs(python - native) <= QUEUE_ALIKE * max(python, native)


def throttled(reading: dict[str, Any]) -> bool:
    """Whether NVML named a reason for low clocks that is neither idleness nor somebody's choice."""
    reasons = reading.get("gpu", {}).get("throttle_reasons")
    return isinstance(reasons, int) and bool(reasons & ~NO_THROTTLE)


def slowed(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether the GPU counted time below its clocks, for power or heat, between two readings."""
    first, last = before.get("gpu", {}), after.get("gpu", {})
    return any(
        isinstance(first.get(name), int) and isinstance(last.get(name), int) and last[name] > first[name]
        for name in ("power_violation", "thermal_violation")
    )


def unlocked(idle: dict[str, Any], readings: Iterable[dict[str, Any]]) -> bool:
    """Whether the SM clock moved: among *readings*, or, unless an applications clock was chosen, from before the run to them.

    NVML cannot be asked for a lock set with ``nvidia-smi -lgc``, so that it is told by what it does. No reading shows no lock.
    """
    clocks = [clock for reading in readings if isinstance(clock := reading.get("gpu", {}).get("sm_clock"), int)]
    gpu = idle.get("gpu", {})
    chosen = gpu.get("applications_clock") != gpu.get("applications_clock_default")
    if not chosen and isinstance(gpu.get("sm_clock"), int):
        clocks.append(gpu["sm_clock"])
    return not clocks or max(clocks) - min(clocks) > CLOCK_MOVE * max(clocks)


def disturbed(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether others used the CPUs, or the GPU, during a worker's life: our one process is there at its start, none at its end.

    CPU time that is neither ours nor idle counts, on any CPU: a neighbour takes cache and turbo too. The load average does not
    serve: it is a minute old, and the environments that were built before the first process are in it.
    """
    gpus = [(reading.get("gpu", {}).get("processes"), ours) for reading, ours in ((before, 1), (after, 0))]
    if any(isinstance(count, int) and count > ours for count, ours in gpus):
        return True
    first, last = before.get("cpu"), after.get("cpu")
    if not first or not last:
        return False
    others = (last["busy"] - first["busy"]) - (last["ours"] - first["ours"])
    return bool(others > OTHER_CPUS * (last["clock"] - first["clock"]))


def _lives(opened: Iterable[journal.Opened], closed: Iterable[journal.Closed]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the telemetry at the start and at the end of each worker."""
    ends = {record.process: record.telemetry for record in closed}
    return [(record.telemetry, ends.get(record.process, {})) for record in opened]


def _spread(points: Sequence[float]) -> float:
    middle = statistics.median(points)
    return NORMAL * statistics.median(abs(point - middle) for point in points)


def _correlation(some: Sequence[int], others: Sequence[int]) -> float:
    """Return Pearson's correlation of two lists of ``_ranks``, whose mean is their length; some in each differ."""
    mean = len(some)
    one, two = [rank - mean for rank in some], [rank - mean for rank in others]
    covariance: int = sum(map(mul, one, two))
    return covariance / math.sqrt(sum(map(mul, one, one)) * sum(map(mul, two, two)))


def _ranks(values: Sequence[float]) -> list[int]:
    """Return twice the mean rank of each value: ties share one."""
    ordered = sorted(values)
    place = {value: 2 * index + 1 for index, value in enumerate(ordered)}
    if len(place) == len(values):
        return [place[value] for value in values]
    return [bisect_left(ordered, value) + bisect_right(ordered, value) for value in values]


@cache
def _critical(count: int) -> float:
    """Return the correlation of *count* ranks that chance exceeds in one of a hundred, by Student's t."""
    t = float(special.stdtrit(count - 2, 1 - DRIFT_LEVEL / 2))
    return t / math.sqrt(count - 2 + t * t)
