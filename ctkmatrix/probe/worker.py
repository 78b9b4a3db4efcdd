"""The worker: one process of one cell. It answers one request with one line, over pipes of its own.

Started as ``python -I worker.py REQUEST_FD ANSWER_FD``; stdin, stdout and stderr are no part of the protocol: a case may print.
Requests and answers are JSON objects, one a line:

``{"op": "open", …}``
    Load libcuda, make the primary context current, load the native baselines, pin the thread. Answers what was really loaded.
``{"op": "block", "case": …, "variants": […], "loops": {…}, "values": n, "seconds": s, "seed": k, "burn": b, "burst": l}``
    Measure one case, drained after every «burst» turns where it is asynchronous (0: never). Answers values by variant, failures
    by variant, and what the case left behind.
``{"op": "burst", "cases": […], "variant": …, "burst": l, "turns": [few, many], "pairs": n}``
    Time one variant of each case, drained after every «burst» turns. Answers seconds a turn by case and number of turns.
``{"op": "run", "case": …, "variant": …, "turns": n}``
    Turn one variant so often, once and undrained: what a driver that writes its calls down is asked for.
``{"op": "count", "case": …, "variants": […]}``
    Under callgrind, where «open» told of a marker: count one case. Answers counts by variant, and the rest likewise.
``{"op": "profile", "case": …, "variant": …, "turns": n}``
    Likewise: answers the ``dump``, a file of callgrind's, of so many turns after a warm-up, or the failure.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import random
import signal
import sys
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctkmatrix.probe.registry import Case
    from ctkmatrix.probe.subject import Subject

    Request = dict[str, Any]
    Answer = dict[str, Any]

SHARE_TURNS = 10
"""Turns behind a value that is a share: there is no time to calibrate by."""

ROOT = Path(__file__).resolve().parents[2]


class Worker:
    """The state between requests: the subject, the cases, and the libraries of baselines by variant name."""

    def __init__(self) -> None:
        self.cu: Subject
        self.cases: dict[str, Case]
        self.libraries: dict[str, Any] = {}
        self.unavailable: dict[str, str] = {}
        """By native variant: why there is no library of baselines."""

    def open(self, request: Request) -> Answer:
        """Make everything ready; see the module. What fails here fails the process."""
        from ctkmatrix.probe import identity, registry
        from ctkmatrix.probe.hygiene import Hygiene
        from ctkmatrix.probe.subject import Subject, check

        gc.disable()  # imports make next to no garbage
        ctypes.CDLL(request["libcuda"] or "libcuda.so.1", ctypes.RTLD_GLOBAL)
        self.cases = registry.load(Path(request["cases"]))
        self.cu = cu = Subject(request["cubin"], request["architecture"])
        check(cu.driver.cuInit(0))
        context = check(cu.driver.cuDevicePrimaryCtxRetain(0))
        check(cu.driver.cuCtxSetCurrent(context))
        if request["core"]:
            cu.device  # noqa: B018 -- cuda.core makes its own ready, once a process
        nvrtc = check(cu.nvrtc.nvrtcVersion())
        self._open_native(request["native"], identity.loaded())
        affinity = pin(request["cpu"])
        self.hygiene = Hygiene(cu, int(context))
        self.timed = 0.0
        if request.get("callgrind"):
            self._watch(request["callgrind"])
        if request.get("traced"):
            let_be_traced()
        answer = identity.describe(cu, nvrtc) | {"affinity": affinity, "unavailable": self.unavailable}
        gc.freeze()  # what start-up made stays: the collection before each case need not walk it again
        gc.enable()
        return answer

    def _open_native(self, native: dict[str, dict[str, str]], libraries: dict[str, str]) -> None:
        from ctkmatrix.probe.native import NativeError, NativeLibrary

        for variant, built in native.items():
            if "path" not in built:
                self.unavailable[variant] = built["reason"]
                continue
            try:
                self.libraries[variant] = NativeLibrary(built["path"], libraries["libcuda"], libraries["nvrtc"], self.cu.cubin)
            except (OSError, NativeError) as error:
                self.unavailable[variant] = str(error)

    def block(self, request: Request) -> Answer:
        """Measure the asked variants of one case."""
        from ctkmatrix.probe import block

        case = self.cases[request["case"]]
        before = self.timed
        results, failures = block.measure(
            {variant: self._runner(case, variant, request["burn"], request["burst"]) for variant in request["variants"]},
            loops=request["loops"] if case.unit == "time" else dict.fromkeys(request["variants"], SHARE_TURNS),
            values=request["values"],
            seconds=request["seconds"],
            order=random.Random(request["seed"]),  # noqa: S311 -- an order, not a secret
        )
        return {
            "results": results,
            "dirt": self.hygiene.dirt(),
            "looped": self.timed - before,
        } | told(failures)

    def burst(self, request: Request) -> Answer:
        """Time the asked cases in bursts of the asked length; what fails here fails the whole answer."""
        from ctkmatrix.probe.block import few_and_many

        runs = {case: self._runner(self.cases[case], request["variant"], burst=request["burst"]) for case in request["cases"]}
        few, many = request["turns"]
        return {"times": {case: few_and_many(run, few, many, request["pairs"]) for case, run in runs.items()}}

    def _watch(self, request: Request) -> None:
        from ctkmatrix.probe.count import Heap, Marker

        self.heap = Heap(request["heap"])
        self.marker = Marker(request["marker"], request["output"])
        self.marker.start()

    def count(self, request: Request) -> Answer:
        """Count the asked variants of one case, one after the other: nothing that happens meanwhile moves a count."""
        from ctkmatrix.probe.count import count

        gc.collect()
        gc.disable()
        results, failures = {}, {}
        for variant in request["variants"]:
            run = self._runner(self.cases[request["case"]], variant)
            try:
                results[variant] = count(partial(self.marker.instructions, run))
            except Exception as error:
                failures[variant] = error
        gc.enable()
        return {"results": results, "dirt": self.hygiene.dirt()} | told(failures)

    def profile(self, request: Request) -> Answer:
        """Run one variant under callgrind, warmed up, with everything written down."""
        run = self._runner(self.cases[request["case"]], request["variant"])
        gc.collect()
        gc.disable()
        try:
            run(request["turns"])
            dump = self.marker.dump(run, request["turns"])
        except Exception as error:
            return told({request["variant"]: error})
        finally:
            gc.enable()
        return {"dump": str(dump)} | told({})

    def run(self, request: Request) -> Answer:
        """Run one variant once; what fails is an answer too, and so is what it left behind."""
        failures: dict[str, Exception] = {}
        try:
            self._runner(self.cases[request["case"]], request["variant"])(request["turns"])
        except Exception as error:
            failures[request["variant"]] = error
        return {"dirt": self.hygiene.dirt()} | told(failures)

    def _runner(self, case: Case, variant: str, burn: int = 0, burst: int = 0) -> Callable[[int], float]:
        """Return what turns a variant so often and returns the seconds, drained after every *burst* turns (0: never)."""
        from ctkmatrix.probe.block import seconds_of
        from ctkmatrix.probe.loop import Loop
        from ctkmatrix.probe.native import NativeError
        from ctkmatrix.probe.subject import check

        burst = burst if case.asynchronous else 0
        body = case.variants[variant].body

        def run_native(turns: int) -> float:
            if variant not in self.libraries:
                raise NativeError(self.unavailable.get(variant, f"this cell has no library of {variant} baselines"))
            seconds: float = self.libraries[variant].run(case.id, turns, burst)
            self.timed += seconds
            return seconds

        def run_python(turns: int) -> float:
            loop = Loop(turns, burst, self.cu.drain if burst else None, burn)
            assert body is not None  # noqa: S101 -- only native variants have none
            result: Any = check(body(loop, self.cu))
            seconds = seconds_of(loop)
            self.timed += seconds
            return seconds if case.unit == "time" else result * turns

        return run_native if body is None else run_python


def told(failures: dict[str, Exception]) -> Answer:
    """Return the part of an answer that says which variants failed and why, and which of these are not in this version."""
    return {
        "failures": {variant: reason(error) for variant, error in failures.items()},
        "not_applicable": [v for v, error in failures.items() if type(error).__name__ == "NotInThisVersion"],
    }


def reason(error: Exception) -> str:
    """Return one line for people: the error's own words, with its type where these alone say too little."""
    words = " ".join(str(error).encode("utf-8", "backslashreplace").decode().split())
    return (
        words
        if type(error).__name__ in {"CaseFailed", "NativeError", "WrongLoop", "NotInThisVersion"}
        else (f"{type(error).__name__}: {words}")
    )


