"""Where a cell's numbers come from, as facts for the page. Pure.

What is recorded is a JSON-like tree whose keys its writers choose: the short form takes the keys it knows, the details show all
there is.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import TYPE_CHECKING

from ctkmatrix.grid import MARKS, anchor, ran, weakening
from ctkmatrix.missing import named
from ctkmatrix.model import Flag, Metric, Status
from ctkmatrix.page import CellRow, Fact, FactGroup, Failure, Package
from ctkmatrix.probe.registry import NATIVE
from ctkmatrix.quantities import ELLIPSIS, THIN, counted, duration, number, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ctkmatrix.model import Burst, CellResult, Field, Manifest, Outcome, Range, Work

UNKNOWN = "\N{EN DASH}"

BUILDS = {"yes": "PGO and LTO", "no": "not optimised", "unknown": "unknown"}
"""What ``python.optimised`` says, in words."""

CELL_HEADS = ("Interpreter", "Build", "numpy", "Native baseline", "libcuda", "NVRTC", "Processes")
"""Heads of the table of cells, between the cell's id, which says bindings and core, and its flags."""

TITLES = {
    "python": "Interpreter",
    "native": "Native baselines",
    "cubin": "Kernels",
    "libraries": "Libraries really loaded",
    "device": "Device, as the driver calls it",
}
"""What the branches of a cell's provenance are called, in the order in which they are shown; others follow."""

LEAVES = {
    "interpreter": "interpreter that the environment was made of",
    "lock": "SHA-256 of the lock",
    "affinity": "allowed CPUs of the first worker",
    "unavailable": "native baselines that cannot be loaded",
    "uptime": "seconds from the first worker's start until it was ready",
}
"""What the leaves of a cell's provenance are called where the key alone would not tell."""

READINGS = {
    "load": ("Load average", ""),
    "sm_clock": ("SM clock", "MHz"),
    "memory_clock": ("Memory clock", "MHz"),
    "temperature": ("Temperature", "\N{DEGREE SIGN}C"),
    "power": ("Power", "W"),
}
"""Names and units of what ``Work.readings`` holds."""

EMPTY = hashlib.sha256().hexdigest()
"""The hash of a package that installs nothing."""


def cell_row(result: CellResult, run: Manifest, fields: Iterable[Field] = (), log: str = "") -> CellRow:
    """Say where one cell's numbers come from, in a *run*.

    fields
        Those of the cell.
    log
        The end of what its workers printed.
    """
    tree, shown = result.provenance, weakening(run.metric) - {Flag.NULL_DRIVER}
    return CellRow(
        id=result.cell.id,
        anchor=anchor("cell", result.cell.id),
        state="" if ran(result) else MARKS[result.outcome.status],
        reason=result.outcome.reason,
        values=(
            _joined(_at(tree, "python", "version")),
            _joined(BUILDS.get(_at(tree, "python", "optimised"), "")),
            _joined(_at(tree, "packages", "numpy")),
            _native(tree),
            _cuda(_at(tree, "libraries", "libcuda", "version")),
            _joined(_at(tree, "libraries", "nvrtc", "version")),
            number(result.processes),
        ),
        flags=tuple(flag.name.lower().replace("_", " ") for flag in result.flags if flag in shown),
        details=(*([FactGroup("Measurement", _work(result, run))] if result.processes else []), *groups(_arranged(tree, run))),
        packages=_packages(tree.get("packages"), tree.get("hashes")),
        failures=_failures(fields) if ran(result) else (),
        log=log,
    )


def _work(result: CellResult, run: Manifest) -> tuple[Fact, ...]:
    """Say what the cell's workers did, and what they met: clocks and throttling where there is a GPU."""
    work = result.work
    return (
        Fact("Device", device(run)),
        Fact("Processes", number(result.processes)),
        *(_timed_part(work) if work.seconds else ()),
        *([Fact("Counting workers' time", duration(work.counting))] if work.counting else []),
        *(Fact(name, _between(work.readings[key], unit)) for key, (name, unit) in READINGS.items() if key in work.readings),
        *([Fact("Low clocks, by NVML", ", ".join(work.throttled) or "never")] if "sm_clock" in work.readings else []),
    )


def _timed_part(work: Work) -> tuple[Fact, ...]:
    share = percent(work.looped / work.seconds)
    return Fact("Workers' time", duration(work.seconds)), Fact("Share of it inside timed loops", share)


def _between(found: Range, unit: str) -> str:
    low, high = number(found.low, 4), number(found.high, 4)
    return f"{low if low == high else f'{low} {ELLIPSIS} {high}'}{unit and THIN + unit}"


