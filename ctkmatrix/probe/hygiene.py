"""What must be as it was after a case: the state of a process that a later case would otherwise inherit."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctkmatrix.probe import loop
from ctkmatrix.probe.subject import CaseFailed, check

if TYPE_CHECKING:
    from ctkmatrix.probe.subject import Subject


def _interpreter() -> dict[str, object]:
    """Return what of the interpreter every later measurement depends on, in comparable words."""
    return {
        "the number of threads": len(list(Path("/proc/self/task").iterdir())),
        "the clock": repr((vars(loop)["perf_counter"], time.perf_counter)),
        "the tracing function": repr(sys.gettrace()),
        "the profiling function": repr(sys.getprofile()),
        "the allowed CPUs": sorted(os.sched_getaffinity(0)),
        "the working directory": str(Path.cwd()),
        "the interval timer": signal.getitimer(signal.ITIMER_REAL)[1],
    }


class Hygiene:
    """Remembers the state after start-up, and tells what a case has changed."""

    def __init__(self, cu: Subject, context: int) -> None:
        self._cu, self._context = cu, context
        self._pool = check(cu.driver.cuDeviceGetDefaultMemPool(0))
        self._used = self._pool_use()
        self._interpreter = _interpreter()

    def dirt(self) -> str:
        """Return what differs from the state at start-up, in words; empty where all is as it was."""
        found = [self._current_context(), self._capture(), self._sticky_error(), self._grown_pool()]
        now = _interpreter()
        found += [f"{what} changed from {was} to {now[what]}" for what, was in self._interpreter.items() if was != now[what]]
        return "; ".join(filter(None, found))

    def _current_context(self) -> str:
        current = int(check(self._cu.driver.cuCtxGetCurrent()))
        return "" if current == self._context else "another context than the primary one is current"

    def _capture(self) -> str:
        driver = self._cu.driver
        streams: list[Any] = [driver.CUstream(driver.CU_STREAM_LEGACY)]
        streams += [self._cu.__dict__[name] for name in ("stream",) if name in self._cu.__dict__]
        if "core_stream" in self._cu.__dict__:
            streams.append(driver.CUstream(int(self._cu.core_stream.handle)))
        for stream in streams:
            try:
                capturing = int(check(driver.cuStreamIsCapturing(stream)))
            except CaseFailed as error:
                return f"a capture is open ({error})"
            if capturing:
                return "a capture is open"
        return ""

    def _sticky_error(self) -> str:
        try:
            self._cu.drain()
        except CaseFailed as error:
            return f"the context holds a sticky error ({error})"
        return ""

    def _grown_pool(self) -> str:
        grown = self._pool_use() - self._used
        return f"the default memory pool holds {grown} bytes more than before" if grown > 0 else ""

    def _pool_use(self) -> int:
        attribute = self._cu.driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_USED_MEM_CURRENT
        return int(check(self._cu.driver.cuMemPoolGetAttribute(self._pool, attribute)))
