"""Samples -> pyperf's files, one a cell: ``python -m pyperf stats|hist|show|compare_to`` take them. Pure but for pyperf."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pyperf

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctkmatrix.model import Sample


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
