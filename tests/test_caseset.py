"""The case set as plain data, and its versions."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import caseset
from ctkmatrix.errors import UsageError
from ctkmatrix.model import Case
from ctkmatrix.probe import registry
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

CASES = caseset.load(ROOT, ["-O3"])


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what cases are made of."""
    for name in ("cases", "native", "ctkmatrix"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_first_cases_are_there() -> None:
    """Every area that the harness began with."""
    assert {case.area for case in CASES} >= {
        "loop", "device", "enum", "stream", "event", "memory", "launch", "tensormap", "nvrtc"
    }  # fmt: skip
    assert "tensormap.encode_3" in {case.id for case in CASES}


def test_shared_files_are_there() -> None:
    """A file that was renamed would silently drop out of the version."""
    assert [pattern for pattern in caseset.SHARED if not list(ROOT.glob(pattern))] == []


def test_a_case_file_that_does_not_load_is_told_by_file_and_line(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A syntax error, a case that is there twice, what nothing can need, a file that ends the program: not our mistake."""
    monkeypatch.setattr(registry, "CASES", dict(registry.CASES))  # what a broken file declares before it breaks goes with it
    declare = "from ctkmatrix.probe.registry import case\n"
    for text, said in (
        ("\n\ndef (:\n", "cases/broken.py:3: SyntaxError"),
        (f"{declare}case('launch.empty', 'Again.')\n", "cases/broken.py:2: ValueError"),
        (
            f"{declare}case('a.b', 'B.', needs='sm90')\n",
            "cases/broken.py:2: ValueError: a.b: it cannot need 'sm90'; needs are gpu, or",
        ),
        (f"{declare}\n@case('a.c', 'C.')('core', needs='Gpu')\ndef _(): ...\n", "cases/broken.py:3: ValueError: a.c: it cannot"),
        ("import sys\nsys.exit(0)\n", "cases/broken.py:2: SystemExit"),
    ):
        (checkout / "cases" / "broken.py").write_text(text)
        with pytest.raises(UsageError, match=re.escape(said)):
            caseset.load(checkout, [])


@pytest.mark.parametrize(
    "changed",
    [
        "cases/event.py",
        "native/event.cpp",
        "ctkmatrix/probe/loop.py",
        "native/loop.hpp",
        "native/runtime/runtime.cpp",
        "native/kernels.cu",
    ],
)
def test_a_change_of_what_a_case_is_made_of_changes_its_version(checkout: Path, changed: str) -> None:
    """Its own files, the loop, what all share."""
    before = caseset.version(checkout, "event.record", ["-O3"])
    path = checkout / changed
    path.write_text(path.read_text() + "\n")
    assert caseset.version(checkout, "event.record", ["-O3"]) != before


def test_other_files_do_not_change_a_version(checkout: Path) -> None:
    """A new case elsewhere does not make earlier measurements incomparable."""
    before = caseset.version(checkout, "event.record", ["-O3"])
    (checkout / "cases" / "launch.py").write_text("")
    assert caseset.version(checkout, "event.record", ["-O3"]) == before


def test_other_flags_are_another_version() -> None:
    """A baseline built otherwise is another baseline."""
    assert caseset.version(ROOT, "event.record", ["-O3"]) != caseset.version(ROOT, "event.record", ["-O2"])


def test_cases_are_selected_by_globs() -> None:
    """Several globs add up; none means all."""
    cases = [Case(f"{area}.x", "", ()) for area in ("a", "b", "c")]
    assert [case.id for case in caseset.select(cases, ["a.*", "c.x"])] == ["a.x", "c.x"]
    assert len(caseset.select(cases, [])) == 3


def test_a_glob_that_matches_nothing_gets_a_suggestion() -> None:
    """A misspelt case would otherwise silently measure less."""
    with pytest.raises(UsageError, match=r"perhaps you meant «event\.\*»"):
        caseset.select(CASES, ["evnt.*"])
    with pytest.raises(UsageError, match=r"--case launch\.emty: no such case; perhaps you meant «launch\.empty»"):
        caseset.select(CASES, ["launch.emty"])


def test_a_case_may_have_a_target_of_its_own() -> None:
    """The last glob that matches counts; one that matches nothing is told."""
    cases = tuple(Case(id_, "", ()) for id_ in ("a.b", "a.c", "d.e"))
    made = caseset.aimed(cases, (("a.*", 2e-6), ("a.c", 3e-6)))
    assert [case.target for case in made] == [2e-6, 3e-6, 0.0]
    with pytest.raises(UsageError, match=r"matrix.toml: \[targets\] 'a.x' matches no case"):
        caseset.aimed(cases, (("a.x", 1e-6),))
