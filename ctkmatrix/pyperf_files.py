"""Samples -> pyperf's files, one a cell: ``python -m pyperf stats|hist|show|compare_to`` take them. Pure but for pyperf."""

from __future__ import annotations

import io
from itertools import groupby
from typing import TYPE_CHECKING

import pyperf

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctkmatrix.collected import Key
    from ctkmatrix.model import Results, Sample


def suites(samples: Mapping[Key, Sequence[Sample]], whole: Results) -> dict[str, bytes]:
    """Return the pyperf file of every cell that has a measured field, by cell id."""
    timed = {case.id for case in whole.cases if case.unit == "time"}  # pyperf knows no shares: results.json has them
    measured = sorted((one.cell, one.case, one.variant) for one in whole.fields if one.time and one.case in timed)
    return {
        cell: suite(
            {(case, variant): samples[cell, case, variant] for _, case, variant in fields},
            metadata(whole, cell),
        )
        for cell, fields in groupby(measured, key=lambda key: key[0])
    }


def metadata(whole: Results, cell: str) -> dict[str, str]:
    """Return what every run in a cell's pyperf file carries, under pyperf's own names where it has one."""
    manifest = whole.manifest
    provenance = next(one.provenance for one in whole.cells if one.cell.id == cell)
    python = provenance.get("python")
    return {
        "python_version": str(python["version"]) if isinstance(python, dict) else "unknown",
        "cpu_model_name": str(manifest.machine["cpu"]),
        "hostname": str(manifest.machine["id"]),
        "ctkmatrix_cell": cell,
        "ctkmatrix_run": manifest.run,
        "ctkmatrix_device": f"{manifest.device_kind} {manifest.device['name']}",
    } | ({"ctkmatrix_burst": str(manifest.burst.length)} if manifest.burst else {})


def suite(samples: Mapping[tuple[str, str], Sequence[Sample]], metadata: Mapping[str, str]) -> bytes:
    """Return a cell's suite as pyperf's JSON. *samples* are by (case, variant); *metadata* goes into every run.

    A benchmark is called ``<case>/<variant>``; one process is one run, in order of process.

    Raises ValueError where there is no sample: pyperf has no empty suite.
    """
    benchmarks = [
        pyperf.Benchmark(_runs(group, {**metadata, "name": f"{case}/{variant}", "unit": "second"}))
        for (case, variant), group in sorted(samples.items())
        if group
    ]
    if not benchmarks:
        raise ValueError("no samples: nothing was measured")
    text = io.StringIO()
    pyperf.BenchmarkSuite(benchmarks).dump(text)
    return text.getvalue().encode()


def _runs(samples: Iterable[Sample], metadata: Mapping[str, str]) -> list[pyperf.Run]:
    return [
        pyperf.Run(
            sample.values,
            warmups=[(max(1, sample.loops // 4), value) for value in sample.warmups],
            metadata={**metadata, "loops": sample.loops, "ctkmatrix_process": sample.process, "ctkmatrix_round": sample.round},
            collect_metadata=False,
        )
        for sample in sorted(samples, key=lambda sample: sample.process)
    ]