def _failures(fields: Iterable[Field]) -> tuple[Failure, ...]:
    """Say which case variants failed or were not run, those of one reason together."""
    found: defaultdict[Outcome, list[str]] = defaultdict(list)
    for field in fields:
        if field.outcome.status in {Status.FAILED, Status.NOT_RUN}:
            found[field.outcome].append(f"{field.case}/{field.variant}")
    return tuple(Failure(MARKS[why.status], named(names, "case variant"), why.reason) for why, names in found.items())


def _arranged(tree: Mapping[str, object], run: Manifest) -> dict[str, object]:
    """Put a cell's provenance, but for its packages, into the order and under the names that people read.

    What the null driver answers about a device is left out: there is none.
    """
    left_out = {"packages", "hashes", "id", *(["device"] if run.device_kind == "null" else [])}  # the id is a request's
    rest = {key: value for key, value in tree.items() if key not in left_out}
    ordered = [key for key in TITLES if key in rest] + [key for key in rest if key not in TITLES]
    return {TITLES.get(key, LEAVES.get(key, key)): rest[key] for key in ordered}


def _packages(versions: object, hashes: object) -> tuple[Package, ...]:
    known = versions if isinstance(versions, dict) else {}
    hashed = {name: each for name, each in hashes.items() if each != EMPTY} if isinstance(hashes, dict) else {}
    names = sorted(known.keys() | hashed.keys())
    return tuple(Package(name, leaf(known.get(name)), hashed.get(name, "")) for name in names)


def drained(burst: Burst) -> str:
    """Say how asynchronous cases ran: ``in bursts of 256, drained between them``; and why no longer ones, if so."""
    return f"in bursts of {burst.length}, drained between them" + (f"; {burst.reason}" if burst.reason else "")


def profile(run: Manifest) -> str:
    """Say a run's profile in one line."""
    chosen = run.profile
    if run.metric is Metric.INSTRUCTIONS:
        return f"{chosen.name}: {counted(chosen.processes, 'process', 'processes')} a cell"
    each = f"{counted(chosen.values, 'value')} of {duration(chosen.seconds_per_value)}"
    return f"{chosen.name}: {counted(chosen.processes, 'process', 'processes')} a cell, {each}"


def device(run: Manifest) -> str:
    """Name what the run was measured on: ``NVIDIA H200, driver 580.65.06``."""
    name = _at(run.device, "name") or ("null driver, no GPU" if run.device_kind == "null" else "unnamed GPU")
    driver = _at(run.device, "telemetry", "gpu", "driver") or _at(run.device, "driver")
    return f"{name}, driver {driver}" if driver else name


def _native(tree: dict[str, object]) -> str:
    """Name the compilers of the native baseline's host code and kernels, without what they say behind a comma."""
    compilers = (_at(tree, "native", NATIVE, "compiler"), _at(tree, "cubin", "compiler"))
    return " + ".join(dict.fromkeys(name.partition(",")[0] for name in compilers if name)) or UNKNOWN


def _cuda(version: str) -> str:
    """Write a version as people do, 13.5, that ``cuDriverGetVersion`` gives as 13050."""
    return f"{int(version) // 1000}.{int(version) % 1000 // 10}" if version.isdecimal() else version or UNKNOWN


def groups(tree: Mapping[str, object]) -> tuple[FactGroup, ...]:
    """One group for each branch of *tree*, with dotted names within it; a last one for the leaves."""
    branches = {key: value for key, value in tree.items() if isinstance(value, dict) and value}
    leaves = {key: value for key, value in tree.items() if key not in branches}
    named = [*branches.items(), *([("Other", leaves)] if leaves else [])]
    return tuple(FactGroup(title, tuple(Fact(name, leaf(each)) for name, each in flat("", branch))) for title, branch in named)


def flat(name: str, value: object) -> Iterator[tuple[str, object]]:
    """Yield the leaves of a tree, each with its dotted name, which begins with *name*."""
    if isinstance(value, dict) and value:
        for key, branch in value.items():
            yield from flat(f"{name}.{key}" if name else str(key), branch)
    else:
        yield name, value


def leaf(value: object) -> str:
    """Say a leaf in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (list, tuple, dict)):
        return ", ".join(leaf(each) for each in value) or "none"
    return UNKNOWN if value is None or value == "" else str(value)


def _at(tree: object, *path: str) -> str:
    """Return the leaf of *tree* at *path*, or an empty string where there is none."""
    for key in path:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return "" if tree is None or isinstance(tree, dict) else leaf(tree)


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part) or UNKNOWN
