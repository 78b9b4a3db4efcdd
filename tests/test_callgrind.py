"""Finding and steering a real valgrind; what is said where there is none."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import callgrind, compilers
from ctkmatrix.errors import Exit, MachineError

if TYPE_CHECKING:
    from ctkmatrix.job import Place

PROGRAM = """
import sys
sys.path.append(sys.argv[1])
from ctkmatrix.probe.count import Marker
marker = Marker(*sys.argv[2:])

def run(turns):
    for _ in range(turns):
        pass

def fails(turns):
    raise ArithmeticError

marker.start()
try:
    marker.instructions(fails, 1)
except ArithmeticError:
    pass
print([marker.instructions(run, turns) for turns in (1000, 2000, 3000)])
"""


@pytest.mark.slow
def test_only_what_the_marker_asks_for_is_counted(place: Place, tmp_path: Path) -> None:
    """Equal steps, thousands of instructions, not the start-up's millions; one that failed before moves nothing."""
    found = callgrind.find(place.build / "native", compilers.host_compiler())
    output = tmp_path / "100%p" / "out"
    output.parent.mkdir()
    command = [*found.command(Path(sys.executable), output), "-c", PROGRAM, str(place.root), str(found.marker), str(output)]
    done = subprocess.run(command, env=dict(callgrind.ENVIRONMENT), check=True, capture_output=True, text=True)
    once, twice, thrice = json.loads(done.stdout)
    assert thrice - twice == pytest.approx(twice - once, rel=0.05)
    assert 10_000 < once < 1_000_000


def test_no_valgrind_is_said_with_where_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The machine lacks something: exit 13."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="apt-get install valgrind") as raised:
        callgrind.find(tmp_path, "c++")
    assert raised.value.exit is Exit.MACHINE


def test_a_valgrind_without_headers_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The marker cannot be built: where the headers are from, with the compiler's own words."""
    empty = tmp_path / "marker.c"
    empty.write_text("#include <valgrind/no_such_header.h>\n")
    monkeypatch.setattr(callgrind, "MARKER", empty)
    with pytest.raises(MachineError, match=r"valgrind-devel.*no_such_header"):
        callgrind.find(tmp_path / "cache", compilers.host_compiler())


def test_a_machine_that_does_not_let_addresses_be_fixed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Counts that move with addresses are none: exit 13, with what a container has to allow."""
    refusing = tmp_path / "setarch"
    refusing.write_text("#!/bin/sh\necho 'setarch: failed to set personality: Operation not permitted' >&2\nexit 1\n")
    refusing.chmod(0o755)
    valgrind = shutil.which("valgrind")
    assert valgrind
    monkeypatch.setenv("PATH", f"{tmp_path}:{Path(valgrind).parent}")
    with pytest.raises(MachineError, match=r"container.*personality"):
        callgrind.find(tmp_path / "cache", "c++")
