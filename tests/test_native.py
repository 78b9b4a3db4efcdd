"""A library of native baselines: the loop in C++ keeps its own time and its count of turns. Compiled here by the C++ compiler."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from ctkmatrix.compilers import host_compiler
from ctkmatrix.probe.native import NativeError, NativeLibrary
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """
#include <chrono>
#include <thread>
#include "cases.hpp"

namespace { int drains; }
Status open_library(const char *libcuda, const char *, const char *) { return *libcuda ? Status() : "no libcuda"; }
void drain() { ++drains; std::this_thread::sleep_for(std::chrono::milliseconds(20)); }
Status missing(const char *) { return {}; }

CASE("test.sleeps") {
  for (auto _ : loop) std::this_thread::sleep_for(std::chrono::microseconds(200));
  return {};
}
CASE("test.drains") {
  drains = 0;
  for (auto _ : loop) {
  }
  return drains == 3 ? Status() : "drains: " + std::to_string(drains);
}
CASE("test.leaves_early") {
  int turns = 0;
  for (auto _ : loop) {
    if (++turns == 7) break;
  }
  return {};
}
CASE("test.never_turns") { return {}; }
CASE("test.fails") { return "CUDA_ERROR_INVALID_VALUE"; }
CASE("test.throws") { throw Status("CUDA_ERROR_OUT_OF_MEMORY"); }
CASE("test.empty") {
  for (auto _ : loop) {
  }
  return {};
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> NativeLibrary:
    """A library of the cases above."""
    directory = tmp_path_factory.mktemp("native")
    return NativeLibrary(str(compiled(directory)), "libcuda", "", "")


def compiled(directory: Path) -> Path:
    """Compile the cases above."""
    (directory / "test.cpp").write_text(SOURCE)
    made, native = directory / "test.so", ROOT / "native"
    words = ["-std=c++17", "-O3", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-shared", "-fPIC", f"-I{native}"]
    subprocess.run([host_compiler(), *words, directory / "test.cpp", native / "abi.cpp", "-o", made], check=True)
    return made


def test_seconds_are_those_of_the_turns(library: NativeLibrary) -> None:
    """Ten turns of 0.2 ms take 2 ms and not much more."""
    assert 0.002 <= library.run("test.sleeps", 10, 0) < 0.02


def test_drains_come_after_every_burst_and_are_not_timed(library: NativeLibrary) -> None:
    """Three bursts, 20 ms each to drain, the last before the case returns; next to no time in the turns."""
    assert library.run("test.drains", 10, 4) < 0.001


@pytest.mark.parametrize("turns", [5, 8, 600, 2000])
def test_a_case_that_leaves_its_loop_early_has_measured_nothing(library: NativeLibrary, turns: int) -> None:
    """In the first burst, in a later one, at its edge: told, and never a time that is too short."""
    if turns > 7:
        with pytest.raises(NativeError, match="left its loop before the last turn"):
            library.run("test.leaves_early", turns, 3)
    else:
        assert library.run("test.leaves_early", turns, 3) > 0


def test_a_case_without_a_loop_has_measured_nothing(library: NativeLibrary) -> None:
    """No turn, no time."""
    with pytest.raises(NativeError, match="left its loop"):
        library.run("test.never_turns", 10, 0)


@pytest.mark.parametrize(("case", "name"), [("fails", "CUDA_ERROR_INVALID_VALUE"), ("throws", "CUDA_ERROR_OUT_OF_MEMORY")])
def test_a_failed_call_is_told_by_its_name(library: NativeLibrary, case: str, name: str) -> None:
    """Whether a turn or the set-up failed."""
    with pytest.raises(NativeError, match=name):
        library.run(f"test.{case}", 10, 0)


def test_an_unknown_case_is_told(library: NativeLibrary) -> None:
    """By its id."""
    with pytest.raises(NativeError, match="no CASE"):
        library.run("test.nonsense", 10, 0)


def test_a_library_that_does_not_open_is_told(tmp_path: Path) -> None:
    """In its own words."""
    with pytest.raises(NativeError, match="no libcuda"):
        NativeLibrary(str(compiled(tmp_path)), "", "", "")


def test_turns_are_not_folded_together(library: NativeLibrary) -> None:
    """An empty loop costs time in proportion to its turns: the barrier holds the optimiser off."""
    assert library.run("test.empty", 10_000_000, 0) > 0.001
