"""Reading callgrind's files: contexts, names told by numbers, Python functions by the address of their trampoline."""

from ctkmatrix import callgraph
from ctkmatrix.callgraph import INTERPRETER, INTERPRETING

DUMP = """\
# callgrind format
version: 1
pid: 4711
positions: line
events: Ir
summary: 100

ob=(1) /usr/bin/python3.14
fl=(1) ???
fn=(1) _PyEval_EvalFrameDefault'0x4e1b020'0x73b060'run
0 40
+3 5
cob=(2) /env/lib/python3.14/site-packages/cuda/core/cu13/_stream.cpython-314-x86_64-linux-gnu.so
cfi=(1)
cfn=(2) 0x1bc70'_PyEval_EvalFrameDefault'0x4e1b020'0x73b060'run
calls=200 7
* 9000
cfn=(5) 0x4e1b020'0x73b060'run
calls=1 0
0 1

fn=(3) 0x73b060'run
0 2

fn=(4) run
0 1

ob=(2)
fn=(2)
0 30
* 3

ob=(3) ???
fn=(5)
0 9
totals: 90
"""
MAP = [
    "4e1b000 b py::Event.record:/env/lib/python3.14/site-packages/cuda/core/_event.py",
    "4e1b020 b py::_:/home/me/it/cases/stream.py",
]


def folded(dump: str = DUMP, names: list[str] = MAP) -> callgraph.Stacks:
    """Fold a file's text."""
    return callgraph.folded(callgraph.read(dump.splitlines()), callgraph.PerfMap(names))


def test_a_file_sums_up_to_its_own_total() -> None:
    """What calls cost altogether is not added to what the callees say themselves."""
    dump = callgraph.read(DUMP.splitlines())
    assert (dump.total, dump.pid) == (90, 4711)


def test_stacks_are_outermost_first_and_named() -> None:
    """A Python function is one frame with its trampoline and the loop that runs it; without a symbol there is an address."""
    own = f"run ({INTERPRETER})"
    assert folded() == {
        (own, "_ (cases/stream.py)"): 54,
        (own, "_ (cases/stream.py)", "cuda.core._stream+0x1bc70"): 33,
        (own, f"{INTERPRETER}+0x73b060"): 2,
        (own,): 1,
    }


def test_without_a_map_nothing_is_guessed() -> None:
    """Before Python 3.12: an address in no library stays one, and hides no frame of the interpreter."""
    longest = max(folded(names=[]), key=len)
    assert longest[1:4] == (f"{INTERPRETER}+0x73b060", "no library+0x4e1b020", f"_PyEval_EvalFrameDefault ({INTERPRETER})")


def test_a_map_knows_the_bounds_of_its_functions() -> None:
    """An address before, between or behind its entries has no name."""
    python = callgraph.PerfMap(MAP)
    assert python.at(0x4E1B00A) == "Event.record (cuda/core/_event.py)"
    assert [python.at(address) for address in (0x4E1AFFF, 0x4E1B00B, 0x4E1B02B)] == [None, None, None]


def test_places_have_the_same_name_on_every_machine() -> None:
    """No path of a machine is left, nor the interpreter's version, nor which CUDA a copy of cuda.core is for."""
    assert callgraph.shortened("/somewhere/lib/python3.14t/importlib/__init__.py") == "importlib/__init__.py"
    assert callgraph.shortened("<frozen codecs>") == "<frozen codecs>"
    assert callgraph.where("/a/libpython3.12.so.1.0") == callgraph.where("/b/python3.14t") == INTERPRETER
    assert callgraph.where("/lib/libc.so.6") == "libc.so.6"
    assert callgraph.where("/p/lib-dynload/_ctypes.cpython-314-x86_64-linux-gnu.so") == "_ctypes"


def test_the_place_of_a_frame() -> None:
    """Brackets of C++ are none of ours."""
    assert callgraph.place("cuda.core._stream+0x1bc70") == "cuda.core._stream"
    assert callgraph.place("f(int, std::less<int> (*)()) (library.so)") == "library.so"
    assert not callgraph.place("malloc")


def test_what_a_block_does_once_falls_out() -> None:
    """Set-up is in both blocks; what got no dearer by more turns is no part of a turn."""
    once: callgraph.Stacks = {("a",): 150, ("set-up",): 70}
    twice: callgraph.Stacks = {("a",): 250, ("set-up",): 70, ("b",): 20}
    assert callgraph.per_turn(once, twice, 10) == {("a",): 10, ("b",): 2}


def test_stacks_begin_at_the_case() -> None:
    """What ran outside its function is summed up, not shown."""
    stacks = {("main", "case", "x"): 3.0, ("other", "case", "x", "case"): 2.0, ("main",): 1.0}
    assert callgraph.inside(stacks, lambda frame: frame == "case") == ({("case", "x"): 3, ("case", "x", "case"): 2}, 1)


def test_without_names_stacks_begin_where_they_part() -> None:
    """What they have in common is the interpreter, under whatever name; nothing is left out."""
    stacks = {("main", "loop"): 3.0, ("main", "loop", "f"): 2.0}
    assert callgraph.inside(stacks, lambda _: False) == ({(INTERPRETING,): 3, (INTERPRETING, "f"): 2}, 0)
    assert callgraph.inside({}, lambda _: False) == ({}, 0)


def test_addresses_of_other_files_are_not_compared() -> None:
    """Unnamed functions of a library become one; those of a file that is the same in both cells keep their address."""
    stacks = {("f", "a+0x1", "a+0x2", "b+0x3", "a+0x1"): 1.0, ("f", "a+0x7"): 2.0}
    assert callgraph.without_addresses(stacks, frozenset({"b"})) == {
        ("f", "unnamed (a)", "b+0x3", "unnamed (a)"): 1,
        ("f", "unnamed (a)"): 2,
    }
