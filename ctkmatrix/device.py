"""Which device a run measures on: the GPU that is there, or the null driver. Never a silent change from one to the other."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ctkmatrix import needs
from ctkmatrix.errors import MachineError

PROBE_LIMIT = 60.0
"""Seconds that a driver may take to answer: a cold GPU needs several."""

WSL = Path("/usr/lib/wsl/lib/libcuda.so.1")
"""Where Windows puts its driver for Linux guests, off the loader's path."""

# Runs in a child: our own process must hold neither a driver nor a context.
PROBE = """
import ctypes, json, sys
path, index = sys.argv[1], int(sys.argv[2])
try:
    cuda = ctypes.CDLL(path)
except OSError as error:
    print(json.dumps({"missing": str(error)})); sys.exit()
where = next((l.split()[-1] for l in open("/proc/self/maps") if "libcuda.so" in l), path)
status = cuda.cuInit(0)
version, count = ctypes.c_int(), ctypes.c_int()
cuda.cuDriverGetVersion(ctypes.byref(version))
found = {"path": where, "status": status, "cuda": version.value}
if status == 0:
    cuda.cuDeviceGetCount(ctypes.byref(count))
    found["count"] = count.value
    found["devices"] = []
    for i in range(count.value):
        device, name, uuid = ctypes.c_int(), ctypes.create_string_buffer(128), (ctypes.c_ubyte * 16)()
        major, minor, bus = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(32)
        cuda.cuDeviceGet(ctypes.byref(device), i)
        cuda.cuDeviceGetName(name, 128, device)
        cuda.cuDeviceGetUuid(uuid, device)
        cuda.cuDeviceGetAttribute(ctypes.byref(major), 75, device)
        cuda.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)
        cuda.cuDeviceGetPCIBusId(bus, 32, device)
        found["devices"].append({"index": i, "name": name.value.decode(), "uuid": bytes(uuid).hex(),
                                 "architecture": f"{major.value}{minor.value}", "pci": bus.value.decode().lower()})
print(json.dumps(found))
"""

ADVICE = {
    34: "a stub libcuda was loaded in place of the driver: take the directory of stubs out of LD_LIBRARY_PATH",
    100: "the driver sees no GPU: look at CUDA_VISIBLE_DEVICES, or ask for the null driver with --device null",
    802: "the system is not ready yet (on NVSwitch machines: is the fabric manager running?)",
    803: "the kernel's driver and libcuda are of different versions: reboot after the driver's update, or take a compat libcuda "
    "out of LD_LIBRARY_PATH",
    804: "a compat libcuda meets a driver that it is not made for: take it out of LD_LIBRARY_PATH",
    999: "the driver failed without saying why: nvidia-smi may tell more",
}


@dataclass(frozen=True, slots=True)
class Device:
    """Where calls go. ``libcuda`` is the path to load, empty for the null driver until it is built.

    ``visible`` is what CUDA_VISIBLE_DEVICES is set to for the workers, empty for no change.
    """

    kind: str
    name: str
    architecture: str
    uuid: str = ""
    libcuda: str = ""
    driver_cuda: str = ""
    """The CUDA version that the driver supports, such as ``13.0``."""
    pci: str = ""
    visible: str = ""
    driver_model: str = "none (Linux)"
    """WDDM, TCC or MCDM on Windows; Linux has no such choice (seed #1207)."""

    @property
    def target(self) -> str:
        """What variants run on, as ``needs`` names it: ``null``, or a GPU's architecture."""
        return needs.target(self.kind, self.architecture)


NULL = Device("null", "null driver", "90")
"""The null driver answers as a device of compute capability 9.0, the oldest that has tensor maps."""


def find(asked: str) -> Device:
    """Return the device for *asked*: ``auto``, ``null``, ``gpu``, ``gpu:INDEX`` or ``gpu:UUID``.

    Raises MachineError where a driver or GPU is there and does not work, or a GPU was asked for and there is none.
    """
    if asked == "null":
        return NULL
    answer = probe()
    if "missing" in answer:
        if asked == "auto":
            return NULL
        raise MachineError(
            f"--device {asked}: there is no NVIDIA driver on this machine ({answer['missing']}). Install one, or leave --device "
            "away to measure over the null driver."
        )
    return _usable(answer, asked)


def _usable(answer: dict[str, Any], asked: str) -> Device:
    if answer["status"]:
        advice = ADVICE.get(answer["status"], "nvidia-smi may tell more")
        raise MachineError(f"the driver at {answer['path']} does not work: cuInit gives error {answer['status']}; {advice}.")
    devices = answer["devices"]
    wanted = asked.partition(":")[2]
    uuid = wanted.lower().removeprefix("gpu-").replace("-", "")
    found = [d for d in devices if not wanted or wanted == str(d["index"]) or (len(uuid) >= 4 and d["uuid"].startswith(uuid))]
    if not found:
        names = ", ".join(f"{d['index']} ({d['name']}, {_uuid(d['uuid'])})" for d in devices) or "none"
        raise MachineError(f"--device {asked}: no such GPU. The driver sees: {names}.")
    chosen = found[0]
    version = answer["cuda"]
    return Device(
        kind="gpu",
        name=chosen["name"],
        architecture=chosen["architecture"],
        uuid=_uuid(chosen["uuid"]),
        libcuda=answer["path"],
        driver_cuda=f"{version // 1000}.{version % 1000 // 10}",
        pci=chosen["pci"],
        visible=_uuid(chosen["uuid"]),
    )


def probe() -> dict[str, Any]:
    """Return what the machine's libcuda says of itself; ``{"missing": why}`` where there is none at all.

    Raises MachineError where it crashes or hangs.
    """
    for path in ("libcuda.so.1", *([str(WSL)] if WSL.exists() else [])):
        command = [sys.executable, "-I", "-c", PROBE, path, "0"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_LIMIT, check=True)
        except subprocess.TimeoutExpired as error:
            raise MachineError(
                f"the driver ({path}) did not answer within {PROBE_LIMIT:.0f} s; nvidia-smi may tell more."
            ) from error
        except subprocess.CalledProcessError as error:
            end = signal.Signals(-error.returncode).name if error.returncode < 0 else _last_line(error.stderr)
            raise MachineError(f"the driver ({path}) crashed when it was asked for its devices: {end}.") from error
        answer = _answer(done.stdout, path)
        if "missing" not in answer:
            return answer
        if "cannot open shared object file" not in answer["missing"]:
            raise MachineError(f"there is a {path}, and it cannot be loaded: {answer['missing']}.")
    return answer


def _answer(said: str, path: str) -> dict[str, Any]:
    """Return the probe's answer among whatever a driver may print beside it. Raises MachineError where there is none."""
    for line in said.splitlines():
        with contextlib.suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict):
                return found
    raise MachineError(f"the driver ({path}) ended the process that asked for its devices; nvidia-smi may tell more.")


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it said nothing"])[-1]


def near_cpus(device: Device, allowed: set[int]) -> set[int]:
    """Return those of the *allowed* CPUs that are near the device, or all of them where that is not known or none is."""
    if device.pci:
        with contextlib.suppress(OSError, ValueError):
            near = parse_cpus(Path(f"/sys/bus/pci/devices/{device.pci}/local_cpulist").read_text())
            return near & allowed or allowed
    return allowed


def parse_cpus(text: str) -> set[int]:
    """Return the CPUs of a kernel list such as ``0-3,8``. Raises ValueError on anything else."""
    cpus: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        cpus |= set(range(int(first), int(last or first) + 1))
    return cpus


def _uuid(digits: str) -> str:
    return f"GPU-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
