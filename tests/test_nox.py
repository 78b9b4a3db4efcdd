"""End to end, through nox: what each command leaves behind, and each exit code. A copy of the checkout, real everything."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from jsonschema import Draft202012Validator

from ctkmatrix import matrix, schema
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

NEWEST = matrix.newest(matrix.load(ROOT / "matrix.toml").cells)
NARROW = ("--case", "event.*", "--quick", "--device", "null")
SOME = ("--case", "e*.*", "--case", "stream.*", "--device", "null", "--profile", "standard")
"""Long enough to be interrupted, and not the whole case set."""

QUICK = "quick = { processes = 2, values = 2, seconds_per_value = 0.001, block_limit = 60 }"
STANDARD = "standard = { processes = 4, values = 5, seconds_per_value = 0.004, block_limit = 60 }"
"""Short profiles in place of the real ones."""


class Checkout:
    """A copy of this checkout with its own reports; environments and toolkits are those of the original."""

    def __init__(self, path: Path) -> None:
        for name in ("cases", "ctkmatrix", "locks", "native", "templates", "noxfile.py", "matrix.toml"):
            source = ROOT / name
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, path / name)
        (ROOT / ".ctkmatrix").mkdir(exist_ok=True)
        (path / ".ctkmatrix").symlink_to(ROOT / ".ctkmatrix")
        self.path = path
        for line in (QUICK, STANDARD):
            name = line.partition(" ")[0]
            was = next(old for old in (path / "matrix.toml").read_text().splitlines() if old.startswith(f"{name} = "))
            self.edit("matrix.toml", was, line)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace *old*, which must be there, in a file."""
        text = (self.path / name).read_text()
        assert old in text
        (self.path / name).write_text(text.replace(old, new, 1))

    def command(self, *words: str) -> list[str]:
        """Return the command line of nox."""
        return [sys.executable, "-m", "nox", "--no-color", "-f", str(self.path / "noxfile.py"), *words]

    def nox(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run nox to its end, in an environment with *variables*."""
        environment = {**os.environ, "NOX_SCRIPT_MODE": "none", **variables}
        return subprocess.run(
            self.command(*words), cwd=self.path, env=environment, capture_output=True, text=True, timeout=300, check=False
        )

    def started(self, *words: str) -> subprocess.Popen[bytes]:
        """Start nox in a process group of its own, as a terminal does."""
        environment = {**os.environ, "NOX_SCRIPT_MODE": "none"}
        return subprocess.Popen(
            self.command(*words), cwd=self.path, env=environment, start_new_session=True, stdout=subprocess.DEVNULL
        )

    @property
    def latest(self) -> Path:
        """The newest run."""
        return self.path / "reports" / "latest"

    def results(self) -> dict[str, Any]:
        """Return the newest results."""
        found: dict[str, Any] = json.loads((self.latest / "results.json").read_text())
        return found


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A copy of this checkout."""
    return Checkout(tmp_path)


def outcomes(results: dict[str, Any], cell: str) -> set[str]:
    """Return the outcomes of the fields of *cell*."""
    return {field["outcome"]["status"] for field in results["fields"] if field["cell"] == cell}


def test_one_cell_all_the_way_to_the_page(checkout: Checkout) -> None:
    """Exit 0; it says first what it will do; page, results, pyperf file, manifest and journal are there and agree."""
    done = checkout.nox("-s", "bench-cu13", "--", "--case", "event.query", "--case", "event.sync", "--quick", "--device", "null")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 cell (1 toolkit, 1 Python), 2 cases in 6 variants" in done.stdout
    assert done.stdout.index("expected time") < done.stdout.index("6 of 6 planned fields measured")
    assert (checkout.latest / "page" / "index.html").read_text().count(NEWEST.id) > 0
    results, manifest = checkout.results(), json.loads((checkout.latest / "manifest.json").read_text())
    assert results["manifest"] == manifest
    Draft202012Validator(json.loads(schema.RESULTS.path.read_text(encoding="utf-8"))).validate(results)
    summary = (checkout.latest / "page" / "summary.md").read_text(encoding="utf-8")
    assert re.search(r"\d of 4 case variants (is|are) within the target in every cell", summary), summary
    assert len((checkout.latest / "page" / "matrix.csv").read_text(encoding="utf-8").splitlines()) == 1 + 6
    assert (manifest["status"], manifest["device_kind"]) == ("complete", "null")
    assert manifest["timed_share"] > 0
    work = results["cells"][0]["work"]
    assert work["looped"] / work["seconds"] == pytest.approx(manifest["timed_share"])
    assert outcomes(results, NEWEST.id) == {"measured"}
    provenance = results["cells"][0]["provenance"]
    assert provenance["libraries"]["nvrtc"]["version"] == NEWEST.toolkit
    assert provenance["packages"]["cuda-bindings"] == NEWEST.bindings
    assert provenance["native"]["native"]["nvcc"] is True
    suite = checkout.latest / "cells" / f"{NEWEST.id}.json"
    shown = subprocess.run([sys.executable, "-m", "pyperf", "show", suite], capture_output=True, text=True, check=True)
    assert "event.query/native\n" in shown.stdout


def test_every_listed_session_is_selectable_and_says_what_it_is(checkout: Checkout) -> None:
    """Every cell, both majors, each with a line; within two seconds."""
    start = time.perf_counter()
    listed = checkout.nox("-l").stdout
    assert time.perf_counter() - start < 2
    names = [line.split()[1] for line in listed.splitlines() if line.startswith(("- ", "* "))]
    assert {"bench", "bench-cu12", "bench-cu13", f"bench-{NEWEST.id}", "measure", "report", "lock", "tests"} <= set(names)
    sessions = json.loads(checkout.nox("--json", "-l", "-s", *names).stdout)
    assert [one["session"] for one in sessions] == names
    assert all(one["description"] for one in sessions)
    tagged = {one["session"] for one in json.loads(checkout.nox("--json", "-l", "-t", "cu13.0").stdout)}
    assert tagged == {f"bench-cu13.0-py{python}-b13.0.3-c1.2.2" for python in ("3.11", "3.12", "3.13", "3.14")}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cores = [", "coers = [", "perhaps you meant «cores»"),
        ('    "3.11",\n', '    "3.x1",\n', "3.x1"),
        ('"13.5" = ["13.5.0"]', '"13.5" = []', "matrix.toml:"),
        ("[toolkits]", "[toolkits", "matrix.toml:"),
    ],
)
def test_a_wrong_matrix_is_told_before_anything_is_built(checkout: Checkout, old: str, new: str, said: str) -> None:
    """Exit 2, file and line, no traceback, no report."""
    checkout.edit("matrix.toml", old, new)
    done = checkout.nox("-s", "bench", "--", *NARROW)
    assert done.returncode == 2
    assert said in done.stderr
    assert "matrix.toml:" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (checkout.path / "reports").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--cas", "x"), "perhaps you meant «--case»"),
        (("--case", "event.recrd"), "perhaps you meant «event.record»"),
        (("--cell", "cu99*"), "the closest are"),
        (("--group", "histroy"), "perhaps you meant «history»"),
        (("--group", "history"), f"group «history» has none of {NEWEST.id}; `nox -s bench` takes"),
        (("--device", "cpu"), "write auto, null, gpu"),
        (("--resume", "nonsense"), "no run is called 'nonsense'"),
    ],
)
def test_wrong_words_are_told(checkout: Checkout, words: tuple[str, ...], said: str) -> None:
    """Exit 2, with a suggestion."""
    done = checkout.nox("-s", "bench-cu13", "--", *words)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_profile_draws_a_flame_graph_and_says_where(checkout: Checkout) -> None:
    """Exit 0 and the path of an SVG with data beside it; exit 2 with a suggestion for a case that there is not."""
    words = ("-s", "profile", "--", "--variant", "core", "--case")
    wrong = checkout.nox(*words, "event.recrd")
    assert (wrong.returncode, "perhaps you meant «event.record»" in wrong.stderr) == (2, True), wrong.stderr
    done = checkout.nox(*words, "event.record")
    assert done.returncode == 0, done.stdout + done.stderr
    path = checkout.path / "reports" / "profiles" / "event.record" / "core" / f"{NEWEST.id}.svg"
    assert str(path) in done.stdout
    assert "cuEventRecord" in path.read_text(encoding="utf-8")
    assert json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["case"] == "event.record"


