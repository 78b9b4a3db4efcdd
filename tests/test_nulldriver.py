"""The null driver: loaded into a child process by ctypes, as a worker does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from ctkmatrix import compilers, nulldriver
from ctkmatrix.errors import EnvironmentFailed, MachineError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PRELUDE = """
import ctypes, json, os, sys
from ctypes import byref, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
cu = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)

def made(name, *arguments, kind=c_uint64):
    "The first output of a call that has to succeed."
    value = kind()
    status = getattr(cu, name)(byref(value), *arguments)
    assert status == 0, (name, status)
    return value if kind is c_uint64 else value.value

def primary():
    context = made("cuDevicePrimaryCtxRetain", 0)
    assert cu.cuCtxSetCurrent(context) == 0
    return context

def used(attribute=7):
    value = c_uint64()
    assert cu.cuMemPoolGetAttribute(made("cuDeviceGetDefaultMemPool", 0), attribute, byref(value)) == 0
    return value.value

def tell(*what):
    print(json.dumps(what))
"""


def run(library: Path, code: str, variables: Mapping[str, str], fds: tuple[int, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run *code* after the prelude in a process that has loaded *library*. Raises CalledProcessError."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CTK_NULL_")}
    command = (sys.executable, "-I", "-c", PRELUDE + code, str(library))
    return subprocess.run(
        command, env={**clean, **variables}, capture_output=True, text=True, timeout=60, check=True, pass_fds=fds
    )


def told(library: Path, code: str, **variables: str) -> list[Any]:
    """Return what *code*, run in a process of its own, tells."""
    found: list[Any] = json.loads(run(library, code, variables).stdout)
    return found


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the drivers of this session are built."""
    return tmp_path_factory.mktemp("nulldriver")


@pytest.fixture(scope="session")
def include(toolkit_13: Path) -> Path:
    """The newest headers."""
    return next(toolkit_13.glob("nvidia/*/include/cuda.h")).parent


@pytest.fixture(scope="session")
def null(include: Path, cache: Path) -> Path:
    """The normal build."""
    return nulldriver.build(include, cache, compilers.host_compiler())


@pytest.fixture(scope="session")
def tracing(include: Path, cache: Path) -> Path:
    """The tracing build."""
    return nulldriver.build(include, cache, compilers.host_compiler(), trace=True)


def test_it_is_found_by_its_name_once_loaded(null: Path) -> None:
    """A later search for libcuda.so.1 gets the library that is there, and tells it from a genuine one."""
    code = """
again = ctypes.CDLL("libcuda.so.1", os.RTLD_NOLOAD)
tell(again._handle == cu._handle, c_int.in_dll(cu, "ctk_null_driver").value)
"""
    assert told(null, code) == [True, 1]


def test_it_is_built_once(null: Path, include: Path, cache: Path) -> None:
    """The same headers and sources give the library that is there already."""
    assert nulldriver.build(include, cache, compilers.host_compiler()) == null


def test_headers_of_12_9_do_as_well(toolkit_12: Path, cache: Path) -> None:
    """The handwritten part compiles with the oldest headers, and the version is theirs."""
    library = nulldriver.build(next(toolkit_12.glob("nvidia/*/include/cuda.h")).parent, cache, compilers.host_compiler())
    assert told(library, 'tell(made("cuDriverGetVersion", kind=c_int))') == [12090]


def test_missing_headers_are_named(tmp_path: Path) -> None:
    """Without cuda.h there is nothing to generate from."""
    with pytest.raises(EnvironmentFailed, match=r"no \S+cuda\.h and no \S+cudaTypedefs\.h"):
        nulldriver.build(tmp_path, tmp_path, "g++")


def test_a_missing_compiler_is_the_machines_fault(include: Path, tmp_path: Path) -> None:
    """A compiler that cannot be started ends the run with the machine's exit code."""
    with pytest.raises(MachineError, match="no-such-compiler"):
        nulldriver.build(include, tmp_path, "no-such-compiler")


