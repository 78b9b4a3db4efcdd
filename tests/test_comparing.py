"""The words of `nox -s report`, and what --compare leaves behind, over runs on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ctkmatrix.comparing import Asked, common, compare, parse, write
from ctkmatrix.errors import CtkmatrixError, NotComparable, UsageError
from ctkmatrix.job import Place
from ctkmatrix.journal import Began
from ctkmatrix.model import Metric
from ctkmatrix.store import Run
from tests import sides_factory as factory
from tests.conftest import ROOT
from tests.results_factory import counted, results

if TYPE_CHECKING:
    from pathlib import Path

    from ctkmatrix.model import Results

OLD, NEW = "cu13.4-py3.12*", "cu13.5-py3.12*"


def put(place: Place, whole: Results) -> None:
    """Write a run without times' journal: what a comparison of counts needs."""
    run = Run(place.reports / "runs" / whole.manifest.run)
    run.write_results(whole, {})
    manifest = whole.manifest
    run.append(
        Began(
            run=manifest.run,
            at=manifest.started,
            arguments=manifest.arguments,
            profile=manifest.profile,
            seed=manifest.seed,
            cells=tuple(one.cell for one in whole.cells),
            cases={case.id: case.version for case in whole.cases},
            device=manifest.device,
            machine=manifest.machine,
            harness=manifest.harness,
            orchestrator=manifest.orchestrator,
        )
    )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A checkout with two runs that counted."""
    (tmp_path / "matrix.toml").write_text((ROOT / "matrix.toml").read_text())
    made = Place(tmp_path)
    whole = factory.side(factory.machine(counted())).results
    put(made, replace(whole, manifest=replace(whole.manifest, status="complete")))
    put(made, factory.another(whole))
    return made


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ([], Asked()),
        (["2026"], Asked("2026")),
        (["--compare", "2026", "latest:cu13*"], Asked(compare=("2026", "latest:cu13*"))),
    ],
)
def test_words(words: list[str], asked: Asked) -> None:
    """A run, or two sides."""
    assert parse(words) == asked


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--compar", "a"], "unknown option --compar; perhaps you meant «--compare»"),
        (["--compare", "a"], "after --: argument --compare: expected 2 arguments"),
        (["--compare", "a", "b", "c"], "takes two sides, and 'c' is a third"),
        (["a", "b"], "unexpected word 'b'; --help lists what there is"),
    ],
)
def test_wrong_words_are_told(words: list[str], said: str) -> None:
    """With a suggestion where one is near."""
    with pytest.raises(UsageError, match=said):
        parse(words)


def test_help_says_what_a_side_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Run and glob."""
    with pytest.raises(SystemExit, match="0"):
        parse(["--help"])
    assert "RUN:GLOB" in capsys.readouterr().out


def test_two_groups_of_one_run(place: Place) -> None:
    """Three files, in a directory that is called by both sides."""
    found, page = compare(place, (f"latest:{OLD}", f"latest:{NEW}"))
    assert page == place.reports / "comparisons" / f"77aa-{OLD[:-1]}_--77aa-{NEW[:-1]}_" / "index.html"
    assert [axis.name for axis in found.axes] == ["toolkit", "bindings"]
    assert [path.name for path in sorted(page.parent.iterdir())] == ["comparison.json", "comparison.md", "index.html"]
    assert len(json.loads((page.parent / "comparison.json").read_text())["rows"]) == len(found.rows)
    assert "more | event.record core" in (page.parent / "comparison.md").read_text()


def test_two_runs(place: Place) -> None:
    """By the start of their ids; only cells of one id meet, and the same counts change nothing."""
    found, page = compare(place, ("20260301", "20260302"))
    assert page.parent.name == "5f1c--77aa"
    assert {row.judgement for row in found.rows} == {"equivalent"}
    assert found.reference.cells == found.candidate.cells


@pytest.mark.parametrize(
    ("sides", "said"),
    [
        (("latest", "latest"), "would be compared with itself"),
        (("latest", "2027"), "no run is called '2027'"),
        (("latest:cu13.5-*", "latest:cu14*"), r"'cu14\*' matches no cell of run 20260302T120000Z-77aa"),
        ((f"latest:{OLD}", "latest:cu13.[35]-py3.12*"), "ambiguous"),
    ],
)
def test_unclear_sides_are_told(place: Place, sides: tuple[str, str], said: str) -> None:
    """What was found is in the message; the exit code is that of wrong usage."""
    with pytest.raises(CtkmatrixError, match=said) as told:
        compare(place, sides)
    assert told.value.exit == 2


def test_runs_of_other_machines_are_refused(place: Place) -> None:
    """With the difference."""
    whole = counted()
    elsewhere = replace(whole.manifest, run="20260401T120000Z-beef", machine={**whole.manifest.machine, "id": "0000"})
    put(place, replace(whole, manifest=elsewhere))
    with pytest.raises(NotComparable, match="machine: 5f1c and 0000"):
        compare(place, ("20260301", "20260401"))


def test_times_and_counts_have_nothing_in_common() -> None:
    """What both hold is compared."""
    assert common(factory.base(), results()) is Metric.TIME
    assert common(factory.base(), factory.base()) is Metric.BOTH
    with pytest.raises(NotComparable, match=r"holds instructions, and run .* holds time"):
        common(counted(), results())


def test_markup_stays_text(tmp_path: Path) -> None:
    """In the page, its data and the Markdown."""
    page = write(factory.within(), tmp_path)
    html, markdown = page.read_text(), (tmp_path / "comparison.md").read_text()
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html
    assert "<script>" not in markdown
