"""The telemetry between requests."""

from __future__ import annotations

import os
import subprocess
import sys

import psutil
import pytest

from ctkmatrix import device, machine

BURN = """
import time
while time.process_time() < 0.3: pass
print("burnt", flush=True)
input()
"""


def test_a_childs_cpu_time_is_ours_while_it_lives_and_once_when_it_has_ended() -> None:
    """What a worker used is never taken for somebody else's. The kernel counts in ticks of 10 ms."""
    before = machine.cpu_time()
    with subprocess.Popen([sys.executable, "-c", BURN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        assert child.stdout.readline() == "burnt\n"
        living = machine.cpu_time()
        child.communicate("\n")
    ended = machine.cpu_time()
    assert 0.25 <= living["ours"] - before["ours"] < 1.0
    assert 0 <= ended["ours"] - living["ours"] < 0.3
    assert ended["busy"] - before["busy"] >= 0.25
    assert ended["clock"] > living["clock"] > before["clock"]


def test_ours_begins_with_this_process() -> None:
    """Its own time is in it, and no more than all processes' together."""
    own = sum(psutil.Process(os.getpid()).cpu_times()[:2])
    assert machine.cpu_time()["ours"] >= own


def test_the_null_driver_has_no_gpu_to_read() -> None:
    """Load and CPU time alone."""
    assert machine.telemetry(device.NULL).keys() == {"load", "cpu"}


@pytest.mark.gpu
def test_a_gpu_gives_what_flags_are_told_by() -> None:
    """Every reading that a flag looks at is a number."""
    gpu = machine.telemetry(device.find("gpu"))["gpu"]
    names = ("sm_clock", "throttle_reasons", "processes", "applications_clock", "applications_clock_default")
    assert {name: type(gpu[name]) for name in names} == dict.fromkeys(names, int)