def test_the_reported_version_gates_symbols(null: Path) -> None:
    """A call newer than the version reported is not there; its version decides between two signatures."""
    code = """
def find(name, asked, flags=0):
    found, why = c_void_p(), c_int()
    return cu.cuGetProcAddress_v2(name, byref(found), asked, c_uint64(flags), byref(why)), bool(found), why.value
address = lambda name: ctypes.cast(getattr(cu, name), c_void_p).value
def symbol(name, asked, flags=0):
    found = c_void_p()
    cu.cuGetProcAddress_v2(name, byref(found), asked, c_uint64(flags), None)
    return found.value
tell(made("cuDriverGetVersion", kind=c_int), find(b"cuMemGetDefaultMemPool", 13050), find(b"cuNoSuchCall", 13050),
     find(b"cuInit", 13050),
     symbol(b"cuStreamBeginCapture", 10000) == address("cuStreamBeginCapture"),
     symbol(b"cuStreamBeginCapture", 10010) == address("cuStreamBeginCapture_v2"),
     symbol(b"cuLaunchKernel", 7000) == address("cuLaunchKernel"),
     symbol(b"cuLaunchKernel", 7000, 2) == address("cuLaunchKernel_ptsz"))
"""
    version, newer, unknown, known, *same = told(null, code, CTK_NULL_VERSION="12090")
    assert version == 12090
    assert newer == [500, False, 2]
    assert unknown == [500, False, 1]
    assert known == [0, True, 0]
    assert all(same)
    assert told(null, code, CTK_NULL_VERSION="13000")[1] == [0, True, 0]


def test_every_call_of_the_table_can_be_had(null: Path, include: Path, tmp_path: Path) -> None:
    """All that cudaTypedefs.h lists is found at its version."""
    text = (include / "cudaTypedefs.h").read_text()
    names = sorted({line.split("*PFN_")[1].split(")")[0] for line in text.splitlines() if "*PFN_cu" in line})
    asked = [name.rsplit("_v", 1) for name in names if not name.endswith(("_ptsz", "_ptds"))]
    assert len(asked) > 400
    listing = tmp_path / "asked.json"
    listing.write_text(json.dumps(asked))
    code = f"""
missing, found = [], c_void_p()
for name, version in json.load(open({str(listing)!r})):
    if cu.cuGetProcAddress_v2(name.encode(), byref(found), int(version), c_uint64(0), None): missing.append(name)
tell(missing)
"""
    assert told(null, code) == [[]]


def test_errors_have_their_names(null: Path) -> None:
    """Names and texts are the driver's; an unknown code is refused."""
    code = """
def name(code, call="cuGetErrorName"):
    found = c_char_p()
    return getattr(cu, call)(code, byref(found)), found.value and found.value.decode()
tell(name(0), name(201), name(700), name(12345), name(100, "cuGetErrorString"), name(12345, "cuGetErrorString"))
"""
    success, context, address, unknown, text, no_text = told(null, code)
    assert success == [0, "CUDA_SUCCESS"]
    assert context == [0, "CUDA_ERROR_INVALID_CONTEXT"]
    assert address == [0, "CUDA_ERROR_ILLEGAL_ADDRESS"]
    assert unknown == no_text == [1, None]
    assert "no CUDA-capable devices" in text[1]


NEED_CONTEXT = (
    "cuCtxGetDevice(byref(value))",
    "cuCtxSynchronize()",
    "cuStreamCreate(byref(value), 0)",
    "cuStreamCreateWithPriority(byref(value), 0, 0)",
    "cuEventCreate(byref(value), 0)",
    "cuMemAlloc_v2(byref(value), c_size_t(8))",
    "cuMemAllocAsync(byref(value), c_size_t(8), None)",
    "cuMemAllocHost_v2(byref(value), c_size_t(8))",
    "cuMemAllocManaged(byref(value), c_size_t(8), 1)",
    "cuMemcpyHtoD_v2(c_uint64(64), byref(value), c_size_t(8))",
    "cuModuleLoadData(byref(value), b'image')",
    "cuLaunchKernel(None, 1, 1, 1, 1, 1, 1, 0, None, None, None)",
    "cuLaunchKernelEx(None, None, None, None)",
    "cuLaunchKernel_ptsz(None, 1, 1, 1, 1, 1, 1, 0, None, None, None)",
)


def test_calls_without_a_context_are_refused(null: Path) -> None:
    """What a real driver refuses without a current context is refused, and works with one; in every thread anew."""
    calls = ", ".join(f"cu.{call}" for call in NEED_CONTEXT)
    code = f"""
import threading
value = c_uint64()
ask = lambda: [{calls}]
before = ask(); primary(); with_one = ask(); other = []
thread = threading.Thread(target=lambda: other.extend(ask())); thread.start(); thread.join()
cu.cuCtxSetCurrent(None)
tell(before, with_one, other, ask())
"""
    refused, done = [201] * len(NEED_CONTEXT), [0] * len(NEED_CONTEXT)
    assert told(null, code) == [refused, done, refused, refused]


