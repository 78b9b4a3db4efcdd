"""A deterministic builder of plausible results, of any size, for the tests of the page alone: no number of it was measured."""

from __future__ import annotations

import random
from dataclasses import replace

from ctkmatrix import counts
from ctkmatrix.model import (
    Case,
    Cell,
    CellResult,
    Count,
    Estimate,
    Field,
    Flag,
    Manifest,
    Metric,
    Outcome,
    Profile,
    Results,
    Status,
    Variant,
)

HOSTILE = "<script>alert('x')</script> & \"quotes\""
NO_PYTHON = "no interpreter for Python 3.14 was found; install it with `uv python install 3.14`"
RELEASES = (
    ("12.9", "12.9.4"),
    ("12.9", "12.9.10"),
    ("13.0", "13.0.3"),
    ("13.1", "13.1.1"),
    ("13.2", "13.2.0"),
    ("13.3", "13.3.1"),
    ("13.4", "13.4.4"),
    ("13.5", "13.5.0"),
)
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLAIN = (("native", 0.0), ("bindings", 420e-9), ("core", 1100e-9))
CASES = (
    ("loop.empty", "An empty loop: what the loop itself costs.", 2e-9, (("native", 0.0), ("python", 1.4e-9))),
    ("device.get", "cuDeviceGet.", 4e-9, (("native", 0.0), ("bindings", 150e-9))),
    ("device.current", "cuCtxSetCurrent; Device.set_current().", 10e-9, PLAIN),
    ("enum.construct", "CUresult(0).", 0.0, (("bindings", 260e-9),)),
    ("enum.member", "CUresult.CUDA_SUCCESS.", 0.0, (("bindings", 18e-9),)),
    ("stream.create_destroy", "Create and destroy a stream.", 1800e-9, PLAIN),
    ("event.create_destroy", "Create and destroy an event.", 240e-9, PLAIN),
    ("event.record", "Record an event on a stream.", 180e-9, PLAIN),
    ("memory.alloc_free", "Allocate and free 64 KiB on a stream.", 700e-9, PLAIN),
    ("launch.empty", "Launch an empty kernel.", 1900e-9, PLAIN),
    ("launch.args_16", "Launch a kernel with 16 pointers.", 2100e-9, (("native", 0.0), ("bindings", 2900e-9), ("core", 7400e-9))),
    ("tensormap.encode_3", "Encode three descriptors.", 120e-9, (("native", 0.0), ("bindings", 2600e-9))),
    ("nvrtc.compile", "Compile a tiny kernel.", 5.2e-3, (("native", 0.0), ("bindings", 3e-6), ("core", 31e-6))),
)


def cells() -> tuple[Cell, ...]:
    """Return 32 cells in version order."""
    return tuple(Cell(toolkit, python, bindings, "1.2.2") for toolkit, bindings in RELEASES for python in PYTHONS)


