"""What rendering costs for a matrix of 100 cases in three variants and 12 processes: rows of `nox -s selfbench`.

``python -m ctkmatrix.selfbench.pages CELLS`` prints a line of JSON. It is a process of its own, so that the peak of its memory is
that of this work alone, results included.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ctkmatrix import render
from ctkmatrix.model import Case, CellResult, Estimate, Field, Manifest, Outcome, Results, Status, Variant
from ctkmatrix.selfbench import scale

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ctkmatrix.model import Cell

TIMES = {"native": 50e-9, "bindings": 400e-9, "core": 1500e-9}
SOURCE = "".join(f"    line_{number} = cu.driver.cuEventRecord(event, stream)\n" for number in range(8))
CASES = tuple(
    Case(
        f"area_{number // 5}.case_{number}",
        "Record an event on a stream.",
        tuple(Variant(name, ("cuEventRecord",), source="" if name == "native" else SOURCE) for name in TIMES),
        references=("#1",),
    )
    for number in range(100)
)
PROFILE = replace(scale.PROFILE, processes=12)
"""As many as the standard profile always measures."""

MEASURED = Outcome(Status.MEASURED)
DIGEST = "5f1c" * 16


def results(count: int) -> Results:
    """Return results of *count* cells, all measured, with random times."""
    random, cells = np.random.default_rng(scale.SEED), scale.cells(count)
    fields = tuple(one for cell in cells for case in CASES for one in _fields(random, cell.id, case.id))
    return Results(_manifest(), CASES, tuple(map(_cell, cells)), fields, 1e-6)


def _fields(random: np.random.Generator, cell: str, case: str) -> Iterator[Field]:
    points = {name: time * random.normal(1, 0.02, PROFILE.processes) for name, time in TIMES.items()}
    native = points["native"]
    yield Field(cell, case, "native", MEASURED, _estimate(native))
    for name in ("bindings", "core"):
        own = points[name]
        yield Field(cell, case, name, MEASURED, _estimate(own), _estimate(own - native), _estimate(own / native))


def _estimate(points: NDArray[np.float64]) -> Estimate:
    middle, half = float(points.mean()), float(points.std()) / 2
    return Estimate(middle, middle - half, middle + half, tuple(points.tolist()))


def _cell(cell: Cell) -> CellResult:
    packages = {f"package-{number}": "1.2.3" for number in range(7)}
    provenance: dict[str, object] = {"packages": packages, "hashes": dict.fromkeys(packages, DIGEST), "lock": DIGEST}
    return CellResult(cell, MEASURED, (), PROFILE.processes, provenance)


def _manifest() -> Manifest:
    return Manifest(
        run="scale",
        started="2026-01-01T00:00:00+00:00",
        finished="2026-01-01T01:00:00+00:00",
        status="complete",
        arguments=(),
        profile=PROFILE,
        seed=scale.SEED,
        device_kind="null",
        device={"kind": "null", "name": "null driver", "architecture": "90"},
        machine={},
        harness={},
        orchestrator={},
    )


def run(count: int) -> dict[str, float]:
    """Write the page of *count* cells, and what lies beside it; return what it takes.

    That is ``seconds`` of wall time and of them ``cpu``, the ``bytes`` of the page, and the ``peak`` of memory in bytes.
    """
    whole = results(count)
    with tempfile.TemporaryDirectory() as directory:
        before = time.process_time()
        seconds, page = scale.timed(lambda: render.write(whole, Path(directory)))
        cpu, size = time.process_time() - before, page.stat().st_size
    return {"seconds": seconds, "cpu": cpu, "bytes": size, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]))))