def test_contexts_are_a_stack(null: Path) -> None:
    """Push and pop give back what was current; a new context is current until it is destroyed."""
    code = """
current = lambda: made("cuCtxGetCurrent", kind=c_uint64).value
first = primary()
made_one = made("cuCtxCreate_v2", 0, 0)
seen = [current() == made_one.value]
cu.cuCtxPushCurrent_v2(first); seen.append(current() == first.value)
popped = made("cuCtxPopCurrent_v2"); seen += [popped.value == first.value, current() == made_one.value]
cu.cuCtxDestroy_v2(made_one); seen.append(current() == first.value)
cu.cuCtxSetCurrent(None)
tell(seen, cu.cuCtxPopCurrent_v2(None))
"""
    assert told(null, code) == [[True] * 5, 201]


def test_captures_are_kept_for_each_stream(null: Path) -> None:
    """Two captures at a time do not mix; what is not captured cannot be ended; the count tells of one left behind."""
    code = """
primary()
one, two, third = (made("cuStreamCreate", 1) for _ in range(3))
def status(stream):
    value = c_int(-1)
    return cu.cuStreamIsCapturing(stream, byref(value)), value.value
begin = [cu.cuStreamBeginCapture_v2(stream, 2) for stream in (one, two, one, None)]
during = [status(stream) for stream in (one, two, third)], cu.ctk_null_captures()
graph = c_uint64()
ends = [cu.cuStreamEndCapture(stream, byref(graph)) for stream in (one, one)]
after = [status(stream) for stream in (one, two)]
cu.cuStreamDestroy_v2(two)
tell(begin, during, ends, after, cu.ctk_null_captures())
"""
    assert told(null, code) == [
        [0, 0, 401, 900],
        [[[0, 1], [0, 1], [0, 0]], 2],
        [0, 401],
        [[0, 0], [0, 1]],
        0,
    ]


def test_a_blocking_capture_shows_on_the_legacy_stream(null: Path) -> None:
    """As with a real driver, the legacy stream tells of a capture on a stream that synchronises with it, and of no other."""
    code = """
primary()
def legacy(flags):
    stream, graph, value = made("cuStreamCreate", flags), c_uint64(), c_int()
    cu.cuStreamBeginCapture_v2(stream, 0)
    during = cu.cuStreamIsCapturing(c_void_p(1), byref(value))
    cu.cuStreamEndCapture(stream, byref(graph))
    return during, cu.cuStreamIsCapturing(c_void_p(1), byref(value))
tell(legacy(0), legacy(1))
"""
    assert told(null, code) == [[906, 0], [0, 0]]


def test_launches_are_captured_into_a_graph_that_runs(null: Path) -> None:
    """Begin, end, instantiate, launch, destroy; the graph is the one that the capture told of, its executables are their own."""
    code = """
primary()
stream, graph, told_of = made("cuStreamCreate", 1), c_uint64(), c_uint64()
begin = cu.cuStreamBeginCapture_v2(stream, 2)
launches = [cu.cuLaunchKernel(c_void_p(64), 1, 1, 1, 1, 1, 1, 0, stream, None, None) for _ in range(10)]
status, number = c_int(), c_uint64()
info = cu.cuStreamGetCaptureInfo_v2(stream, byref(status), byref(number), byref(told_of), None, None)
end = cu.cuStreamEndCapture(stream, byref(graph))
first, second = (made("cuGraphInstantiateWithFlags", graph, c_uint64(0)) for _ in range(2))
runs = [cu.cuGraphLaunch(each, stream) for each in (first, second, first)] + [cu.cuStreamSynchronize(stream)]
ends = [cu.cuGraphExecDestroy(first), cu.cuGraphExecDestroy(second), cu.cuGraphDestroy(graph)]
handles = {graph.value, first.value, second.value}
tell([begin, *launches, info, end, *runs, *ends], status.value, number.value > 0, told_of.value == graph.value,
     len(handles), 0 in handles, cu.ctk_null_captures())
"""
    assert told(null, code) == [[0] * 20, 1, True, True, 3, False, 0]


