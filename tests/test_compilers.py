"""Compiling with real toolkits and the machine's own C++ compiler."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path

import pytest

from ctkmatrix import compilers
from ctkmatrix.errors import EnvironmentFailed, MachineError
from ctkmatrix.toolkits import Installed, _cuda_version, find

KERNELS = Path(__file__).parent.parent / "native" / "kernels.cu"

SOURCE = """
#include <cuda.h>
#include <nvrtc.h>
#include "answer.hpp"
extern "C" int answer() { static_assert(__cplusplus >= 201703L); return answer_of(CUDA_VERSION); }
"""

RUNTIME_SOURCE = '#include <cuda.h>\nextern "C" int cudaRuntimeGetVersion(int *); extern "C" int answer() { int v = 0; '
RUNTIME_SOURCE += "cudaRuntimeGetVersion(&v); return v; }"


@pytest.fixture(scope="session", params=["toolkit_13", "toolkit_12"])
def installed(request: pytest.FixtureRequest) -> Installed:
    """A toolkit with nvcc, and one without."""
    return unpacked(request.getfixturevalue(request.param))


def unpacked(directory: Path) -> Installed:
    """Return the toolkit in *directory*, of whatever version it is."""
    return find(_cuda_version(next(directory.glob("nvidia/*/include/cuda.h"))), directory)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A source and its header, in directories of their own."""
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "answer.hpp").write_text("inline int answer_of(int version) { return version; }\n")
    (tmp_path / "answer.cpp").write_text(SOURCE)
    return tmp_path


def library(installed: Installed, project: Path) -> compilers.Built:
    """Compile the project."""
    headers = [project / "headers" / "answer.hpp"]
    return compilers.compile_library(installed, [project / "answer.cpp"], headers, project / "cache")


def version_number(installed: Installed) -> int:
    """Return CUDA_VERSION."""
    major, minor = map(int, installed.version.split("."))
    return major * 1000 + minor * 10


def test_a_library_is_built_by_the_toolkit(installed: Installed, project: Path) -> None:
    """C++17 against the toolkit's headers, without libcuda and cudart; the manifest learns compilers, versions and flags."""
    built = library(installed, project)
    assert ctypes.CDLL(str(built.path)).answer() == version_number(installed)
    assert b"libcuda" not in built.path.read_bytes()
    assert {"-O3", "-std=c++17", "-fPIC"} <= set(built.flags)
    assert built.how == installed.how
    assert (f"nvcc {installed.nvcc_version} with g++" in built.compiler) == (installed.nvcc is not None)
    assert str(project) not in " ".join(built.flags)


def test_a_library_is_kept_by_content(installed: Installed, project: Path) -> None:
    """Nothing is compiled again until a source or a header changes."""
    first = library(installed, project)
    assert library(installed, project) == first
    (project / "headers" / "answer.hpp").write_text("inline int answer_of(int) { return 42; }\n")
    assert ctypes.CDLL(str(library(installed, project).path)).answer() == 42


def test_the_static_runtime_is_linked_in(installed: Installed, tmp_path: Path) -> None:
    """With cudart, the toolkit's own runtime answers from within the library."""
    source = tmp_path / "answer.cpp"
    source.write_text(RUNTIME_SOURCE)
    built = compilers.compile_library(installed, [source], [], tmp_path / "cache", cudart=True)
    assert ctypes.CDLL(str(built.path)).answer() == version_number(installed)


