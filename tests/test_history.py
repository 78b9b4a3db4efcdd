"""Counts of releases, some of which changed: which steps are told, and how they meet what was published."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ctkmatrix import chronicle, counts, history
from ctkmatrix.history import BINDINGS, CORE, Published
from ctkmatrix.model import Case, Cell, CellResult, Field, Metric, Outcome, Results, Status, Variant
from tests import results_factory

BINDINGS_CHAIN = tuple(Cell("12.9", "3.12", f"12.9.{patch}", "1.2.2") for patch in (4, 9, 10))
CORE_CHAIN = tuple(Cell("12.9", "3.12", "12.9.10", core) for core in ("0.3.2", "0.10.0"))
CELLS = (*BINDINGS_CHAIN, *CORE_CHAIN)
CASE = Case(
    "enum.construct", "", (Variant("native", ()), Variant("bindings", ()), Variant("core", ()), Variant("cupy", (), needs="gpu"))
)
PYTHON = {"version": "3.12.1", "build": "b", "free_threaded": False, "optimised": "yes"}


def run(**minima: dict[str, float]) -> Results:
    """Return a run where a variant takes so many instructions in a release, by default 1,000; ``None`` is not in it."""
    chance = random.Random(1)

    def field(cell: Cell, variant: Variant) -> Field:
        least = minima.get(variant.name, {}).get(f"{cell.bindings}/{cell.core}", 1000.0)
        if variant.needs == "gpu" or least < 0:
            return Field(cell.id, CASE.id, variant.name, Outcome(Status.NOT_APPLICABLE, "not in this version"))
        points = [least * (1 + chance.random() / 1000) for _ in range(5)]
        count = counts.summary(points, turns=100, settled=True)
        return Field(cell.id, CASE.id, variant.name, Outcome(Status.MEASURED), count=count)

    base = results_factory.results()
    manifest = type(base.manifest)(
        **{name: getattr(base.manifest, name) for name in base.manifest.__slots__} | {"metric": Metric.INSTRUCTIONS}
    )
    cells = tuple(CellResult(cell, Outcome(Status.MEASURED), provenance={"python": PYTHON}) for cell in CELLS)
    fields = tuple(field(cell, variant) for cell in CELLS for variant in CASE.variants)
    return Results(manifest, (CASE,), cells, fields, 1e-6)


def told(results: Results) -> history.History:
    """Return the history with a margin of one per cent."""
    return history.history(results, lambda _case, _variant: 0.01)


def test_releases_follow_each_other_by_version() -> None:
    """12.9.9 before 12.9.10, 0.3.2 before 0.10.0 before 1.2.2; a package's chain holds all else still."""
    lines = dict(history.chains(CELLS))
    assert [cell.bindings for cell in lines[BINDINGS]] == ["12.9.4", "12.9.9", "12.9.10"]
    assert [cell.core for cell in lines[CORE]] == ["0.3.2", "0.10.0", "1.2.2"]


def test_a_cell_with_extras_is_in_no_plain_chain() -> None:
    """Another package beside is no release of either."""
    beside = [replace(cell, extras=("cupy-cuda12x",)) for cell in BINDINGS_CHAIN[:2]]
    plain = history.chains(BINDINGS_CHAIN)
    assert history.chains([*BINDINGS_CHAIN, *beside]) == (*plain, (BINDINGS, tuple(beside)))


def test_a_step_is_told_at_the_release_that_brought_it() -> None:
    """2 % fewer from 12.9.9 on: one step, there; what only wobbles is none."""
    found = told(
        run(bindings={"12.9.9/1.2.2": 980.0, "12.9.10/1.2.2": 980.0, "12.9.10/0.3.2": 980.0, "12.9.10/0.10.0": 980.0})
    ).found
    assert [(step.package, step.version, step.case, step.variant) for step in found] == [
        (BINDINGS, "12.9.9", "enum.construct", "bindings")
    ]
    assert found[0].change.relative == pytest.approx(-0.02, abs=0.001)
    assert not told(run()).found


def test_what_a_release_lacks_is_no_step_and_no_failure() -> None:
    """It is told apart; what needs a GPU is not even that."""
    found = told(run(core={"12.9.10/0.3.2": -1}))
    assert [(field.cell, field.variant) for field in found.absent] == [(CORE_CHAIN[0].id, "core")]
    assert not found.failed
    assert not found.found


def test_only_cells_of_one_interpreter_are_compared() -> None:
    """A release that was counted in another build is set against nothing."""
    results = run(bindings={"12.9.9/1.2.2": 500.0})
    other = CellResult(BINDINGS_CHAIN[1], Outcome(Status.MEASURED), provenance={"python": PYTHON | {"build": "another"}})
    cells = tuple(other if result.cell == other.cell else result for result in results.cells)
    assert not told(Results(results.manifest, results.cases, cells, results.fields, 1e-6)).found


def test_found_and_published_stand_beside_each_other() -> None:
    """Found and published, published and not found, not counted for either reason, not measured; found and not published."""
    results = run(bindings={"12.9.9/1.2.2": 900.0, "12.9.10/1.2.2": 900.0}, core={"12.9.10/0.10.0": 800.0})
    said = [
        Published(BINDINGS, ("12.9.9",), "faster", "#1", "enum.construct", "bindings"),
        Published(BINDINGS, ("12.9.10",), "faster again", "#2", "enum.construct", "bindings"),
        Published(CORE, ("0.2.0",), "long ago", "#3", "enum.construct", "core"),
        Published(CORE, ("1.2.2",), "elsewhere", "#4"),
        Published(CORE, ("1.2.2",), "on a GPU", "#5", "view.torch", "core"),
    ]
    text = history.page(results, told(results), said, "nox -s count")
    assert "| cuda-bindings 12.9.9 | enum.construct | bindings | 900" not in text
    assert "-10.0% |" in text
    assert "faster (#1)" in text
    assert "not found: +0." in text or "not found: -0." in text
    assert "| #3 | not counted: no neighbour before it in the group |" in text
    assert "| #5 | not counted: the run has no counts of view.torch |" in text
    assert "no case measures it" in text
    assert "| cuda-core 0.10.0 | enum.construct | core | 1,0" in text
    assert "| no |" in text


def test_the_published_steps_can_be_read() -> None:
    """Every one names a package, a release, what was said and where; a case is named with its variant."""
    for one in chronicle.published():
        assert one.package in {BINDINGS, CORE}
        assert one.versions
        assert one.said
        assert one.source.startswith("#")
        assert bool(one.case) == bool(one.variant)