def test_each_capture_has_a_graph_and_a_number_of_its_own(null: Path) -> None:
    """Also one after the other on the same stream; a capture into a graph gives that graph back."""
    code = """
primary()
stream = made("cuStreamCreate", 1)
def captured(begin):
    graph, number, status = c_uint64(), c_uint64(), c_int()
    assert begin() == 0 and cu.cuStreamGetCaptureInfo(stream, byref(status), byref(number)) == 0
    assert cu.cuStreamEndCapture(stream, byref(graph)) == 0
    return graph.value, number.value
first, second = (captured(lambda: cu.cuStreamBeginCapture_v2(stream, 2)) for _ in range(2))
own = made("cuGraphCreate", 0)
into, third = captured(lambda: cu.cuStreamBeginCaptureToGraph(stream, own, None, None, c_size_t(0), 2))
tell(first[0] != second[0], len({first[1], second[1], third}), into == own.value)
"""
    assert told(null, code) == [True, 3, True]


def test_a_capture_that_was_not_begun_has_no_graph(null: Path) -> None:
    """Ending is refused and writes none, where nothing was begun, where it has ended, and on another stream."""
    code = """
primary()
stream, other = made("cuStreamCreate", 1), made("cuStreamCreate", 1)
def end(which):
    graph = c_uint64(77)
    return cu.cuStreamEndCapture(which, byref(graph)), graph.value
never = end(stream)
cu.cuStreamBeginCapture_v2(stream, 2)
elsewhere, legacy = end(other), end(None)
status, graph = end(stream)
tell(never, elsewhere, legacy, status, graph not in (0, 77), end(stream))
"""
    assert told(null, code) == [[401, 0], [401, 0], [401, 0], 0, True, [401, 0]]


def test_instantiating_with_parameters_says_how_it_went(null: Path) -> None:
    """What cuda.core calls: the node that failed is none, and the result is success, whatever stood there."""
    code = """
class Parameters(ctypes.Structure):
    _fields_ = [("flags", c_uint64), ("stream", c_void_p), ("node", c_void_p), ("result", c_int)]
primary()
asked, graph = Parameters(0, None, 5, 3), made("cuGraphCreate", 0)
executable = made("cuGraphInstantiateWithParams", graph, byref(asked))
tell(executable.value not in (0, graph.value), asked.node, asked.result)
"""
    assert told(null, code) == [True, None, 0]


USER_OBJECTS = """
primary()
ended = []
at_end = ctypes.CFUNCTYPE(None, c_void_p)(ended.append)

def user_object(data, references=1):
    return made("cuUserObjectCreate", c_void_p(data), at_end, references, 1)

def graph_with(held, count=1, move=1):
    graph = made("cuGraphCreate", 0)
    assert cu.cuGraphRetainUserObject(graph, held, count, move) == 0
    return graph
"""


def test_a_user_object_ends_with_its_last_reference(null: Path) -> None:
    """By its own references alone, and its destructor is called once, with its own data."""
    code = """
held = user_object(7, 2)
cu.cuUserObjectRetain(held, 3)
seen = []
for count in (2, 2, 1):
    cu.cuUserObjectRelease(held, count); seen.append(list(ended))
tell(seen)
"""
    assert told(null, USER_OBJECTS + code) == [[[], [], [7]]]


def test_a_graph_keeps_what_it_was_given_alive(null: Path) -> None:
    """A reference that was moved is the graph's; one that was not leaves the program's own, which outlives the graph."""
    code = """
moved = graph_with(user_object(1))
kept = user_object(2)
shared = graph_with(kept, move=0)
cu.cuGraphDestroy(moved); first = list(ended)
cu.cuGraphDestroy(shared); second = list(ended)
cu.cuUserObjectRelease(kept, 1)
tell(first, second, ended)
"""
    assert told(null, USER_OBJECTS + code) == [[1], [1], [1, 2]]


