"""The lines that tell a person what a run will do, before it does it, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctkmatrix import counting, envs, locks, plan, report
from ctkmatrix.model import Metric, Results, Status
from ctkmatrix.plaintext import one_line
from ctkmatrix.progress import duration, size
from ctkmatrix.store import free_bytes

if TYPE_CHECKING:
    from ctkmatrix.device import Device
    from ctkmatrix.job import Job, Place

WORST = 3
"""So many of the greatest overheads are told."""

TOOLKIT_PYTHON = "3.11"
"""A toolkit's wheels are the same for every Python."""


def before(place: Place, job: Job) -> list[str]:
    """Return what will be done: cells, cases, device, download size, expected time."""
    *what, seconds = work(job)
    return [*what, f"  download: {download(place, job)}", seconds]


def work(job: Job) -> list[str]:
    """Return what will be measured: cells, cases, device, and in the last line the expected time."""
    variants = sum(len(plan.variants_of(case, job.device.target)) for case in job.cases)
    toolkits, pythons = {cell.toolkit for cell in job.cells}, {cell.python for cell in job.cells}
    resumed = f"; goes on with run {job.earlier.run.id}" if job.earlier else ""
    return [
        (
            f"ctkmatrix: {count(len(job.cells), 'cell')} ({count(len(toolkits), 'toolkit')}, {count(len(pythons), 'Python')}), "
            f"{count(len(job.cases), 'case')} in {count(variants, 'variant')}, profile {job.profile.name}: "
            f"{count(job.profile.processes, 'process')} a cell{resumed}"
        ),
        f"  device: {device_line(job.device)}",
        f"  expected time: about {duration(_seconds(job))} of {_work(job)}, after the set-up",
    ]


def _seconds(job: Job) -> float:
    times = 0.0 if job.metric is Metric.INSTRUCTIONS else plan.expected_seconds(job.processes(seed=0), job.profile)
    return times + (plan.expected_count_seconds(job.heaps(), counting.at_once()) if job.counter else 0.0)


def _work(job: Job) -> str:
    return {Metric.TIME: "measuring", Metric.INSTRUCTIONS: "counting", Metric.BOTH: "measuring and counting"}[job.metric]


def after(results: Results, page: str) -> list[str]:
    """Return what came of a run: how much ran, the worst overheads, what did not run, where the page is."""
    measured = [one for one in results.fields if one.outcome.status is Status.MEASURED]
    planned = [one for one in results.fields if one.outcome.status is not Status.NOT_APPLICABLE]
    reasons: dict[str, set[str]] = {}
    for one in planned:
        if one.outcome.status is not Status.MEASURED:
            reasons.setdefault(f"{one.outcome.status}: {one.outcome.reason}", set()).add(f"{one.cell} {one.case}/{one.variant}")
    share = results.manifest.timed_share
    planned_processes = results.manifest.profile.processes
    ran = sum(min(cell.processes, planned_processes) for cell in results.cells)
    wanted = len(results.cells) * planned_processes
    return [
        *([f"interrupted after {ran} of {wanted} processes"] if results.manifest.status == "interrupted" else []),
        f"{len(measured)} of {len(planned)} planned fields measured"
        + (f"; {share:.0%} of the workers' {duration(results.manifest.worker_seconds)} inside timed loops" if share else ""),
        *(
            f"  {worst.case}/{worst.variant}: {worst.overhead} {worst.interval} ns over native in {worst.cell}"
            for worst in report.view(results).worst[:WORST]
        ),
        *(f"  {one_line(reason)} ({_some(sorted(where))})" for reason, where in sorted(reasons.items())),
        f"page: {page}",
    ]


def _some(where: list[str]) -> str:
    return where[0] if len(where) == 1 else f"{where[0]} and {len(where) - 1} more"


def count(number: int, noun: str) -> str:
    """Return «1 cell», «3 cells», «4 processes»."""
    return f"{number} {noun}{'' if number == 1 else 'es' if noun.endswith('s') else 's'}"


def device_line(found: Device) -> str:
    """Say where calls go."""
    if found.kind == "null":
        return "null driver: pure host overhead, no GPU's numbers"
    return f"GPU {found.name} ({found.uuid}), driver for CUDA {found.driver_cuda} at {found.libcuda}"


def download(place: Place, job: Job) -> str:
    """Say how much is fetched: the wheels of environments and toolkits that are not there yet."""
    wanted = [(locks.lock_path(cell), cell.python) for cell in job.cells if not envs.is_made(place.build / "envs" / cell.id)]
    needed = {cell.toolkit for cell in job.cells} | ({job.newest_toolkit} if job.device.kind == "null" else set())
    wanted += [
        (locks.toolkit_lock(version), TOOLKIT_PYTHON)
        for version in sorted(needed)
        if not envs.is_made(place.build / "toolkits" / version)
    ]
    total = locks.download_bytes(wanted)
    if not total:
        return "nothing"
    return f"up to {size(total)} (less what uv's cache holds already); {size(free_bytes(place.build))} of disk are free"
