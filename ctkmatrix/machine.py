"""The machine and the harness themselves, for the manifest; and the telemetry between requests."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
import platform
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pynvml

if TYPE_CHECKING:
    from ctkmatrix.device import Device


def now() -> str:
    """Return the time of day, ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def describe() -> dict[str, Any]:
    """Return what is known of this machine; ``id`` tells machines apart (results of two are never mixed)."""
    identity = _read("/etc/machine-id") + platform.node() + _cpu_model() + str(psutil.cpu_count())
    release: dict[str, str] = {}
    with contextlib.suppress(OSError):
        release = platform.freedesktop_os_release()
    return {
        "id": hashlib.sha256(identity.encode()).hexdigest()[:16],
        "cpu": _cpu_model(),
        "cpus": psutil.cpu_count(),
        "allowed_cpus": sorted(os.sched_getaffinity(0)),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "unknown",
        "boost": _read("/sys/devices/system/cpu/cpufreq/boost") or "unknown",
        "memory_bytes": psutil.virtual_memory().total,
        "system": release.get("PRETTY_NAME", platform.system()),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "driver_model": "none: Linux has one kind of driver, where Windows has WDDM, TCC and MCDM",
        "libc": " ".join(platform.libc_ver()),
        "load": list(os.getloadavg()),
    }


def harness(root: Path) -> dict[str, Any]:
    """Return the commit of the checkout at *root* and whether it was changed since; empty strings outside a checkout."""
    commit = _git(root, "rev-parse", "HEAD")
    return {"commit": commit, "dirty": bool(_git(root, "status", "--porcelain")) if commit else None}


def orchestrator() -> dict[str, str]:
    """Return the versions of everything in the orchestrator's environment, its Python included."""
    found = {d.metadata["Name"].lower(): d.version for d in importlib.metadata.distributions()}
    return {"python": platform.python_version(), **dict(sorted(found.items()))}


def least_loaded(cpus: set[int]) -> int:
    """Return the CPU of *cpus* that did least since the last call."""
    used = psutil.cpu_percent(percpu=True)
    return min(sorted(cpus), key=lambda cpu: used[cpu] if cpu < len(used) else 0.0)


def telemetry(device: Device) -> dict[str, Any]:
    """Return the load, CPU time, and on a GPU its clocks (MHz), temperature, power (W), throttling and use."""
    found: dict[str, Any] = {"load": os.getloadavg()[0], "cpu": cpu_time()}
    if device.kind == "gpu":
        try:
            found["gpu"] = _gpu(device)
        except pynvml.NVMLError as error:
            found["gpu"] = {"error": str(error)}
    return found


def cpu_time() -> dict[str, float]:
    """Return counters in seconds, for differences: CPU time that is ``busy``, of it ``ours``, and a ``clock``.

    Busy is all CPUs', what a hypervisor took away included; ours is this process's, its ended children's and its living ones'.
    """
    used, ours = psutil.cpu_times(), sum(os.times()[:4])
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            ours += sum(child.cpu_times()[:4])
    busy = sum(getattr(used, name, 0.0) for name in ("user", "nice", "system", "irq", "softirq", "steal"))
    return {"busy": busy, "ours": ours, "clock": time.monotonic()}


def _gpu(device: Device) -> dict[str, Any]:
    pynvml.nvmlInit()
    try:
        handle = pynvml.nvmlDeviceGetHandleByUUID(device.uuid)
        readings = {
            "driver": pynvml.nvmlSystemGetDriverVersion,
            "sm_clock": lambda: pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM),
            "sm_clock_max": lambda: pynvml.nvmlDeviceGetMaxClockInfo(handle, pynvml.NVML_CLOCK_SM),
            "applications_clock": lambda: pynvml.nvmlDeviceGetApplicationsClock(handle, pynvml.NVML_CLOCK_SM),
            "applications_clock_default": lambda: pynvml.nvmlDeviceGetDefaultApplicationsClock(handle, pynvml.NVML_CLOCK_SM),
            "memory_clock": lambda: pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_MEM),
            "temperature": lambda: pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU),
            "power": lambda: pynvml.nvmlDeviceGetPowerUsage(handle) / 1000,
            "throttle_reasons": lambda: pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle),
            "power_violation": lambda: _violation(handle, pynvml.NVML_PERF_POLICY_POWER),
            "thermal_violation": lambda: _violation(handle, pynvml.NVML_PERF_POLICY_THERMAL),
            "persistence": lambda: pynvml.nvmlDeviceGetPersistenceMode(handle),
            "processes": lambda: len(pynvml.nvmlDeviceGetComputeRunningProcesses(handle)),
            "mig": lambda: pynvml.nvmlDeviceGetMigMode(handle)[0],
        }
        found: dict[str, Any] = {}
        for name, read in readings.items():
            try:
                found[name] = read()
            except pynvml.NVMLError as error:
                found[name] = str(error)
        return found
    finally:
        pynvml.nvmlShutdown()


def _violation(handle: object, policy: int) -> int:
    """Return the ns that the GPU ever spent below its clocks for the sake of *policy*."""
    return int(pynvml.nvmlDeviceGetViolationStatus(handle, policy).violationTime)


def _cpu_model() -> str:
    for line in _read("/proc/cpuinfo").splitlines():
        if line.startswith(("model name", "CPU part")):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _read(path: str) -> str:
    with contextlib.suppress(OSError):
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    return ""


def _git(root: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, timeout=30, check=True)  # noqa: S607
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