def test_executables_and_clones_keep_it_alive_as_well(null: Path) -> None:
    """Destroyed in whatever order, the last one ends it; a graph that was given another object does not hold this one."""
    code = """
class Parameters(ctypes.Structure):
    _fields_ = [("flags", c_uint64), ("stream", c_void_p), ("node", c_void_p), ("result", c_int)]
graph, other = graph_with(user_object(1)), graph_with(user_object(2))
clone = made("cuGraphClone", graph)
executable = made("cuGraphInstantiateWithFlags", clone, c_uint64(0))
another = made("cuGraphInstantiateWithParams", graph, byref(Parameters()))
seen = []
for call, which in (("cuGraphDestroy", graph), ("cuGraphDestroy", other), ("cuGraphExecDestroy", executable),
                    ("cuGraphExecDestroy", another), ("cuGraphDestroy", clone)):
    assert cu[call](which) == 0
    seen.append(list(ended))
tell(seen)
"""
    assert told(null, USER_OBJECTS + code) == [[[], [2], [2], [2], [2, 1]]]


def test_a_graph_gives_back_what_it_holds_and_nothing_else(null: Path) -> None:
    """What it was not given, or not so often, or has given back already, is an invalid value and changes nothing."""
    code = """
held, stranger = user_object(1, 2), user_object(2)
graph = graph_with(held, 2)
ask = lambda of, count: cu.cuGraphReleaseUserObject(graph, of, count)
wrong = [ask(stranger, 1), ask(held, 1)], list(ended)
right = ask(held, 2), list(ended)
tell(wrong, right, ask(held, 2), cu.cuGraphDestroy(graph), ended)
"""
    assert told(null, USER_OBJECTS + code) == [[[1, 1], []], [0, [1]], 1, 0, [1]]


def test_user_objects_are_right_across_threads(null: Path) -> None:
    """Threads that clone, instantiate and destroy one graph lose no reference and end nothing early; many objects, to overlap."""
    code = """
import threading
graph = graph_with(user_object(0))
for number in range(1, 100): cu.cuGraphRetainUserObject(graph, user_object(number), 1, 1)
def work():
    for _ in range(1000):
        clone = made("cuGraphClone", graph)
        executable = made("cuGraphInstantiateWithFlags", clone, c_uint64(0))
        cu.cuGraphDestroy(clone); cu.cuGraphExecDestroy(executable)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
before = list(ended)
cu.cuGraphDestroy(graph)
tell(before, sorted(each or 0 for each in ended))
"""
    assert told(null, USER_OBJECTS + code) == [[], list(range(100))]


def test_streams_remember_what_was_asked_for(null: Path) -> None:
    """Flags and priority come back; the priority is clamped to the range."""
    code = """
primary()
def asked(flags, priority):
    stream, have_flags, have_priority = made("cuStreamCreateWithPriority", flags, priority), c_uint(), c_int()
    cu.cuStreamGetFlags(stream, byref(have_flags)); cu.cuStreamGetPriority(stream, byref(have_priority))
    return have_flags.value, have_priority.value
tell(asked(1, -3), asked(0, 0), asked(1, -100), asked(0, 7))
"""
    assert told(null, code) == [[1, -3], [0, 0], [1, -5], [0, 0]]


def test_the_default_pool_counts_its_bytes(null: Path) -> None:
    """Allocations are rounded up and given back in full; the high-water mark stays until it is reset."""
    code = """
primary()
sizes = (1, 512, 513, 3 << 20)
blocks = [made("cuMemAllocAsync", c_size_t(size), None) for size in sizes]
during = used(), used(5)
for block in blocks: assert cu.cuMemFreeAsync(block, None) == 0
high = used(8)
zero = c_uint64(0)
cu.cuMemPoolSetAttribute(made("cuDeviceGetDefaultMemPool", 0), 8, byref(zero))
tell(during, used(), used(5), high, used(8), len({block.value for block in blocks}))
"""
    held = 512 + 512 + 1024 + (4 << 20)
    assert told(null, code) == [[held, held], 0, 0, held, 0, 4]


