"""The summary of a GitHub Actions job: appended where there is one, and never a reason to fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctkmatrix import stepsummary

if TYPE_CHECKING:
    from pathlib import Path


def test_the_text_is_appended(tmp_path: Path) -> None:
    """Whatever stands there stays."""
    file = tmp_path / "summary.md"
    file.write_text("before\n", encoding="utf-8")
    assert stepsummary.append("## déjà\n", {stepsummary.VARIABLE: str(file)}) == ""
    assert file.read_text(encoding="utf-8") == "before\n## déjà\n"


@pytest.mark.parametrize("environment", [{}, {stepsummary.VARIABLE: ""}])
def test_without_the_variable_nothing_is_done(environment: dict[str, str]) -> None:
    """Nor is anything said."""
    assert stepsummary.append("text", environment) == ""


def test_a_file_that_is_not_there_or_cannot_be_written_is_told(tmp_path: Path) -> None:
    """And nothing is raised."""
    for name, why in (("gone.md", "No such file or directory"), (".", "Is a directory")):
        told = stepsummary.append("text", {stepsummary.VARIABLE: str(tmp_path / name)})
        assert told.startswith("GITHUB_STEP_SUMMARY: ")
        assert told.endswith(f"the summary could not be appended: {why}")
    assert not list(tmp_path.iterdir())


def test_a_summary_that_github_would_not_show_is_told(tmp_path: Path) -> None:
    """What stands there is left as it is."""
    file = tmp_path / "summary.md"
    file.write_bytes(b"x" * stepsummary.MOST)
    assert "1048577 bytes" in stepsummary.append("y", {stepsummary.VARIABLE: str(file)})
    assert file.stat().st_size == stepsummary.MOST
