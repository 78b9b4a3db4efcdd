"""Which device is measured on. What is there and broken is never replaced in silence."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from ctkmatrix import device
from ctkmatrix.device import Device, find, near_cpus, parse_cpus
from ctkmatrix.errors import MachineError

if TYPE_CHECKING:
    from pathlib import Path

GPUS = [
    {"index": 0, "name": "H200", "uuid": "aa" * 16, "architecture": "90", "pci": "0000:01:00.0"},
    {"index": 1, "name": "B200", "uuid": "bb" * 16, "architecture": "100", "pci": "0000:02:00.0"},
]
WORKING = {"path": "/lib/libcuda.so.1", "status": 0, "cuda": 13000, "count": 2, "devices": GPUS}
MISSING = {"missing": "libcuda.so.1: cannot open shared object file: No such file or directory"}


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the machine's driver says; a test fills it in."""
    said: dict[str, Any] = {}
    monkeypatch.setattr(device, "probe", lambda: said)
    return said


def test_auto_takes_the_null_driver_where_there_is_no_driver(answer: dict[str, Any]) -> None:
    """Only then."""
    answer.update(MISSING)
    assert find("auto") == device.NULL


def test_auto_takes_the_gpu_where_there_is_one(answer: dict[str, Any]) -> None:
    """With the path of the driver that answered."""
    answer.update(WORKING)
    found = find("auto")
    assert (found.kind, found.name, found.libcuda, found.driver_cuda) == ("gpu", "H200", "/lib/libcuda.so.1", "13.0")


@pytest.mark.parametrize("asked", ["auto", "gpu", "gpu:0"])
def test_a_driver_that_does_not_work_is_never_replaced(answer: dict[str, Any], asked: str) -> None:
    """Neither auto nor gpu goes on over the null driver; the message says what to do."""
    answer.update({"path": "/lib/libcuda.so.1", "status": 803, "cuda": 0})
    with pytest.raises(MachineError, match=r"803.*reboot"):
        find(asked)


def test_a_gpu_that_was_asked_for_and_is_not_there(answer: dict[str, Any]) -> None:
    """Exit 13, with the way out."""
    answer.update(MISSING)
    with pytest.raises(MachineError, match=r"no NVIDIA driver.*leave --device away") as raised:
        find("gpu")
    assert raised.value.exit == 13


def test_a_gpu_is_chosen_by_index_or_uuid(answer: dict[str, Any]) -> None:
    """As nvidia-smi names them; an unknown one is answered with those that are there."""
    answer.update(WORKING)
    assert find("gpu:1").name == "B200"
    assert find("gpu:GPU-bbbbbbbb").name == "B200"
    with pytest.raises(MachineError, match=r"0 \(H200, GPU-aaaaaaaa-.*1 \(B200"):
        find("gpu:7")


def test_null_asks_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the null driver was asked for, the machine's own is not even looked at."""
    monkeypatch.setattr(device, "probe", lambda: pytest.fail("the driver was asked"))
    assert find("null") == device.NULL


def test_the_probe_runs_a_real_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A libcuda that fails to initialise is told by its status and path: a stub, here, as in a toolkit's stubs directory."""
    source = "int cuInit(unsigned f) { return 34; }\nint cuDriverGetVersion(int *v) { *v = 13000; return 0; }\n"
    library = tmp_path / "libcuda.so.1"
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=source, text=True, check=True)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    with pytest.raises(MachineError, match=r"error 34; a stub libcuda") as raised:
        find("auto")
    assert str(library) in str(raised.value)


def test_a_library_that_is_no_library_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken libcuda is not «no driver»."""
    (tmp_path / "libcuda.so.1").write_text("not a library")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    with pytest.raises(MachineError, match="cannot be loaded"):
        find("auto")


@pytest.mark.parametrize(("text", "cpus"), [("0-3,8\n", {0, 1, 2, 3, 8}), ("5", {5}), ("0-1,4-5", {0, 1, 4, 5})])
def test_cpu_lists(text: str, cpus: set[int]) -> None:
    """The kernel's own notation."""
    assert parse_cpus(text) == cpus


def test_without_a_known_bus_any_allowed_cpu_is_near() -> None:
    """The null driver is near everything; an unknown bus forbids nothing."""
    assert near_cpus(device.NULL, {3, 4}) == {3, 4}
    assert near_cpus(Device("gpu", "x", "90", pci="ffff:ff:ff.f"), {3}) == {3}