def pin(cpu: int | None) -> list[int]:
    """Pin the calling thread alone to *cpu* where one is given; return the CPUs that it may run on."""
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})
    return sorted(os.sched_getaffinity(0))


def let_be_traced() -> None:
    """Let a profiler that is no ancestor of this process read it, where Yama would not; without Yama this does nothing."""
    ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)  # PR_SET_PTRACER, PR_SET_PTRACER_ANY


def die_with_the_orchestrator() -> None:
    """Ask the kernel to kill this process when the orchestrator ends, however it ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def main(request_fd: int, answer_fd: int) -> None:
    """Serve requests until the pipe closes; every answer carries its request's id. An exception is an answer too."""
    started = perf_counter()
    die_with_the_orchestrator()
    own, worker = os.getpid(), Worker()
    with os.fdopen(request_fd, "rb") as requests, os.fdopen(answer_fd, "wb", buffering=0) as answers:
        for line in requests:
            request = json.loads(line)
            try:
                answer = getattr(worker, request["op"])(request)
            except Exception as error:
                import traceback

                traceback.print_exc()
                answer = {"error": reason(error)}
            if os.getpid() != own:
                os._exit(0)  # a child that a case has forked came back here: it has nothing to say
            answer |= {"id": request["id"], "uptime": perf_counter() - started}
            answers.write(json.dumps(answer).encode() + b"\n")


def leave() -> None:
    """End the process without taking down the interpreter, module by module: nobody is left to see it, and it takes a while."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    sys.path.append(str(ROOT))
    main(int(sys.argv[1]), int(sys.argv[2]))
    leave()