def test_count_gives_instructions_in_place_of_time(checkout: Checkout) -> None:
    """Exit 0; every field that runs over the null driver has a count of five heaps and no time; the page shows it."""
    words = ("-s", "count", "--", "--cell", NEWEST.id, "--case", "loop.empty", "--case", "device.current")
    done = checkout.nox(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    results = checkout.results()
    assert results["manifest"]["metric"] == "instructions"
    assert results["manifest"]["status"] == "complete"
    counted = {f"{one['case']}/{one['variant']}": one for one in results["fields"] if one["outcome"]["status"] == "measured"}
    assert {"loop.empty/native", "loop.empty/python", "device.current/native", "device.current/core"} <= counted.keys()
    assert all(len(one["count"]["points"]) == 5 and one["time"] is None for one in counted.values())
    assert counted["device.current/native"]["count"]["minimum"] < 50 < counted["device.current/core"]["count"]["minimum"]
    assert "Instructions a turn" in (checkout.latest / "page" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--quick",), "--profile quick is about time"),
        (("--device", "gpu"), "--device gpu is about time"),
        (("--case", "lop.*"), "perhaps you meant «loop.*»"),
    ],
)
def test_what_does_not_go_with_counting_is_told(checkout: Checkout, words: tuple[str, ...], said: str) -> None:
    """Exit 2 before anything is built."""
    done = checkout.nox("-s", "count", "--", *words)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (checkout.path / "reports").exists()


