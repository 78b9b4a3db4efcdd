"""The program that compiles kernels with NVRTC."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from ctkmatrix.compilers import NVRTC_PROGRAM

if TYPE_CHECKING:
    from pathlib import Path


def run(toolkit: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program with the NVRTC of *toolkit*."""
    library = next(toolkit.glob("nvidia/cuda_nvrtc/lib/libnvrtc.so.*"))
    command = (sys.executable, "-I", str(NVRTC_PROGRAM), str(library), *arguments)
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_it_lists_what_it_knows(toolkit_12: Path) -> None:
    """One architecture a line, by the names that nvcc uses."""
    lines = run(toolkit_12).stdout.split()
    assert "sm_90" in lines
    assert all(line.startswith("sm_") for line in lines)


def test_a_source_that_does_not_compile_is_told_by_its_log(toolkit_12: Path, tmp_path: Path) -> None:
    """Status 1, file and line on standard error, and no output."""
    source = tmp_path / "wrong.cu"
    source.write_text("__global__ void k() { undeclared(); }\n")
    done = run(toolkit_12, str(source), "--gpu-architecture=sm_90", "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    assert 'wrong.cu(1): error: identifier "undeclared" is undefined' in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_unknown_option_is_told(toolkit_12: Path, tmp_path: Path) -> None:
    """NVRTC's own words for what it refuses."""
    source = tmp_path / "k.cu"
    source.write_text("")
    done = run(toolkit_12, str(source), "--no-such-option", "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    assert "no-such-option" in done.stderr
