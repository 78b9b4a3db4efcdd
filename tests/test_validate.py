"""`validate` end to end, over the null driver: real wheels, real environments, real counts, real exit codes."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ctkmatrix import validate
from ctkmatrix.progress import Display
from tests import plant, wheel_factory
from tests.conftest import ROOT
from tests.plant import PLANTS
from tests.test_nox import Checkout

THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
SHORT = ("--python", THIS, "--metric", "instructions", "--device", "null")
CASES = ("--case", "memory.alloc_free_pinned", "--case", "event.record")
FILES = {"index.html", "comparison.md", "comparison.json", "summary.md", "junit.xml", "verdict.json"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy with its own reports."""
    return Checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of wheels for each plant of cuda-core."""
    directory = tmp_path_factory.mktemp("wheels")
    for name in ("none", "path"):
        plant.write(PLANTS[name], THIS, directory / name)
    return directory


def command(*words: str) -> list[str]:
    """Return the command line."""
    return [sys.executable, "-m", "ctkmatrix", "validate", "--", *words]


def run(checkout: Checkout, *words: str, **variables: str) -> tuple[int, Path, dict[str, Any]]:
    """Validate; return the exit code, the directory that the last line names, and the verdict there."""
    done = subprocess.run(
        command(*words), cwd=checkout.path, capture_output=True, text=True, check=False, env=os.environ | variables
    )
    assert done.stdout, done.stderr
    directory = Path(done.stdout.splitlines()[-1])
    verdict: dict[str, Any] = json.loads((directory / "verdict.json").read_text())
    Draft202012Validator(json.loads((ROOT / "docs/schema/verdict.schema.json").read_text())).validate(verdict)
    return done.returncode, directory, verdict


@pytest.mark.slow
def test_equal_wheels_pass(checkout: Checkout, wheels: Path, tmp_path: Path) -> None:
    """By a judgement of every case and variant on both sides, which every file tells."""
    side = f"cuda-core={wheels / 'none'}"
    (summary := tmp_path / "summary.md").touch()
    status, directory, verdict = run(
        checkout, "--candidate", side, "--reference", side, *SHORT, *CASES, GITHUB_STEP_SUMMARY=str(summary)
    )
    assert status == 0
    assert {path.name for path in directory.iterdir()} == FILES
    assert {row["judgement"] for row in verdict["decision"]["rows"]} == {"equivalent"}
    assert len(verdict["decision"]["rows"]) == 6
    assert summary.read_text() == (directory / "summary.md").read_text()
    assert "Passed: 0 regressions among 4 verdicts" in (directory / "index.html").read_text()


@pytest.mark.slow
def test_a_slower_path_is_found_and_nothing_else(checkout: Checkout, wheels: Path) -> None:
    """It was confirmed by processes of its own: in further heaps than the first, and of that case alone."""
    status, directory, verdict = run(
        checkout, "--candidate", f"cuda-core={wheels / 'path'}", "--reference", f"cuda-core={wheels / 'none'}", *SHORT, *CASES
    )
    decision = verdict["decision"]
    assert status == decision["exit"] == 10
    assert [(one["row"]["case"], one["row"]["variant"]) for one in decision["regressions"]] == list(PLANTS["path"].found)
    assert {row["judgement"] for row in decision["rows"][1:]} == {"equivalent"}
    lines = (checkout.path / "reports/runs" / directory.name / "journal.jsonl").read_text().splitlines()
    counted = [one for one in map(json.loads, lines) if one["type"] == "counted"]
    assert {one["round"] for one in counted} == set(range(10))
    second = [one for one in counted if one["round"] >= 5]
    assert {one["case"] for one in second} == {"memory.alloc_free_pinned"}
    again = decision["regressions"][0]["again"]
    for side, told in (("reference", "before"), ("candidate", "after")):
        least = min(one["results"]["core"]["instructions"] for one in second if one["cell"] == again[side])
        assert again[told] == pytest.approx(least)
    assert '<h3 id="decision-1">Regressions</h3>' in (directory / "index.html").read_text()


@pytest.mark.slow
def test_beside_an_earlier_run_the_candidate_alone_is_measured(checkout: Checkout, wheels: Path) -> None:
    """Here beside a side of another validation, unpaired; cases that were not asked for are no lack."""
    side = f"cuda-core={wheels / 'none'}"
    _, first, before = run(checkout, "--candidate", side, "--reference", side, *SHORT, *CASES)
    earlier = f"{first.name}:*+reference"
    status, directory, verdict = run(checkout, "--candidate", side, "--reference", earlier, *SHORT, "--case", "event.record")
    assert (status, verdict["pairs"]) == (0, before["pairs"])
    assert [cell["label"] for cell in began(checkout, directory.name)["cells"]] == ["candidate"]
    assert verdict["runs"] == [directory.name, first.name]
    assert len(verdict["decision"]["rows"]) == 3


def began(checkout: Checkout, run_id: str) -> dict[str, Any]:
    """Return the plan of a run."""
    first = (checkout.path / "reports/runs" / run_id / "journal.jsonl").read_text().splitlines()[0]
    found: dict[str, Any] = json.loads(first)
    return found


@pytest.mark.slow
def test_without_a_wheel_for_any_python_it_is_incomplete(checkout: Checkout, tmp_path: Path) -> None:
    """Nothing is measured, and the decision is written all the same."""
    wheel_factory.tiny(tmp_path, "cuda-core", "9.9.9", f"cp311-cp311-linux_{os.uname().machine}")
    words = ("--candidate", f"cuda-core={tmp_path}", "--reference", "cuda-core==1.2.2", "--python", "3.12")
    status, directory, verdict = run(checkout, *words, "--metric", "instructions", "--case", "event.record")
    assert status == 11
    assert {path.name for path in directory.iterdir()} == {"summary.md", "junit.xml", "verdict.json"}
    assert verdict["decision"]["incomplete"][0]["what"] == "Python 3.12"
    assert "no wheel of cuda-core 9.9.9 for Python 3.12" in verdict["decision"]["incomplete"][0]["reason"]
    assert verdict["runs"] == []


@pytest.mark.slow
def test_an_interrupted_one_has_no_verdict(checkout: Checkout, wheels: Path) -> None:
    """What was measured is put away, the exit code says that it was interrupted, and nothing goes on with it."""
    side = f"cuda-core={wheels / 'none'}"
    words = command("--candidate", side, "--reference", side, *SHORT, *CASES)
    with subprocess.Popen(words, cwd=checkout.path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        line = next(line for line in process.stdout if line.startswith("run "))
        next(line for line in process.stdout if line.startswith("toolkit"))
        process.send_signal(signal.SIGINT)
        told = process.stdout.read()
    directory = checkout.path / "reports/runs" / line.split()[1]
    assert process.returncode == 130
    assert "there is no verdict" in told
    assert json.loads((directory / "manifest.json").read_text())["status"] == "interrupted"
    assert not (checkout.path / "reports/validations" / directory.name).exists()
    resume = [sys.executable, "-m", "ctkmatrix", "measure", "--", f"--resume={directory.name}"]
    done = subprocess.run(resume, cwd=checkout.path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "that is not gone on with, begin it again" in done.stderr


def test_a_second_one_waits_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So that neither remakes the environments that the other measures."""
    entered = threading.Event()

    def second() -> None:
        with validate._alone(tmp_path, Display()):
            entered.set()

    with (tmp_path / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        waiting = threading.Thread(target=second)
        waiting.start()
        assert not entered.wait(0.3)
    assert entered.wait(5)
    waiting.join()
    assert "waiting for its end" in capsys.readouterr().out
