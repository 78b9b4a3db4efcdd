"""py-spy: what it writes, and what it says when it may not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctkmatrix import envs, interpreters, sampling
from ctkmatrix.errors import MachineError
from ctkmatrix.job import Place

RAW = """\
<module> (/i/ctkmatrix/probe/worker.py);_ (/i/cases/stream.py);0x7f01 (/lib/python3.12/site-packages/cuda/core/cu12/_stream.so) 3
<module> (/i/ctkmatrix/probe/worker.py);_ (/i/cases/stream.py);0x7f02 (/l/libc.so.6);0x7f03 (/l/libc.so.6);f(int) (/l/libc.so.6) 2
"""


def test_stacks_have_the_words_of_the_others() -> None:
    """Places are shortened; code without a symbol is its library's, in one frame."""
    core = "/lib/python3.12/site-packages/cuda/core/cu12/_stream"
    stacks = sampling.read(RAW.replace(f"{core}.so", f"{core}.cpython-312-x86_64-linux-gnu.so").splitlines())
    own = ("<module> (probe/worker.py)", "_ (cases/stream.py)")
    assert stacks == {
        (*own, "unnamed (cuda.core._stream)"): 3,
        (*own, "unnamed (libc.so.6)", "f(int) (libc.so.6)"): 2,
    }


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Error: Permission Denied: Try running again with elevated permissions", "--cap-add SYS_PTRACE"),
        ("Error: Failed to parse python binary\n\nStack backtrace:\n 0: anyhow", "cannot read this interpreter's file"),
        ("Error: No python processes found\n\nStack backtrace:\n 0: anyhow", "No python processes found)"),
    ],
)
def test_a_refusal_says_what_to_do(tmp_path: Path, said: str, told: str) -> None:
    """Exit 13; py-spy's own words, without its backtrace."""
    log = tmp_path / "log"
    log.write_text(said, encoding="utf-8")
    failed = subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"])
    with pytest.raises(MachineError) as error:
        sampling.finish(failed, tmp_path / "samples", log)
    assert told in str(error.value)
    assert "anyhow" not in str(error.value)


@pytest.mark.slow
def test_a_python_program_is_sampled(place: Place, tmp_path: Path) -> None:
    """With the first interpreter whose file py-spy can read: where the program is, and nowhere else."""
    program = tmp_path / "spin.py"
    program.write_text("def spin():\n    while True:\n        sum(range(1000))\nspin()\n", encoding="utf-8")
    tool = envs.ensure_tools("profile", place.build).python.with_name("py-spy")
    refused = []
    for version in ("3.11", "3.12", "3.13", "3.14"):
        output, log = tmp_path / f"samples-{version}", tmp_path / f"log-{version}"
        spinning = subprocess.Popen([interpreters.find(version), program])
        try:
            stacks = sampling.finish(sampling.start(tool, spinning.pid, output, log), output, log)
        except MachineError as error:
            if sampling.UNREADABLE not in str(error):
                raise
            refused.append(str(error))
        else:
            assert all(any("spin.py" in frame for frame in stack) for stack in stacks)
            assert sum(stacks.values()) > sampling.SECONDS * sampling.RATE / 10
            return
        finally:
            spinning.kill()
            spinning.wait()
    pytest.skip(f"needs one interpreter whose file py-spy can read: {refused}")


def test_what_is_no_process_cannot_be_sampled(tmp_path: Path) -> None:
    """With a tool that ends at once: no samples, no hang."""
    tool = tmp_path / "py-spy"
    tool.write_text("#!/bin/sh\necho no such process $3 >&2\nexit 1\n", encoding="utf-8")
    tool.chmod(0o755)
    spy = sampling.start(tool, os.getpid(), tmp_path / "samples", tmp_path / "log")
    with pytest.raises(MachineError, match="no such process"):
        sampling.finish(spy, tmp_path / "samples", tmp_path / "log")
