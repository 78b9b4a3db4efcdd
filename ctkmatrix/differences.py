"""In what two sides differ besides the numbers: packages, interpreter, libraries, compilers, device, machine. Pure.

Trees are compared leaf by leaf, so that what nobody thought of is told too; only what differs anyway is left out.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctkmatrix.model import Flag
from ctkmatrix.provenance import groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ctkmatrix.model import CellResult, Manifest, Results

    Facts = Mapping[str, str]

NONE = "none"

OF_ITSELF = ("affinity", "id", "load", "lock", "pid", "process", "uptime")
"""Leaves of a cell's provenance that differ between any two cells; a lock says nothing that the packages do not."""

CLOCKS = ("sm_clock", "memory_clock")

HASH_SHOWN = 12
"""Digits of a hash that tell two apart."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact that is not the same on both sides. ``cells`` are the candidate's, by id, or none where it is of the whole run."""

    group: str
    what: str
    reference: str
    candidate: str
    cells: tuple[str, ...] = ()


def differences(reference: Results, candidate: Results, pairs: Iterable[tuple[CellResult, CellResult]]) -> tuple[Difference, ...]:
    """Return all that differs between the environments of each of *pairs*, and between the two runs. No numbers."""
    found: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for then, now in pairs:
        for fact in _apart(_of_cell(then), _of_cell(now)):
            found[fact].append(now.cell.id)
    of_run = _apart(_of_run(reference.manifest), _of_run(candidate.manifest))
    return (*(Difference(*fact, tuple(cells)) for fact, cells in found.items()), *(Difference(*fact) for fact in of_run))


def _apart(reference: Mapping[str, Facts], candidate: Mapping[str, Facts]) -> list[tuple[str, str, str, str]]:
    """Return (group, name, reference's value, candidate's) of every fact that differs."""
    return [
        (group, name, then, now)
        for group in dict.fromkeys([*reference, *candidate])
        for name in dict.fromkeys([*reference.get(group, {}), *candidate.get(group, {})])
        if (then := reference.get(group, {}).get(name, NONE)) != (now := candidate.get(group, {}).get(name, NONE))
    ]


def _of_cell(result: CellResult) -> dict[str, Facts]:
    tree = {name: value for name, value in result.provenance.items() if name not in OF_ITSELF}
    packages = {"Packages": _packages(tree.pop("packages", {}), tree.pop("hashes", {}))}
    rest = {
        group.title: {fact.name: _place(fact.value, result.cell.id) for fact in group.facts if fact.name not in OF_ITSELF}
        for group in groups(tree)
    }
    shown = [name for name in CLOCKS if name in result.work.readings]
    clocks = {f"{name}, MHz": f"{(at := result.work.readings[name]).low:.0f} to {at.high:.0f}" for name in shown}
    flags = {flag.name.lower().replace("_", " "): "raised" for flag in result.flags if flag is not Flag.NULL_DRIVER}
    throttled = {"throttled": ", ".join(result.work.throttled)} if result.work.throttled else {}
    return {"Cell": {"CUDA toolkit": result.cell.toolkit}, **packages, **rest, "Clocks": {**clocks, **throttled}, "Flags": flags}


def _packages(versions: object, hashes: object) -> Facts:
    """Say each package's version, and by its hash which build of it."""
    versions, hashes = (tree if isinstance(tree, dict) else {} for tree in (versions, hashes))
    return {
        str(name): f"{version} ({str(hashes[name])[:HASH_SHOWN]})" if name in hashes else str(version)
        for name, version in versions.items()
    }


def _place(value: str, cell: str) -> str:
    """Say where a file lies without what only names its environment."""
    return value.partition("/site-packages/")[2] or value.replace(cell, "CELL")


def _of_run(manifest: Manifest) -> dict[str, Facts]:
    """Return what a run was measured with, without what moves by itself; ``telemetry`` is that of its first moment."""
    device = {name: value for name, value in manifest.device.items() if name != "telemetry"}
    telemetry = manifest.device.get("telemetry")
    gpu = telemetry.get("gpu") if isinstance(telemetry, dict) else None
    driver = gpu.get("driver", "") if isinstance(gpu, dict) else ""
    machine = {name: value for name, value in manifest.machine.items() if name != "load"}
    trees: dict[str, Mapping[str, object]] = {
        "Device": device | {"driver": driver},
        "Machine": machine,
        "Harness": manifest.harness,
        "Measurement": {"profile": manifest.profile.name, "bursts of": manifest.burst.length if manifest.burst else ""},
        "Counter": manifest.counter,
    }
    return {title: {fact.name: fact.value for group in groups(tree) for fact in group.facts} for title, tree in trees.items()}
