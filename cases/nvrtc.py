"""Compiling at run time. NVRTC works without a GPU and without a driver."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, sleep

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import CaseFailed, Subject

SOURCE = 'extern "C" __global__ void tiny(float *x) { *x = 1; }'

create_program = case(
    "nvrtc.create_program",
    "nvrtcCreateProgram and nvrtcDestroyProgram, no headers.",
    references="#940",
    calls_per_turn=2,
)


@create_program("bindings")
def _(loop: Loop, cu: Subject) -> object:
    create, destroy, source = cu.nvrtc.nvrtcCreateProgram, cu.nvrtc.nvrtcDestroyProgram, SOURCE.encode()
    out = None
    for _ in loop:
        _, program = create(source, b"tiny.cu", 0, [], [])
        out = destroy(program)
    return out


create_program_headers = case(
    "nvrtc.create_program_100_headers",
    "nvrtcCreateProgram with a hundred headers and their names, lists built outside the loop, and nvrtcDestroyProgram.",
    references="#898 #940",
    calls_per_turn=2,
)


@create_program_headers("bindings")
def _(loop: Loop, cu: Subject) -> object:
    create, destroy = cu.nvrtc.nvrtcCreateProgram, cu.nvrtc.nvrtcDestroyProgram
    names, contents = [f"dummy{i}.h".encode() for i in range(100)], [b""] * 100
    source = b"".join(b"#include <%s>\n" % name for name in names) + SOURCE.encode()
    out = None
    for _ in loop:
        _, program = create(source, b"tiny.cu", 100, contents, names)
        out = destroy(program)
    return out


compile_tiny = case(
    "nvrtc.compile",
    "Compile a tiny kernel to a cubin: create, compile, fetch, destroy.",
    references="#624 #940",
    calls_per_turn=5,
    seconds_per_turn=0.03,
)


@compile_tiny("bindings")
def _(loop: Loop, cu: Subject) -> object:
    nvrtc, source = cu.nvrtc, SOURCE.encode()
    options = [f"--gpu-architecture=sm_{cu.architecture}".encode()]
    cu.check(nvrtc.nvrtcVersion())
    out = None
    for _ in loop:
        program = cu.check(nvrtc.nvrtcCreateProgram(source, b"tiny.cu", 0, [], []))
        nvrtc.nvrtcCompileProgram(program, 1, options)
        size = cu.check(nvrtc.nvrtcGetCUBINSize(program))
        out = nvrtc.nvrtcGetCUBIN(program, b" " * size)
        nvrtc.nvrtcDestroyProgram(program)
    return out


@compile_tiny("core", differs="cuda.core adds options of its own, checks them, and wraps the result in an ObjectCode")
def _(loop: Loop, cu: Subject) -> object:
    program = cu.core.Program
    options = cu.core.ProgramOptions(arch=f"sm_{cu.architecture}")
    for _ in loop:
        made = program(SOURCE, "c++", options)
        made.compile("cubin")
        made.close()
    return None


gil = case(
    "nvrtc.gil",
    "How freely a second Python thread runs while this one compiles: 1 as when it is alone, 0 not at all.",
    references="#624",
    calls_per_turn=1,
    isolated=True,
    seconds_per_turn=0.05,
    unit="share",
    without_native="C++ has no interpreter lock to hold.",
)

HANDOVER = 1e-4
"""Seconds after which a thread that waits for the interpreter lock asks for it: little beside a compilation."""
ALONE = 0.1
"""Seconds for which the second thread is watched while this one sleeps."""


@gil("bindings")
def _(loop: Loop, cu: Subject) -> object:
    compile_program = cu.nvrtc.nvrtcCompileProgram
    program = cu.check(cu.nvrtc.nvrtcCreateProgram(SOURCE.encode(), b"tiny.cu", 0, [], []))
    options = [f"--gpu-architecture=sm_{cu.architecture}".encode()]
    share = share_of_a_second_thread(loop, lambda: cu.check(compile_program(program, 1, options)))
    cu.check(cu.nvrtc.nvrtcDestroyProgram(program))
    return share


@gil("core", differs="cuda.core also fetches the result and wraps it in an ObjectCode")
def _(loop: Loop, cu: Subject) -> object:
    program = cu.core.Program(SOURCE, "c++", cu.core.ProgramOptions(arch=f"sm_{cu.architecture}"))
    share = share_of_a_second_thread(loop, lambda: program.compile("cubin"))
    program.close()
    return share


class Counter(Thread):
    """Counts, on another CPU than the thread that made it, until it is told to stop."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.count, self.stopped, self.running = 0, False, Event()
        # The orchestrator may run on every CPU that it was given, this thread on one of them.
        allowed, own = os.sched_getaffinity(os.getppid()), os.sched_getaffinity(0)
        if len(allowed) == 1:
            raise CaseFailed("there is one CPU: a second thread would have nowhere to run")
        self.cpus = allowed - own or allowed

    def run(self) -> None:
        """Count."""
        os.sched_setaffinity(0, self.cpus)
        self.running.set()
        while not self.stopped:
            self.count += 1

    def end(self) -> None:
        """Stop, and wait until the system's thread has gone, which ``join`` does not always do."""
        self.stopped = True
        self.join()
        while Path(f"/proc/self/task/{self.native_id}").exists():
            sleep(0.001)


def share_of_a_second_thread(loop: Loop, turn: Callable[[], object]) -> float:
    """Turn the loop; return how fast a second thread counts meanwhile, as a share of how fast it counts alone."""
    counter, interval = Counter(), sys.getswitchinterval()
    sys.setswitchinterval(HANDOVER)
    counter.start()
    try:
        counter.running.wait()
        count, began = counter.count, perf_counter()
        sleep(ALONE)
        alone = (counter.count - count) / (perf_counter() - began)
        count, began = counter.count, perf_counter()
        for _ in loop:
            turn()
        return (counter.count - count) / (perf_counter() - began) / alone
    finally:
        counter.end()
        sys.setswitchinterval(interval)
