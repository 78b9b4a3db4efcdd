"""Launching from several threads at once."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from threading import Event, Semaphore, get_native_id
from time import sleep
from typing import Any

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import Case, case
from ctkmatrix.probe.subject import Subject

BATCH = 128
"""Launches of another thread between two waits for its stream: its queue must never fill either."""


def leave_the_cpu() -> None:
    """Move the calling thread to the CPUs that the orchestrator may use, without that of the measured thread."""
    if rest := os.sched_getaffinity(os.getppid()) - os.sched_getaffinity(0):
        os.sched_setaffinity(0, rest)


@contextmanager
def pressed(cu: Subject, batches: list[Callable[[], object]]) -> Iterator[None]:
    """Have one more thread for each of *batches* call it again and again while the block runs; all end with the block."""
    context = cu.check(cu.driver.cuCtxGetCurrent())
    started, stop, tasks = Semaphore(0), Event(), []

    def press(batch: Callable[[], object]) -> None:
        try:
            tasks.append(Path(f"/proc/self/task/{get_native_id()}"))
            leave_the_cpu()
            cu.check(cu.driver.cuCtxSetCurrent(context))
            batch()
            started.release()
            while not stop.is_set():
                batch()
        finally:
            started.release()  # where it failed, nobody waits in vain

    with ThreadPoolExecutor(len(batches)) as pool:
        pressing = [pool.submit(press, batch) for batch in batches]
        try:
            for _ in batches:
                started.acquire()
            yield
        finally:
            stop.set()
    for future in pressing:
        future.result()
    while any(task.exists() for task in tasks):  # the kernel lists a thread for a moment after it was joined
        sleep(0.001)


def bindings_batch(cu: Subject, stream: object) -> Callable[[], object]:
    """Return a call that launches BATCH kernels on *stream* with cuda.bindings, and waits for them."""
    launch, kernel, synchronize = cu.driver.cuLaunchKernel, cu.kernel("empty"), cu.driver.cuStreamSynchronize

    def batch() -> None:
        out = None
        for _ in repeat(None, BATCH):
            out = launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0)
        cu.check(out)
        cu.check(synchronize(stream))

    return batch


def core_batch(cu: Subject, stream: Any) -> Callable[[], object]:
    """Return a call that launches BATCH kernels on *stream* with cuda.core, and waits for them."""
    launch, kernel, config = cu.core.launch, cu.core_kernel("empty"), cu.core.LaunchConfig(grid=1, block=1)

    def batch() -> None:
        for _ in repeat(None, BATCH):
            launch(stream, config, kernel)
        stream.sync()

    return batch


def launching(others: int, beside: str) -> Case:
    """Declare the case of a launch on one thread while *others* launch too."""
    launches = case(
        f"threads.launch_{others + 1}",
        f"What a launch of an empty kernel takes on one thread while {beside} too, without a pause, on streams of their own.",
        calls="cuLaunchKernel",
        references="#624 #1390",
        isolated=True,
        asynchronous=True,
        uncountable="other threads launch meanwhile, and theirs would be counted too",
    )

    @launches("bindings")
    def _(loop: Loop, cu: Subject) -> object:
        launch, kernel, stream = cu.driver.cuLaunchKernel, cu.kernel("empty"), cu.stream
        flags = cu.driver.CUstream_flags.CU_STREAM_NON_BLOCKING.value
        streams = [cu.check(cu.driver.cuStreamCreate(flags)) for _ in range(others)]
        out = None
        with pressed(cu, [bindings_batch(cu, each) for each in streams]):
            for _ in loop:
                out = launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0)
        for each in streams:
            cu.check(cu.driver.cuStreamDestroy(each))
        return out

    @launches("core", calls="cuLaunchKernelEx", differs="cuda.core launches with cuLaunchKernelEx")
    def _(loop: Loop, cu: Subject) -> object:
        launch, kernel, stream = cu.core.launch, cu.core_kernel("empty"), cu.core_stream
        config = cu.core.LaunchConfig(grid=1, block=1)
        streams = [cu.device.create_stream() for _ in range(others)]
        with pressed(cu, [core_batch(cu, each) for each in streams]):
            for _ in loop:
                launch(stream, config, kernel)
        for each in streams:
            each.close()
        return None

    return launches


launch_2 = launching(1, "one other thread launches")
launch_4 = launching(3, "three others launch")
