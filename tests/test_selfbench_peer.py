"""The peer in `nox -s selfbench`: how pyperf's time for a sample becomes that for all."""

from __future__ import annotations

import pyperf

from ctkmatrix.selfbench import peer
from ctkmatrix.selfbench.peer import Measured, Peer
from ctkmatrix.selfbench.race import Stratum, half

POINTS = (1.0, 2.0, 3.0, 4.0)


def test_each_stratum_is_scaled_by_its_own_number() -> None:
    """Two of four fast benchmarks count twice; the slow ones, all measured, once."""
    fast = Stratum("fast", ("a.x", "a.y"), ("a.x",), ("a.x/core", "a.x/native", "a.y/core", "a.y/native"))
    slow = Stratum("slow", ("b.x",), ("b.x",), ("b.x/core",))
    walls = {"a.x/core": 10.0, "a.x/native": 14.0, "b.x/core": 30.0}
    found = Peer("pyperf", {benchmark: Measured(wall, POINTS) for benchmark, wall in walls.items()})
    assert found.wall([fast, slow]) == 2 * 24 + 30
    assert found.halves["b.x/core"] == half(POINTS)


def test_a_process_s_point_is_the_median_of_its_values() -> None:
    """As ours; a process that calibrates alone has none."""
    calibration = pyperf.Run([], warmups=[(1, 0.1)], metadata={"name": "x"}, collect_metadata=False)
    runs = [
        pyperf.Run(list(values), metadata={"name": "x"}, collect_metadata=False) for values in ((3.0, 1.0, 2.0), (5.0, 5.0, 9.0))
    ]
    assert peer.medians(pyperf.Benchmark([calibration, *runs])) == (2.0, 5.0)
