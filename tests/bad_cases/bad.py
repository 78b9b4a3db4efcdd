"""Cases that misbehave, each in its own way, and one that does not."""

import ctypes
import os
import signal
import threading
import time

from ctkmatrix.probe import loop as loops
from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import NotInThisVersion, Subject

NO_TWIN = "a test"

good = case("bad.good", "Does what it should.", without_native=NO_TWIN)


@good("bindings")
def _(loop: Loop, cu: Subject) -> object:
    get = cu.driver.cuCtxGetDevice
    out = None
    for _ in loop:
        out = get()
    return out


@good("python")
def _(loop: Loop, _cu: Subject) -> object:
    for _ in loop:
        pass
    return None


raises = case("bad.raises", "Raises in one variant.", without_native=NO_TWIN)


@raises("python")
def _(_loop: Loop, _cu: Subject) -> object:
    raise ZeroDivisionError("on purpose")


@raises("bindings")
def _(loop: Loop, _cu: Subject) -> object:
    for _ in loop:
        pass
    return None


fails = case("bad.fails", "Its call returns an error.", without_native=NO_TWIN)


@fails("bindings")
def _(loop: Loop, cu: Subject) -> object:
    out = None
    for _ in loop:
        out = cu.driver.cuDeviceGet(99)
    return out


absent = case("bad.absent", "Is not in this version.", without_native=NO_TWIN)


@absent("bindings")
def _(_loop: Loop, _cu: Subject) -> object:
    raise NotInThisVersion("cuda.core 9.9 brings it")


crashes = case("bad.crashes", "Crashes the process.", without_native=NO_TWIN)


@crashes("python")
def _(_loop: Loop, _cu: Subject) -> object:
    os.kill(os.getpid(), signal.SIGSEGV)
    return None


exits = case("bad.exits", "Ends the process.", without_native=NO_TWIN)


@exits("python")
def _(_loop: Loop, _cu: Subject) -> object:
    os._exit(3)


hangs = case("bad.hangs", "Never answers.", without_native=NO_TWIN)


@hangs("python")
def _(_loop: Loop, _cu: Subject) -> object:
    time.sleep(3600)
    return None


prints = case("bad.prints", "Prints a lot, also what looks like an answer.", without_native=NO_TWIN)


@prints("python")
def _(loop: Loop, _cu: Subject) -> object:
    print('{"results": {}}\n' * 1000, flush=True)
    os.write(2, b"to standard error\n")
    for _ in loop:
        pass
    return None


early = case("bad.leaves_early", "Leaves its loop before the end.", without_native=NO_TWIN)


@early("python")
def _(loop: Loop, _cu: Subject) -> object:
    for _ in loop:
        break
    return None


context = case("bad.leaks_context", "Leaves another context current.", without_native=NO_TWIN)


@context("bindings")
def _(loop: Loop, cu: Subject) -> object:
    for _ in loop:
        pass
    return cu.driver.cuCtxSetCurrent(0)


capture = case("bad.leaks_capture", "Leaves a capture open.", without_native=NO_TWIN)


@capture("bindings")
def _(loop: Loop, cu: Subject) -> object:
    mode = cu.driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    for _ in loop:
        pass
    cu.driver.cuStreamBeginCapture(cu.stream, mode)
    return None


memory = case("bad.leaks_memory", "Leaves memory allocated.", without_native=NO_TWIN)


@memory("bindings")
def _(loop: Loop, cu: Subject) -> object:
    for _ in loop:
        pass
    return cu.driver.cuMemAllocAsync(4096, cu.stream)


sticky = case("bad.leaks_sticky_error", "Breaks the context.", without_native=NO_TWIN)


@sticky("bindings")
def _(loop: Loop, _cu: Subject) -> object:
    for _ in loop:
        pass
    ctypes.CDLL("libcuda.so.1").ctk_null_set_sticky(700)
    return None


forks = case("bad.forks", "Forks, and lets the child return.", without_native=NO_TWIN)


@forks("python")
def _(loop: Loop, _cu: Subject) -> object:
    for _ in loop:
        pass
    if loop.turns == 1:
        os.fork()
    return None


slow = case("bad.slow", "Takes a millisecond a turn.", without_native=NO_TWIN)


@slow("python")
def _(loop: Loop, _cu: Subject) -> object:
    for _ in loop:
        time.sleep(0.001)
    return None


talks = case("bad.talks", "Writes into every pipe that it finds.", without_native=NO_TWIN)


@talks("python")
def _(loop: Loop, _cu: Subject) -> object:
    for _ in loop:
        pass
    for number in range(3, 256):
        try:
            os.write(number, b'{"results": {}}\n')
        except OSError:
            continue
    return None


surrogate = case("bad.surrogate", "Raises words that no encoding has.", without_native=NO_TWIN)


@surrogate("python")
def _(_loop: Loop, _cu: Subject) -> object:
    raise ValueError("\ud800")


threads = case("bad.leaks_thread", "Leaves a thread running.", without_native=NO_TWIN)


@threads("python")
def _(loop: Loop, _cu: Subject) -> object:
    for _ in loop:
        pass
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return None


clock = case("bad.replaces_clock", "Puts another clock into the loop.", without_native=NO_TWIN)


@clock("python")
def _(loop: Loop, _cu: Subject) -> object:
    for _ in loop:
        pass
    vars(loops)["perf_counter"] = lambda: time.monotonic() / 3
    return None