def test_only_the_default_pool_is_charged(null: Path) -> None:
    """Other pools, plain allocations and those of a capture do not count for the default pool; free memory tells of two."""
    code = """
primary()
class Props(ctypes.Structure):
    _fields_ = [("type", c_int), ("handles", c_int), ("location", c_int), ("id", c_int), ("rest", ctypes.c_ubyte * 128)]
pool = made("cuMemPoolCreate", byref(Props(1, 0, 1, 0)))
def free():
    value, total = c_size_t(), c_size_t()
    cu.cuMemGetInfo_v2(byref(value), byref(total))
    return total.value - value.value
stream, graph = made("cuStreamCreate", 1), c_uint64()
other = made("cuMemAllocFromPoolAsync", c_size_t(1024), pool, stream)
plain = made("cuMemAlloc_v2", c_size_t(2048))
cu.cuStreamBeginCapture_v2(stream, 0)
captured = made("cuMemAllocAsync", c_size_t(4096), stream)
cu.cuStreamEndCapture(stream, byref(graph))
value = c_uint64()
cu.cuMemPoolGetAttribute(pool, 7, byref(value))
during = used(), value.value, free()
for block in (other, plain, captured): assert cu.cuMemFree_v2(block) == 0
tell(during, used(), free())
"""
    assert told(null, code) == [[0, 1024, 3072], 0, 0]


def test_bytes_are_right_across_threads(null: Path) -> None:
    """What one thread allocates another may free; what a thread leaves is in use after its end; addresses do not repeat."""
    code = """
import threading
context = primary()
blocks = []
def work():
    cu.cuCtxSetCurrent(context)
    blocks.extend(made("cuMemAllocAsync", c_size_t(1024), None) for _ in range(100))
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
left = used()
for block in blocks: cu.cuMemFreeAsync(block, None)
tell(left, used(), len({block.value for block in blocks}))
"""
    assert told(null, code) == [400 * 1024, 0, 400]


def test_sizes_that_no_driver_gives_are_refused(null: Path) -> None:
    """No bytes is an invalid value, more than the device has is out of memory; neither counts."""
    code = """
primary()
value = c_uint64()
tell([cu.cuMemAllocAsync(byref(value), c_size_t(size), None) for size in (0, 81 << 30, 1 << 63)], used())
"""
    assert told(null, code) == [[1, 2, 2], 0]


def test_host_and_managed_memory_can_be_touched(null: Path) -> None:
    """Memory that the host may use is real, and freeing it and foreign handles does no harm."""
    code = """
primary()
host, managed = made("cuMemHostAlloc", c_size_t(4096), 0), made("cuMemAllocManaged", c_size_t(4096), 1)
for block in (host, managed): ctypes.memset(block.value, 1, 4096)
device = made("cuMemHostGetDevicePointer_v2", host, 0)
mapped = made("cuIpcOpenMemHandle_v2")
tell(device.value == host.value, cu.cuMemFreeHost(host), cu.cuMemFree_v2(managed), cu.cuMemFree_v2(mapped), used())
"""
    assert told(null, code) == [True, 0, 0, 0, 0]


def test_host_memory_that_was_freed_last_is_given_again(null: Path) -> None:
    """To who asks for as much, so that what malloc does is no part of a call; never twice, and none of another size."""
    code = """
primary()
def block(size): return made("cuMemHostAlloc", c_size_t(size), 0)
first = block(4096)
cu.cuMemFreeHost(first)
again, other, larger = block(4096), block(4096), block(8192)
ctypes.memset(larger.value, 1, 8192)
for each in (again, other, larger): cu.cuMemFreeHost(each)
tell(again.value == first.value, len({again.value, other.value, larger.value}), cu.cuMemFreeHost(None))
"""
    assert told(null, code) == [True, 3, 0]


def test_a_sticky_error_comes_back_from_everything(null: Path) -> None:
    """Once set, work and waiting fail by it until it is taken back; a fresh process may start with one."""
    code = """
primary()
value = c_uint64()
def ask(): return [cu.cuCtxSynchronize(), cu.cuStreamSynchronize(None), cu.cuEventQuery(c_uint64(64)),
                   cu.cuMemAlloc_v2(byref(value), c_size_t(8)), cu.cuLaunchKernel(None, 1, 1, 1, 1, 1, 1, 0, None, None, None)]
start = ask()
cu.ctk_null_set_sticky(719); broken = ask()
cu.ctk_null_set_sticky(0)
tell(start, broken, ask())
"""
    assert told(null, code) == [[0] * 5, [719] * 5, [0] * 5]
    assert told(null, code, CTK_NULL_STICKY="700")[0] == [700] * 5


