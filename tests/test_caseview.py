"""Results and published figures -> what the page tells of each case."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from ctkmatrix import caseset, published
from ctkmatrix.caseview import views
from ctkmatrix.grid import by_key
from ctkmatrix.model import Case, Estimate, Field, Metric, Outcome, Results, Status, Variant
from ctkmatrix.page import CaseView, Fact, Link
from ctkmatrix.profiles import INSTRUCTIONS, Made
from ctkmatrix.published import Figure
from ctkmatrix.quantities import MINUS, THIN
from tests.conftest import ROOT
from tests.results_factory import alter, counted, estimate, results

FIGURES = published.figures(ROOT / "cases" / "published.toml")
CELL = "cu13.0-py3.12-b13.0.3-c1.2.2"


def view(these: Results, case: str, *figures: Figure, graphs: tuple[tuple[str, Made], ...] = ()) -> CaseView:
    """Return what is told of one case."""
    return next(each for each in views(these, by_key(these), figures, graphs) if each.id == case)


def declared(**changed: object) -> Results:
    """Return results of one case of two variants, in one cell; *changed* is of the case."""
    case = Case(
        "event.record",
        "Record.",
        (
            Variant("native", ("cuEventRecord",), source="CASE\n"),
            Variant("core", ("cuA", "cuA", "cuB"), "asks twice", "gpu sm_90"),
        ),
    )
    these = results()
    fields = [field for field in these.fields if field.cell == CELL and field.case == "event.record"]
    return replace(these, cases=(replace(case, **changed),), fields=tuple(fields))  # type: ignore[arg-type]


def test_each_case_is_told_once_in_the_order_of_the_results() -> None:
    """With an anchor that no character breaks."""
    these = results()
    told = views(these, by_key(these), ())
    assert [each.id for each in told] == [case.id for case in these.cases]
    assert next(each.anchor for each in told if each.id == "launch.empty") == "case-launch.empty"
    assert all(each.anchor.isascii() and not set(each.anchor) & set("<>\"'& ") for each in told)


def test_what_a_turn_is() -> None:
    """What goes without saying is not said."""
    assert view(declared(), "event.record").facts == (Fact("A turn", "counts for 1 call"),)
    all_ = declared(calls_per_turn=3, isolated=True, asynchronous=True, unit="share", without_native="C++ has none.")
    assert view(all_, "event.record").facts == (
        Fact("A turn", f"counts for 3 calls, so its target is 3{THIN}000 ns"),
        Fact("How it runs", "asynchronous: in bursts, drained between them; isolated: in a process of its own"),
        Fact("Unit", "a share, not a time"),
        Fact("Native twin", "none: C++ has none."),
    )


def test_references_lead_to_the_issues() -> None:
    """By their numbers; none is no link."""
    base = "https://github.com/NVIDIA/cuda-python/issues/"
    told = view(declared(references=("#756", "#1390")), "event.record")
    assert told.references == (Link("#756", f"{base}756"), Link("#1390", f"{base}1390"))
    assert view(declared(), "event.record").references == ()


def test_each_variant_is_told() -> None:
    """Its text, its calls, how it is like its twin, what it needs, where its numbers are."""
    native, core = view(declared(), "event.record").ways
    assert (native.name, native.row, native.beside, native.source) == ("native", "", "", "CASE")
    assert (core.row, core.beside, core.calls, core.needs, core.source) == (
        "event.record/core", "asks twice", "cuA \N{MULTIPLICATION SIGN} 2, cuB", "a GPU, sm_90", ""
    )  # fmt: skip


def test_flame_graphs_stand_with_their_variant() -> None:
    """And with no other."""
    made = Made("core", CELL, "", INSTRUCTIONS, "profiles/event.record/core/a.svg")
    native, core = view(declared(), "event.record", graphs=(("event.record", made),)).ways
    assert (native.graphs, [graph.href for graph in core.graphs]) == ((), [made.path])


def span(these: Results, case: str) -> dict[str, str]:
    """Return what is said of each variant's numbers over the cells."""
    return {fact.name: fact.value for fact in view(these, case).span}


