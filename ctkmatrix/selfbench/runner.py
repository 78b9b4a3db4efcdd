"""The script that `pyperf.Runner` measures one benchmark with, in a cell's interpreter: the peer in `nox -s selfbench`.

``CTK_SELFBENCH`` holds a JSON object: ``path`` (what to add to ``sys.path``), ``case``, ``variant``, ``burst``, and ``open``, a
worker's own request. So the peer runs the very same body, loop and native twin as ctkmatrix; processes, calibration and values
are pyperf's.
"""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from typing import Any

REQUEST: dict[str, Any] = json.loads(os.environ["CTK_SELFBENCH"])
sys.path[0:1] = REQUEST["path"]  # not this script's own directory, whose modules are no packages

import pyperf  # noqa: E402 -- found through the line above


@cache
def opened() -> Any:
    """Make this process ready, as a worker does on its own «open»; called where something is measured, so not in the parent."""
    from ctkmatrix.probe.worker import Worker  # noqa: PLC0415 -- likewise

    worker = Worker()
    worker.open(REQUEST["open"])
    return worker


def seconds(turns: int) -> float:
    """Return the seconds that *turns* turns take."""
    worker = opened()
    case = worker.cases[REQUEST["case"]]
    run = worker._runner(case, REQUEST["variant"], burst=REQUEST["burst"])  # noqa: SLF001 -- the same body, unchanged
    taken: float = run(turns)
    return taken


if __name__ == "__main__":
    pyperf.Runner().bench_time_func(f"{REQUEST['case']}/{REQUEST['variant']}", seconds)
