"""What `validate` is to do, checked before anything is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctkmatrix import validatejob
from ctkmatrix.errors import MatrixError, UsageError
from ctkmatrix.job import Place
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def test_a_profile_that_can_judge_nothing_is_refused(place: Place) -> None:
    """Before a wheel is looked at; of counts every profile is the same."""
    words = ["--candidate", "cuda-core==1.2.2", "--reference", "cuda-core==1.2.1", "--device", "null", "--profile", "quick"]
    with pytest.raises(UsageError, match="4 processes a side give no verdict on times, which takes 12"):
        validatejob.load(place, [*words, "--metric", "time"])


def test_the_metric_is_the_machine_s_unless_said(place: Place) -> None:
    """Without a GPU nothing is as sure as instructions."""
    words = ["--candidate", "cuda-core==1.2.2", "--reference", "cuda-core==1.2.1", "--device", "null", "--case", "event.record"]
    task = validatejob.load(place, words)
    assert task.metrics == ("instructions",)
    assert [cell.label for cell in task.job.cells] == ["reference", "candidate"] * 4
    assert validatejob.load(place, [*words, "--metric", "both"]).metrics == ("time", "instructions")


def test_an_expired_waiver_is_told_before_anything_is_made(tmp_path: Path) -> None:
    """With its line."""
    waiver = '[[waive]]\ncase = "a.b"\ncell = "*"\nuntil = "1.2.2"\npackage = "cuda-core"\nreason = "known"\n'
    (tmp_path / "matrix.toml").write_text((ROOT / "matrix.toml").read_text() + waiver)
    words = ["--candidate", "cuda-core==1.2.2", "--reference", "cuda-core==1.2.1", "--metric", "instructions"]
    with pytest.raises(MatrixError, match="this waiver has expired"):
        validatejob.load(Place(tmp_path), words)