def test_how_numbers_lie_over_the_cells() -> None:
    """Overheads, else times, else counts; from the least to the greatest; a single one by itself."""
    these = results()
    low, high = estimate(101e-9, 1e-9), estimate(9e-6, 1e-9)
    for cell, each in ((CELL, low), ("cu13.1-py3.12-b13.1.1-c1.2.2", high)):
        these = alter(these, Field(cell, "event.record", "core", Outcome(Status.MEASURED), each, each))
    assert span(these, "event.record")["core"] == f"101 \N{HORIZONTAL ELLIPSIS} 9{THIN}000 ns over native"
    assert span(these, "event.record")["bindings-runtime"] == "not measured here"
    assert span(these, "enum.member")["bindings"].endswith(" ns")
    assert span(counted(), "event.record")["core"].endswith(" instructions")
    assert "\N{HORIZONTAL ELLIPSIS}" not in span(declared(), "event.record")["core"]


def test_a_share_is_in_per_cent() -> None:
    """It is no time."""
    share = Estimate(0.25, 0.2, 0.3, (0.25,) * 12)
    these = alter(declared(unit="share"), Field(CELL, "event.record", "core", Outcome(Status.MEASURED), share))
    assert span(these, "event.record") == {"core": f"25{THIN}%"}


def figure(unit: str = "µs", variant: str = "core", **more: str | float) -> Figure:
    """Return a figure of ``event.record``."""
    return Figure(**{"value": 0.5, "operation": "record", "case": "event.record"} | more, unit=unit, variant=variant)  # type: ignore[arg-type]


def test_a_published_figure_is_told_as_it_was_said() -> None:
    """With what its source says, and links to where it stands."""
    (told,) = view(
        results(), "event.record", figure(issue="#1 #2", package="cuda-core", version="0.3", hardware="H100", note="about")
    ).published
    assert (told.value, told.what, told.variant) == (f"0.5{THIN}µs", "record", "core")
    assert (told.package, told.hardware, told.note) == ("cuda-core 0.3", "H100", "about")
    assert [link.text for link in told.said] == ["#1", "#2"]


def test_what_a_pilot_of_ours_found_stands_apart() -> None:
    """It was published by nobody else; ours stands beside it all the same."""
    told = view(results(), "event.record", figure(note="others'"), figure(pilot=True, note="ours"))
    assert [[each.note for each in some] for some in (told.published, told.pilot)] == [["others'"], ["ours"]]
    assert told.pilot[0].ours == told.published[0].ours
    assert {one.note.partition(":")[0] for one in FIGURES if one.pilot} == {"driver 580.159, Python 3.14, medians of 8 processes"}


@pytest.mark.parametrize(("value", "said"), [(6850, f"6{THIN}850"), (0.005918, "0.005918"), (-1234.5, f"{MINUS}1{THIN}234.5")])
def test_its_number_is_grouped_like_all_others(value: float, said: str) -> None:
    """The digits are those of its source."""
    assert view(results(), "event.record", figure("ns", value=value)).published[0].value == f"{said}{THIN}ns"


def test_ours_stand_beside_in_the_same_unit() -> None:
    """A turn's time of the same variant over the cells; no overhead, and nothing where there is no time."""
    these = results()
    times = [
        field.time.value for field in these.fields if field.case == "event.record" and field.variant == "core" and field.time
    ]
    (told,) = view(these, "event.record", figure()).published
    assert told.ours == f"{min(times) * 1e6:.3g} \N{HORIZONTAL ELLIPSIS} {max(times) * 1e6:.3g} µs, {len(times)} cells"


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (figure("x"), "not a time"),
        (figure("%"), "not a time"),
        (figure(variant="prototype"), "not measured here"),
        (figure(variant="bindings-runtime"), "not measured here"),
    ],
)
def test_what_has_none_of_ours_beside_it_says_so(one: Figure, said: str) -> None:
    """A ratio, what an issue tried out, what did not run."""
    assert view(results(), "event.record", one).published[0].ours == said
    assert view(results(metric=Metric.INSTRUCTIONS), "event.record", figure()).published[0].ours == "not measured here"


def test_published_figures_enter_no_number_of_ours() -> None:
    """With them or without, all else is the same."""
    these = results()
    with_, without = (views(these, by_key(these), figures) for figures in (FIGURES, ()))
    assert any(each.published for each in with_)
    assert any(each.pilot for each in with_)
    assert [replace(each, published=(), pilot=()) for each in with_] == list(without)


def test_every_figure_about_a_case_of_ours_is_shown_with_it() -> None:
    """Over the whole case set: as many as ``published.toml`` has for each."""
    cases = caseset.load(ROOT, [])
    these = replace(results(), cases=cases, fields=())
    shown = {each.id: len(each.published) + len(each.pilot) for each in views(these, {}, FIGURES)}
    assert {case: number for case, number in shown.items() if number} == Counter(one.case for one in FIGURES if one.case)
