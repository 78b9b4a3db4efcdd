"""Imports point one way, and the island inside the measured interpreter imports nothing of the rest."""

from __future__ import annotations

import ast
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

ORDER = (
    {"errors", "model", "markdown", "needs", "suggest", "quantities", "cache", "interrupts", "callgraph", "plaintext"},
    {"tomllines", "pairing", "uv", "wheels", "stats", "journal", "driverapi", "nvrtc", "workers", "progress"},
    {"passthrough", "published", "estimators", "noises", "stopping", "flame", "sampling", "counts", "callgrind", "wheelfile"},
    {"contradictions"},
    {"tomlfile", "device", "store", "page", "comparisonpage", "comparisontext", "plan", "flags", "profiles", "telemetry"},
    {"results", "history", "casewords", "export", "stepsummary", "attempts", "protocol", "collected", "pyperf_files"},
    {"verdicts", "judged", "candidates", "waivers", "standalone", "snippets"},
    {"matrix", "args", "machine", "measure", "missing", "countgrid", "grid", "overheads", "pagedata", "provenance", "runfacts"},
    {"bursts", "caseview", "comparison", "differences", "sideplan", "unjudged", "gate", "validation", "schema", "secondset"},
    {"interpreters", "locks", "envcheck", "caseset", "toolkits", "simulate"},
    {"envs", "compilers", "nulldriver", "report", "comparisonview", "validationtext", "evidence", "count_evidence", "counting"},
    {"prepare", "job", "render", "sides", "junit"},
    {"announce", "comparing", "validatewords", "runs", "publish"},
    {"app", "profiling", "validatejob"},
    {"validate"},
    {"__main__", "selftest", "selftest_count", "chronicle", "casedoc"},
)
"""From the ground up: a module imports those of its own row and of rows before it."""

ISLAND = ("ctkmatrix/probe", "cases")


def imported(path: Path) -> set[str]:
    """Return the modules of ours that the file imports, ``probe.x`` among them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return {name.removeprefix("ctkmatrix.") for name in found if name.startswith("ctkmatrix.")}


def test_imports_point_one_way() -> None:
    """No module reaches up; every module has its place."""
    place = {name: row for row, names in enumerate(ORDER) for name in names}
    modules = {path.stem for path in (ROOT / "ctkmatrix").glob("*.py")} - {"__init__"}
    assert modules == place.keys()
    for name in modules:
        for other in imported(ROOT / "ctkmatrix" / f"{name}.py"):
            top = other.partition(".")[0]
            if top in place:
                assert place[top] <= place[name], f"{name} imports {top}"


def test_the_island_imports_nothing_of_the_rest() -> None:
    """The probe and the cases: the standard library and each other."""
    for directory in ISLAND:
        for path in (ROOT / directory).rglob("*.py"):
            assert all(name.split(".")[0] == "probe" for name in imported(path)), path


def test_the_noxfile_s_imports_are_light() -> None:
    """`nox -l` must be quick, and runs where only nox is installed."""
    code = (
        "import sys; sys.path.insert(0, '.'); from ctkmatrix import args, envs, locks, matrix, passthrough, uv;"
        "print([m for m in ('numpy', 'scipy', 'msgspec', 'rich', 'pyperf', 'jinja2', 'psutil') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