def cases(count: int) -> tuple[Case, ...]:
    """Return the thirteen cases above, and as many more of area ``bulk`` as make *count* rows; one is called by markup."""
    made = [_case(case, title, variants) for case, title, _, variants in CASES]
    rows = sum(len(variants) - (variants[0][0] == "native") for *_, variants in CASES)
    made += [_case(f"bulk.case_{number:03}", "One of many.", PLAIN) for number in range((count - rows + 1) // 2)]
    made.append(_case("odd." + HOSTILE.replace(" ", ""), HOSTILE, PLAIN))
    return tuple(made)


def _case(case: str, title: str, variants: tuple[tuple[str, float], ...]) -> Case:
    names = [name for name, _ in variants]
    runtime = [Variant("bindings-runtime", ("cudaEventRecord",), "cudart", "gpu")] if case == "event.record" else []
    return Case(
        case,
        title,
        tuple(Variant(name, ("cuEventRecord",), "a method call" if name == "core" else "") for name in names) + tuple(runtime),
        calls_per_turn=3 if case == "tensormap.encode_3" else 1,
        without_native="" if "native" in names else "An enumeration costs nothing at run time in C++.",
        version="5f1c",
    )


def results(
    rows: int = 25,
    device_kind: str = "null",
    status: str = "incomplete",
    processes: int = 12,
    metric: Metric = Metric.TIME,
) -> Results:
    """Return results of 32 cells and about *rows* case variants: with failures, cells that did not run, missing twins."""
    planned, random_ = cases(rows), random.Random(7)
    chosen = cells()
    fields = tuple(
        _measured(random_, blank, case, processes) if blank.outcome.status is Status.MEASURED else blank
        for cell in chosen
        for case in planned
        for blank in (Field(cell.id, case.id, each.name, _outcome(cell, case, each, device_kind)) for each in case.variants)
    )
    if metric is not Metric.TIME:
        fields = _with_counts(fields, planned, metric)
    return Results(
        _manifest(device_kind, status, processes, metric),
        planned,
        tuple(_cell(cell, device_kind, processes) for cell in chosen),
        fields,
        1e-6,
        ((Cell("12.9", "3.14t", "12.9.4", "1.2.2"), "cuda-bindings 12.9.4 has no wheel for Python 3.14t"),),
    )


def counted(processes: int = 5) -> Results:
    """Return the results of a run that counted instructions alone."""
    return results(processes=processes, metric=Metric.INSTRUCTIONS)


def alter(results_: Results, changed: Field) -> Results:
    """Return *results_* with one field replaced."""
    key = (changed.cell, changed.case, changed.variant)
    kept = tuple(changed if (field.cell, field.case, field.variant) == key else field for field in results_.fields)
    return replace(results_, fields=kept)


def estimate(value: float, half: float, processes: int = 12) -> Estimate:
    """Return an estimate whose upper half is the larger by a fifth."""
    return Estimate(value, value - half, value + 1.2 * half, (value,) * processes)


def _away(cell: Cell) -> bool:
    return cell.python == "3.14" and cell.toolkit in {"12.9", "13.0"}


def _measured(random_: random.Random, blank: Field, case: Case, processes: int) -> Field:
    native = {name: time for name, _, time, _ in CASES}.get(case.id, 180e-9)
    usual = {name: dict(variants) for name, _, _, variants in CASES}.get(case.id, {})
    above = usual.get(blank.variant, dict(PLAIN).get(blank.variant, 300e-9))
    overhead = above * random_.uniform(0.8, 1.25) * (1.15 if "-py3.11-" in blank.cell else 1.0)
    if case.id == "loop.empty" and blank.variant != "native":
        overhead = random_.uniform(-5e-9, 3e-9)
    noise = max(overhead * random_.uniform(0.01, 0.06), 0.3e-9)
    time = estimate(max(native + overhead, 1e-9), noise, processes)
    if blank.variant == "native" or case.without_native or (case.id, blank.cell) == LONELY:
        return replace(blank, time=time)
    ratio = estimate(time.value / native, noise / native, processes)
    return replace(blank, time=time, overhead=estimate(overhead, noise, processes), ratio=ratio)


def _with_counts(fields: tuple[Field, ...], planned: tuple[Case, ...], metric: Metric) -> tuple[Field, ...]:
    """Give every field that was measured, and needs no GPU, a count; without times where instructions alone were counted."""
    random_ = random.Random(11)
    over_null = {(case.id, variant.name) for case in planned for variant in case.variants if not variant.needs}
    both = tuple(
        replace(field, count=_count(random_, field) if (field.case, field.variant) in over_null else None)
        if field.time
        else field
        for field in fields
    )
    if metric is Metric.BOTH:
        return both
    return tuple(replace(field, time=None, overhead=None, ratio=None) for field in both)


def _count(random_: random.Random, field: Field) -> Count:
    """Make a count of five processes: most alike, some in two modes, those of ``RESTLESS`` not settled."""
    usual = {"native": 62.0, "core": 4700.0}.get(field.variant, 1240.0) * (9000 if field.case == "nvrtc.compile" else 1)
    release = 1.9 if field.variant == "core" and "-b12." in field.cell else 1.0
    python = {"3.11": 1.12, "3.12": 1.04, "3.13": 1.06}.get(field.cell.partition("-py")[2].partition("-")[0], 1.0)
    least = round(
        usual * release * (python if field.variant != "native" else 1) * random_.choice((1, 1, 1, 0.97, 1.004, 1.023)), 2
    )
    upper = 1.015 if random_.random() < 0.1 else 1.0
    points = [least * (upper if process % 2 else 1) * (1 + random_.random() * 0.0002) for process in range(5)]
    return counts.summary(points, turns=10000, settled=(field.case, field.cell) != RESTLESS)


COMPILER = "g++ 12.2.0, headers of the toolkit"
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""SHA-256 of nothing."""

LONELY = ("memory.alloc_free", "cu13.1-py3.12-b13.1.1-c1.2.2")
"""The native twin failed here alone."""

RESTLESS = ("event.record", "cu13.0-py3.12-b13.0.3-c1.2.2")
"""Counts that did not settle."""


def _outcome(cell: Cell, case: Case, variant: Variant, device_kind: str) -> Outcome:
    if _away(cell):
        return Outcome(Status.NOT_RUN, NO_PYTHON)
    if variant.needs == "gpu" and device_kind == "null":
        return Outcome(Status.NOT_APPLICABLE, "needs a GPU: a genuine driver is checked for")
    if variant.name == "native" and (case.id, cell.id) == LONELY:
        return Outcome(Status.FAILED, "CUDA_ERROR_OUT_OF_MEMORY")
    if case.id == "launch.empty" and variant.name == "core" and cell.toolkit in {"13.4", "13.5"}:
        return Outcome(Status.FAILED, f"TypeError: launch() got {HOSTILE}")
    if case.id == "nvrtc.compile" and cell.id == "cu13.5-py3.14-b13.5.0-c1.2.2":
        return Outcome(Status.FAILED, "no answer in 60 s: the worker was ended")
    return Outcome(Status.MEASURED)


def _cell(cell: Cell, device_kind: str, processes: int) -> CellResult:
    if _away(cell):
        return CellResult(cell, Outcome(Status.NOT_RUN, NO_PYTHON))
    flags = (
        *([Flag.NULL_DRIVER] if device_kind == "null" else []),
        *([Flag.FEW_PROCESSES] if processes < 12 else []),
        *([Flag.INTERPRETER_BUILD] if cell.python == "3.12" else []),
        *([Flag.NO_NVCC] if cell.toolkit == "12.9" else []),
    )
    failed = cell.toolkit in {"13.4", "13.5"}
    outcome = Outcome(Status.FAILED, f"1 of 37: TypeError: launch() got {HOSTILE}") if failed else Outcome(Status.MEASURED)
    return CellResult(cell, outcome, flags, processes, _provenance(cell))


def _provenance(cell: Cell) -> dict[str, object]:
    major, minor = cell.toolkit.split(".")
    packages = {"cuda-bindings": cell.bindings, "cuda-core": cell.core, "numpy": "2.4.1"}
    return {
        "python": {
            "version": f"{cell.python}.4",
            "build": f"{cell.python}.4 (main, Jan  5 2026, 09:12:00) [GCC 12.2.0]",
            "executable": f"envs/{cell.id}/bin/python",
            "optimised": "unknown" if cell.python == "3.12" else "yes",
            "gil": True,
        },
        "packages": packages,
        "hashes": {name: f"{len(name):x}"[0] * 64 for name in packages} | {"cuda-toolkit": EMPTY},
        "libraries": {
            "libcuda": {"path": "null/libcuda.so.1", "version": f"{int(major) * 1000 + int(minor) * 10}"},
            "nvrtc": {"path": "lib/libnvrtc.so", "version": cell.toolkit},
        },
        "native": {"native": {"how": f"nvcc {cell.toolkit} from wheels", "compiler": COMPILER, "flags": ["-O3"]}},
        "cubin": {"how": f"nvcc {cell.toolkit} from wheels", "compiler": f"NVRTC {cell.toolkit}", "flags": []},
        "lock": "9b1f0c",
        "affinity": [1],
        "load": 0.42,
    }


def _manifest(device_kind: str, status: str, processes: int, metric: Metric) -> Manifest:
    telemetry = {"gpu": {"driver": "590.44.01", "sm_clock": 1980}}
    gpu = {"name": "NVIDIA H200", "architecture": "90", "uuid": "GPU-5d1e", "telemetry": telemetry}
    null = {"name": "null driver", "architecture": "90", "uuid": ""}
    return Manifest(
        run="20260301T120000Z-5f1c",
        started="2026-03-01T12:00:00+00:00",
        finished="" if status == "interrupted" else "2026-03-01T12:09:12+00:00",
        status=status,
        arguments=("--metric", metric) if metric is not Metric.TIME else ("--profile", "standard"),
        profile=Profile("count" if metric is Metric.INSTRUCTIONS else "standard", processes, 5, 0.01, 60),
        seed=1234567,
        device_kind=device_kind,
        device={"kind": device_kind, **(gpu if device_kind == "gpu" else null)},
        machine={"cpu": "AMD EPYC 9554 64-Core Processor", "cpus": 2, "governor": "performance", "load": [0.4, 0.3, 0.2]},
        harness={"commit": "4f0c1d2e", "dirty": False},
        orchestrator={"python": "3.11.2", "nox": "2026.1.2"},
        metric=metric,
        counter={"valgrind": "3.19.0"} if metric is not Metric.TIME else {},
        timed_share=0.634,
        worker_seconds=498.0,
        wall_seconds=552.0,
    )