def test_no_valgrind_is_the_machine_s_fault(checkout: Checkout) -> None:
    """Exit 13, with how to get it; `bench` does not ask for it."""
    tools = checkout.path / "tools"
    tools.mkdir()
    for name in ("g++", "uv", "setarch", "env", "as", "ld"):
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    done = checkout.nox("-s", "count", "--", "--cell", NEWEST.id, PATH=str(tools))
    assert done.returncode == 13, done.stdout + done.stderr
    assert "apt-get install valgrind" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_interpreter_stops_no_other_cell(checkout: Checkout) -> None:
    """Exit 11; its cell is in the report as not run, with the reason; the other cell is measured."""
    odd = f'{{ toolkit = "13.5", python = "3.19", bindings = "{NEWEST.bindings}", core = "{NEWEST.core}" }},'
    checkout.edit("matrix.toml", "cells = [\n", f"cells = [\n    {odd}\n")
    words = ("--cell", NEWEST.id, "--cell", "*-py3.19-*")
    done = checkout.nox("-s", "bench", "--", *words, *NARROW, UV_PYTHON_DOWNLOADS="never")
    assert done.returncode == 11, done.stdout + done.stderr
    results = checkout.results()
    assert results["manifest"]["status"] == "incomplete"
    assert outcomes(results, NEWEST.id) == {"measured", "not applicable"}
    assert outcomes(results, NEWEST.id.replace(f"py{NEWEST.python}", "py3.19")) == {"not run"}
    assert "no interpreter for Python 3.19" in (checkout.latest / "page" / "index.html").read_text()


def test_two_groups_of_a_run_are_compared(checkout: Checkout) -> None:
    """Exit 0 whatever was found; page, Markdown and JSON lie where it says; words that are not clear are told with exit 2."""
    cells = ("--cell", "cu13.4-py3.12*", "--cell", "cu13.5-py3.12*")
    done = checkout.nox("-s", "bench", "--", *cells, "--case", "event.query", "--quick", "--device", "null")
    assert done.returncode == 0, done.stdout + done.stderr
    done = checkout.nox("-s", "report", "--", "--compare", "latest:cu13.4-*", "latest:cu13.5-*")
    assert done.returncode == 0, done.stdout + done.stderr
    page = Path(done.stdout.splitlines()[-1])
    assert page.parent.parent == checkout.path / "reports" / "comparisons"
    found = json.loads((page.parent / "comparison.json").read_text())
    assert {(row["case"], row["variant"]) for row in found["rows"]} == {
        ("event.query", name) for name in ("native", "bindings", "core")
    }
    assert {row["judgement"] for row in found["rows"]} == {"inconclusive"}
    assert all("a verdict needs 12" in row["reason"] for row in found["rows"])
    assert found["paired"] is True
    told = {(one["group"], one["what"]) for one in found["differences"]}
    assert {("Cell", "CUDA toolkit"), ("Packages", "cuda-bindings")} <= told
    assert ("Packages", "cuda-core") not in told
    assert "inconclusive" in (page.parent / "comparison.md").read_text()
    wrong = checkout.nox("-s", "report", "--", "--compare", "latest", "latest")
    assert wrong.returncode == 2
    assert "would be compared with itself" in wrong.stderr


