"""`nox -s profile`: its words, and one real profile each under callgrind and py-spy."""

import os
import re
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ctkmatrix import app, caseset, compilers, matrix, profiles, profiling, sampling
from ctkmatrix.errors import Exit, MachineError, UsageError
from ctkmatrix.job import Place
from ctkmatrix.model import Matrix
from tests.conftest import ROOT, Bench, bench_of

CASES = caseset.load(ROOT, compilers.LIBRARY_FLAGS)
CELLS = matrix.load(ROOT / "matrix.toml").cells
NEWEST = matrix.newest(CELLS)
WITHOUT_CORE = replace(NEWEST, core=None)


def parse(*words: str) -> profiling.Asked:
    """Read *words* for the checkout's cases, its cells and one without cuda.core."""
    return profiling.parse(words, CASES, (*CELLS, WITHOUT_CORE), NEWEST)


def test_one_case_in_the_newest_cell_is_the_least_that_can_be_said() -> None:
    """All variants that run over the null driver; what does not is told."""
    asked = parse("--case", "stream.create_destroy")
    assert asked.cells == (NEWEST,)
    assert {"native", "bindings", "core"} <= {variant.name for variant in asked.variants}
    assert all("needs a GPU" in reason for reason in asked.left_out)
    assert not asked.time


def test_a_second_cell_and_one_variant() -> None:
    """In the order in which they were said."""
    asked = parse("--case", "enum.construct", "--cell", CELLS[-1].id, "--cell", CELLS[0].id, "--variant", "bindings", "--time")
    assert asked.cells == (CELLS[-1], CELLS[0])
    assert [variant.name for variant in asked.variants] == ["bindings"]
    assert asked.time


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--case", "stream.create_destory"), "perhaps you meant «stream.create_destroy»"),
        (("--case", "event.record", "--cell", f"{NEWEST.id}x"), f"perhaps you meant «{NEWEST.id}»"),
        (("--case", "event.record", "--variant", "cor"), "perhaps you meant «core»"),
        (("--case", "event.record", "--tme"), "perhaps you meant «--time»"),
        (("--cell", NEWEST.id), "--case"),
        (("--case", "event.record", "--cell", NEWEST.id, "--cell", NEWEST.id), "two different ones"),
        (("--case", "event.record", "--cell", WITHOUT_CORE.id, "--variant", "core"), "needs cuda.core"),
    ],
)
def test_wrong_words_are_told(words: tuple[str, ...], said: str) -> None:
    """Exit 2, with a suggestion where there is one."""
    with pytest.raises(UsageError, match=re.escape(said)):
        parse(*words)


def test_a_variant_that_needs_a_gpu_is_refused() -> None:
    """Profiles are made over the null driver alone."""
    case = next(case for case in CASES if any(variant.needs == "gpu" for variant in case.variants))
    variant = next(variant.name for variant in case.variants if variant.needs == "gpu")
    with pytest.raises(UsageError, match="needs a GPU"):
        parse("--case", case.id, "--variant", variant)


def ground(bench: Bench, case: str) -> profiling.Ground:
    """Return what profiles of *case* in the cell of *bench* stand on."""
    setup = bench.workshop.setup(bench.cell, bench.environment, bench.baselines, bench.libcuda)
    return profiling.Ground(next(one for one in CASES if one.id == case), setup, bench.environment.lock_hash)


@pytest.mark.slow
def test_instructions_go_where_the_case_calls(newest_bench: Bench, place: Place) -> None:
    """Under callgrind: Python by name, the extension modules by library, down to the driver; no file is left in /tmp."""
    before = set(Path("/tmp").glob("perf-*.map"))
    made = profiling._counter(place)(ground(newest_bench, "event.create_destroy"), "core")
    roots = {stack[0] for stack in made.folded}
    assert roots == {"_ (cases/event.py)"}
    frames = {frame for stack in made.folded for frame in stack}
    assert any(frame.startswith("cuEventCreate") for frame in frames)
    assert any(frame.startswith("cuda.core._event+0x") for frame in frames)
    assert made.outside < 0.001 * sum(made.stacks.values())
    assert (made.unit, made.turns, made.provenance["lock"]) == (profiles.INSTRUCTIONS, 1000, newest_bench.environment.lock_hash)
    assert set(Path("/tmp").glob("perf-*.map")) <= before


@pytest.mark.slow
def test_native_is_the_baseline_alone(newest_bench: Bench, place: Place) -> None:
    """The loop of the library and the driver's calls: nothing of the way there through ctypes."""
    made = profiling._counter(place)(ground(newest_bench, "event.create_destroy"), "native")
    assert all(frame.endswith((" (library.so)", " (libcuda.so.1)")) for stack in made.folded for frame in stack)


@pytest.mark.slow
def test_time_is_sampled(place: Place) -> None:
    """By py-spy, of the loop alone, in the first cell whose interpreter py-spy can read; of another it says so."""
    refused = []
    for cell in (one for one in CELLS if one.toolkit == NEWEST.toolkit):
        try:
            made = profiling._sampler(place)(ground(bench_of(place, cell, NEWEST.toolkit), "event.create_destroy"), "bindings")
        except MachineError as error:
            if sampling.UNREADABLE not in str(error):
                raise
            refused.append(str(error))
            continue
        assert {stack[0] for stack in made.folded} == {"_ (cases/event.py)"}
        assert sum(made.stacks.values()) > 100
        assert (made.unit, made.turns) == (profiles.SAMPLES, 0)
        return
    pytest.skip(f"needs one interpreter whose file py-spy can read: {refused}")


@pytest.mark.slow
def test_what_fails_is_told_and_leaves_the_rest(
    newest_bench: Bench, default_matrix: Matrix, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 11: the variant's error in its own words; the other variant has its graph."""
    made = tmp_path / "checkout"
    made.mkdir()
    for name in ("native", "ctkmatrix", "templates", "locks", "matrix.toml", ".ctkmatrix"):
        (made / name).symlink_to(ROOT / name)
    (made / "cases").mkdir()
    source = (ROOT / "cases" / "event.py").read_text(encoding="utf-8")
    broken = source.replace("    create = cu.device.create_event", "    raise OSError('on purpose')")
    assert broken != source
    (made / "cases" / "event.py").write_text(broken, encoding="utf-8")
    words = ("--case", "event.create_destroy")
    assert profiling.profile(Place(made), app.Options(), words) == Exit.INCOMPLETE
    assert "not profiled: OSError: on purpose" in capsys.readouterr().out
    variants = {one.variant for one in profiles.made(made / "reports", "event.create_destroy")}
    assert "native" in variants
    assert "core" not in variants


@pytest.mark.slow
def test_ctrl_c_leaves_nothing(newest_bench: Bench, place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 130, nothing written, no worker left behind."""
    threading.Timer(3, lambda: os.kill(os.getpid(), 2)).start()
    started = time.monotonic()
    words = ("--case", "event.create_destroy", "--variant", "core")
    assert profiling.profile(Place(place.root), app.Options(), words) == Exit.INTERRUPTED
    assert time.monotonic() - started < 20
    assert "nothing was written" in capsys.readouterr().err