def test_a_source_that_does_not_compile_is_told_in_the_compilers_words(installed: Installed, tmp_path: Path) -> None:
    """The message holds what the compiler said, and nothing is kept."""
    source = tmp_path / "wrong.cpp"
    source.write_text("int answer( { }\n")
    with pytest.raises(EnvironmentFailed, match=r"(?s)could not compile.*failed with status.*wrong\.cpp:1"):
        compilers.compile_library(installed, [source], [], tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_cubin_holds_the_kernels(installed: Installed, tmp_path: Path) -> None:
    """Either compiler makes machine code of the same file; this process never maps NVRTC."""
    built = compilers.compile_cubin(installed, KERNELS, "sm_90", tmp_path)
    code = built.path.read_bytes()
    assert code.startswith(b"\x7fELF")
    assert b".text.empty\0" in code
    assert b".text.pointers_16\0" in code
    assert built.flags[-1].endswith("sm_90")
    assert ("NVRTC" in built.compiler) == (installed.nvcc is None)
    assert "libnvrtc" not in Path("/proc/self/maps").read_text()


def test_a_gpu_of_an_unknown_minor_gets_older_code(installed: Installed, tmp_path: Path) -> None:
    """For sm_93, which no toolkit knows, code for sm_90 is made, and the flags say so."""
    assert compilers.compile_cubin(installed, KERNELS, "sm_93", tmp_path).flags[-1].endswith("sm_90")


def test_a_gpu_that_the_toolkit_does_not_know_is_told(installed: Installed, tmp_path: Path) -> None:
    """A major version without code fails in words, with what there is."""
    with pytest.raises(EnvironmentFailed, match=r"no code for sm_990, only for .*sm_90"):
        compilers.compile_cubin(installed, KERNELS, "sm_990", tmp_path)


@pytest.mark.parametrize(
    ("asked", "made"), [("sm_86", "sm_86"), ("sm_89", "sm_86"), ("sm_81", "sm_80"), ("sm_103", "sm_100"), ("sm_121", "sm_120")]
)
def test_fitting_code_is_the_newest_that_runs(asked: str, made: str) -> None:
    """Same major, no newer minor: the rule by which machine code runs on another GPU."""
    assert compilers.fitting(asked, ["sm_80", "sm_86", "sm_100", "sm_120"]) == made


def test_code_for_a_newer_minor_does_not_run() -> None:
    """sm_86 cannot run what is made for sm_89."""
    with pytest.raises(EnvironmentFailed, match="no code for sm_86"):
        compilers.fitting("sm_86", ["sm_89", "sm_90"])


def gcc_that_claims(version: int, directory: Path) -> Path:
    """A compiler that is the machine's own, but for the version that it claims to be of."""
    path = directory / "g++"
    path.write_text(f'#!/bin/sh\nexec {shutil.which("g++", path="/usr/bin:/bin")} -U__GNUC__ -D__GNUC__={version} "$@"\n')
    path.chmod(0o755)
    return path


def test_a_compiler_too_new_for_nvcc_fails_in_nvccs_words(
    toolkit_13: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NVCC_CCBIN is honoured, and nvcc says what it thinks of that compiler."""
    monkeypatch.setenv("NVCC_CCBIN", str(gcc_that_claims(99, tmp_path)))
    with pytest.raises(EnvironmentFailed, match=r"(?s)NVCC_CCBIN chooses another.*unsupported GNU version"):
        compilers.compile_cubin(unpacked(toolkit_13), KERNELS, "sm_90", tmp_path / "cache")


def test_nvcc_ccbin_names_a_program_or_its_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both forms that nvcc knows are understood."""
    compiler = gcc_that_claims(12, tmp_path)
    for value in (compiler, tmp_path):
        monkeypatch.setenv("NVCC_CCBIN", str(value))
        assert compilers.host_compiler() == str(compiler)


def test_a_missing_compiler_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No compiler on PATH, or an NVCC_CCBIN that is none: the machine lacks something."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("NVCC_CCBIN", raising=False)
    with pytest.raises(MachineError, match=r"no C\+\+ compiler: install g\+\+ .* or set NVCC_CCBIN"):
        compilers.host_compiler()
    monkeypatch.setenv("NVCC_CCBIN", "g++-99")
    with pytest.raises(MachineError, match=r"NVCC_CCBIN names g\+\+-99, which is no program"):
        compilers.host_compiler()


def test_flags_that_nvcc_takes_from_the_environment_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """They change what is built, so they belong to the flags and to the key by which it is kept."""
    monkeypatch.setenv("NVCC_PREPEND_FLAGS", "-DONE '-DTWO=a b'")
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-allow-unsupported-compiler")
    assert compilers._nvcc_variables() == ["-DONE", "-DTWO=a b", "-allow-unsupported-compiler"]


def test_a_command_that_hangs_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for ever for a compiler."""
    monkeypatch.setattr(compilers, "TIME_LIMIT", 0.1)
    with pytest.raises(EnvironmentFailed, match="`sleep` did not end within"):
        compilers.run(("sleep", "5"))