def test_a_group_is_measured_without_sessions_of_its_own(checkout: Checkout) -> None:
    """`bench` alone makes the environments of a group's cells, and goes on with such a run; `nox -l` lists none of them."""
    group = '[[groups.ends]]\npythons = ["3.12"]\ncores = ["1.2.2"]\ntoolkits = { "12.9" = ["12.9.0"], "13.5" = ["13.5.0"] }\n'
    checkout.edit("matrix.toml", "# Groups", f"{group}\n# Groups")
    ends = {"cu12.9-py3.12-b12.9.0-c1.2.2", "cu13.5-py3.12-b13.5.0-c1.2.2"}
    assert "b12.9.0" not in checkout.nox("-l").stdout
    words = ("-s", "bench", "--", *SOME)
    journal = interrupt_after(checkout, (*words, "--group", "ends"), 20)
    before = blocks(journal)
    done = checkout.nox(*words, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert blocks(journal)[: len(before)] == before
    results = checkout.results()
    assert {field["cell"] for field in results["fields"]} == ends
    assert all(outcomes(results, cell) == {"measured", "not applicable"} for cell in ends)


def test_a_case_that_fails_makes_the_run_incomplete(checkout: Checkout) -> None:
    """Exit 11; the failure is in the report, the other cases are measured."""
    checkout.edit("cases/event.py", "    create = cu.device.create_event", "    raise OSError('on purpose')")
    done = checkout.nox("-s", "bench-cu13", "--", *NARROW)
    assert done.returncode == 11, done.stdout + done.stderr
    assert "failed: OSError: on purpose (" in done.stdout
    failed = [one for one in checkout.results()["fields"] if one["outcome"]["status"] == "failed"]
    assert [(one["case"], one["variant"]) for one in failed] == [("event.create_destroy", "core")]


def test_no_compiler_is_the_machine_s_fault(checkout: Checkout) -> None:
    """Exit 13, one message that says what to install."""
    done = checkout.nox("-s", "bench-cu13", "--", *NARROW, NVCC_CCBIN="/nowhere/g++")
    assert done.returncode == 13, done.stdout + done.stderr
    assert "NVCC_CCBIN names /nowhere/g++" in done.stderr
    assert "install g++" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_gpu_that_does_not_work_is_never_replaced(checkout: Checkout) -> None:
    """Exit 13 for auto and gpu alike: there is a libcuda, and it does not initialise; nothing goes over the null driver."""
    source = "int cuInit(unsigned f) { return 999; }\nint cuDriverGetVersion(int *v) { *v = 13000; return 0; }\n"
    broken = checkout.path / "broken"
    broken.mkdir()
    library = broken / "libcuda.so.1"
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=source, text=True, check=True)
    for asked in ("auto", "gpu"):
        done = checkout.nox("-s", "bench-cu13", "--", "--case=event.*", "--quick", "--device", asked, LD_LIBRARY_PATH=str(broken))
        assert done.returncode == 13, done.stdout + done.stderr
        assert "cuInit gives error 999" in done.stderr
    assert not (checkout.path / "reports").exists()


def test_no_network_is_the_machine_s_fault(checkout: Checkout) -> None:
    """Exit 13 where something has to be fetched and cannot; nothing is measured by halves."""
    (checkout.path / ".ctkmatrix").unlink()
    cache = checkout.path / "empty-cache"
    done = checkout.nox("-s", "bench-cu13", "--", *NARROW, UV_OFFLINE="1", UV_CACHE_DIR=str(cache))
    assert done.returncode == 13, done.stdout + done.stderr
    assert "check the network" in done.stderr
    assert "Traceback" not in done.stderr


def test_our_own_bug_is_told_in_one_line(checkout: Checkout) -> None:
    """Exit 70; the traceback is in a log that the line names."""
    checkout.edit("ctkmatrix/announce.py", "    return [\n", "    raise AssertionError('on purpose')\n    return [\n")
    done = checkout.nox("-s", "bench-cu13", "--", *NARROW)
    assert done.returncode == 70
    assert "a bug of ctkmatrix: AssertionError at announce.py:" in done.stderr
    assert "Traceback" not in done.stderr
    (log,) = (checkout.path / "reports" / "bugs").iterdir()
    assert str(log) in done.stderr
    assert "AssertionError: on purpose" in log.read_text()