def test_parameters_end_at_once(null: Path) -> None:
    """cuda.core asks for one kernel parameter after the other until an error tells it to stop."""
    code = """
primary()
offset, size = c_size_t(), c_size_t()
library = made("cuLibraryLoadData", b"any image", None, None, 0, None, None, 0)
kernel = made("cuLibraryGetKernel", library, b"any name")
tell(bool(kernel), [cu[name](kernel, c_size_t(0), byref(offset), byref(size)) for name in
                    ("cuKernelGetParamInfo", "cuFuncGetParamInfo")])
"""
    assert told(null, code) == [True, [1, 1]]


def test_input_arrays_are_left_alone(null: Path) -> None:
    """Arrays that the header does not call const are not written to: the caller's options stay as they were."""
    code = """
primary()
options, sizes = (c_int * 2)(7, 8), (c_size_t * 2)(5, 6)
made("cuModuleLoadDataEx", b"image", 2, options, (c_void_p * 2)())
addresses = (c_uint64 * 2)(64, 128)
cu.cuMemcpyBatchAsync(addresses, addresses, sizes, c_size_t(2), None, None, c_size_t(0), None, c_void_p(64))
tell(list(options), list(sizes), list(addresses))
"""
    assert told(null, code) == [[7, 8], [5, 6], [64, 128]]


def test_host_functions_run_before_the_call_returns(null: Path) -> None:
    """A host function has run when it is launched; within a capture it is not run."""
    code = """
primary()
seen = []
call = ctypes.CFUNCTYPE(None, c_void_p)(seen.append)
stream = made("cuStreamCreate", 1)
cu.cuLaunchHostFunc(stream, call, c_void_p(5))
cu.cuStreamBeginCapture_v2(stream, 0)
cu.cuLaunchHostFunc(stream, call, c_void_p(6))
tell(seen)
"""
    assert told(null, code) == [[5]]


TRACED = """
primary()
stream = made("cuStreamCreate", 1)
cu.cuLaunchKernel(c_void_p(64), 1, 2, 3, 4, 5, 6, 7, stream, None, None)
cu.cuLaunchKernel_ptsz(c_void_p(64), 1, 1, 1, 1, 1, 1, 0, None, None, None)
cu.cuStreamBeginCapture_v2(None, 2)
cu.cuLibraryGetKernel(byref(stream), stream, b"empty")
"""

LAUNCH = (
    "cuLaunchKernel(f=*, gridDimX={}, gridDimY={}, gridDimZ={}, blockDimX={}, blockDimY={}, blockDimZ={}, sharedMemBytes={}, "
    "hStream={}, kernelParams=0, extra=0) = 0"
)

LINES = [
    "cuDevicePrimaryCtxRetain(pctx=*, dev=0) = 0",
    "cuCtxSetCurrent(ctx=*) = 0",
    "cuStreamCreate(phStream=*, Flags=1) = 0",
    LAUNCH.format(1, 2, 3, 4, 5, 6, 7, "*"),
    LAUNCH.format(1, 1, 1, 1, 1, 1, 0, "0"),
    "cuStreamBeginCapture(hStream=0, mode=2) = 900",
    "cuLibraryGetKernel(pKernel=*, library=*, name=empty) = 0",
]


def test_a_trace_has_a_line_for_each_call(tracing: Path, tmp_path: Path) -> None:
    """Name, arguments and result of every call, generated or written by hand, to a file, a descriptor or standard error."""
    target = tmp_path / "trace"
    run(tracing, TRACED, {"CTK_NULL_TRACE": str(target)})
    assert target.read_text().splitlines() == LINES
    assert run(tracing, TRACED, {}).stderr.splitlines() == LINES
    with (tmp_path / "by descriptor").open("w+") as file:
        run(tracing, TRACED, {"CTK_NULL_TRACE": str(file.fileno())}, (file.fileno(),))
        file.seek(0)
        assert file.read().splitlines() == LINES


def test_a_trace_that_cannot_be_written_is_no_empty_trace(tracing: Path, tmp_path: Path) -> None:
    """Where the file cannot be opened the process ends and says so."""
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run(tracing, TRACED, {"CTK_NULL_TRACE": str(tmp_path / "missing" / "trace")})
    assert "CTK_NULL_TRACE" in failed.value.stderr


def test_a_traced_driver_behaves_as_the_other(tracing: Path) -> None:
    """The state is kept in the tracing build, too."""
    code = 'primary(); block = made("cuMemAllocAsync", c_size_t(512), None); held = used(); cu.cuMemFreeAsync(block, None)\n'
    assert told(tracing, code + "tell(held, used())") == [512, 0]