def test_an_interrupted_run_can_be_resumed(checkout: Checkout) -> None:
    """Ctrl-C: exit 130, a page of what there is; --resume goes on with the same run, measures nothing twice, and completes it.

    The length of bursts neither: results and pyperf files hold the one that the journal holds.
    """
    words = ("-s", "bench-cu13", "--", *SOME)
    journal = interrupt_after(checkout, words, 20)
    before = blocks(journal)
    assert checkout.results()["manifest"]["status"] == "interrupted"
    assert (checkout.latest / "page" / "index.html").exists()
    for wrong, said in (
        (("-s", "bench-cu13", "--", "--resume", "--case", "event.*"), "--case does not go with --resume"),
        (("-s", "bench-cu12", "--", "--resume"), "which this session does not measure"),
    ):
        refused = checkout.nox(*wrong)
        assert refused.returncode == 2
        assert said in refused.stderr
    done = checkout.nox(*words, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    after = blocks(journal)
    assert after[: len(before)] == before
    assert len(after) == len(set(after))
    assert checkout.results()["manifest"]["status"] == "complete"
    (burst,) = [one["burst"] for line in journal.read_text().splitlines() if (one := json.loads(line))["type"] == "settled"]
    assert checkout.results()["manifest"]["burst"] == burst
    suite = json.loads((checkout.latest / "cells" / f"{NEWEST.id}.json").read_text())
    assert suite["metadata"]["ctkmatrix_burst"] == str(burst["length"])
    again = checkout.nox(*words, "--resume")
    assert (again.returncode, "there is nothing to resume" in again.stderr) == (2, True)
    assert len(list((checkout.path / "reports" / "runs").iterdir())) == 1


def test_a_run_of_other_cases_is_not_resumed(checkout: Checkout) -> None:
    """Exit 2, with the difference named: measurements of different case versions never meet."""
    words = ("-s", "bench-cu13", "--", *SOME)
    interrupt_after(checkout, words, 5)
    checkout.edit("native/event.cpp", "int status = 0;", "int status = 0 + 0;")
    done = checkout.nox(*words, "--resume")
    assert done.returncode == 2
    assert "cannot be resumed: its version of event.create_destroy was" in done.stderr


@pytest.mark.parametrize(("victim", "kind"), [("nox", signal.SIGTERM), ("nox", signal.SIGKILL), ("measure", signal.SIGKILL)])
def test_whoever_is_killed_nothing_goes_on(checkout: Checkout, victim: str, kind: signal.Signals) -> None:
    """Neither an orchestrator without its nox nor a worker without its orchestrator is left behind; --resume goes on."""
    words = ("-s", "bench-cu13", "--", *SOME)
    with checkout.started(*words) as process:
        wait_for_blocks(checkout.path, 5)
        family = [process.pid, *(child.pid for child in psutil.Process(process.pid).children(recursive=True))]
        os.kill(family[0] if victim == "nox" else family[1], kind)
        process.wait(30)
        deadline = time.monotonic() + 30
        while any(psutil.pid_exists(pid) for pid in family[1:]):
            assert time.monotonic() < deadline, "something went on"
            time.sleep(0.1)
    done = checkout.nox(*words, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert checkout.results()["manifest"]["status"] == "complete"


def test_impatience_loses_nothing(checkout: Checkout) -> None:
    """Ctrl-C five times in a row is as good as once: exit 130, and the page is there."""
    words = ("-s", "bench-cu13", "--", *SOME)
    with checkout.started(*words) as process:
        wait_for_blocks(checkout.path, 5)
        for _ in range(5):
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.06)
        assert process.wait(60) == 130
    assert checkout.results()["manifest"]["status"] == "interrupted"
    assert (checkout.latest / "page" / "index.html").exists()


def interrupt_after(checkout: Checkout, words: tuple[str, ...], count: int) -> Path:
    """Run nox, press Ctrl-C once *count* blocks are measured, and return the journal."""
    with checkout.started(*words) as process:
        journal = wait_for_blocks(checkout.path, count)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 130
    return journal


def wait_for_blocks(path: Path, count: int) -> Path:
    """Wait until a journal holds *count* blocks, and return it."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for journal in path.glob("reports/runs/*/journal.jsonl"):
            if len(blocks(journal)) >= count:
                return journal
        time.sleep(0.05)
    raise TimeoutError("nothing was measured")


def blocks(journal: Path) -> list[tuple[str, int, str]]:
    """Return the (cell, round, case) of every block in the journal."""
    records = [json.loads(line) for line in journal.read_text().splitlines()]
    return [(one["cell"], one["round"], one["case"]) for one in records if one["type"] == "measured"]
