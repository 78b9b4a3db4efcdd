"""Results -> page: verdict, head, summary, flags."""

from __future__ import annotations

from dataclasses import replace

from ctkmatrix.model import Field, Outcome, Results, Status
from ctkmatrix.page import Fact
from ctkmatrix.quantities import THIN
from ctkmatrix.report import view
from tests.results_factory import alter, estimate, results

CELL = "cu13.0-py3.12-b13.0.3-c1.2.2"


def with_overhead(case: str, seconds: float) -> Results:
    """Return the standard results with one overhead of ``CELL`` made by hand."""
    total = estimate(seconds, seconds / 100)
    return alter(results(), Field(CELL, case, "bindings", Outcome(Status.MEASURED), total, total))


def only(*keep: str) -> Results:
    """Return the standard results with these cases alone."""
    these = results()
    return replace(these, cases=tuple(case for case in these.cases if case.id in keep))


def test_the_head_says_what_ran_of_what_was_planned() -> None:
    """Cells and measurements are counted against the plan; what cannot apply is not planned."""
    head = {fact.name: fact.value for fact in view(results()).head}
    assert head["Cells"] == "29 of 32 planned"
    these = results()
    planned = [field for field in these.fields if field.outcome.status is not Status.NOT_APPLICABLE]
    measured = [field for field in planned if field.outcome.status is Status.MEASURED]
    assert head["Measurements"].replace(THIN, "") == f"{len(measured)} of {len(planned)} planned"
    assert head["Profile"] == "standard: 12 processes a cell, 5 values of 10 ms"
    assert (head["Started"], head["Took"]) == ("2026-03-01 12:00 UTC", "9 min 12 s")


def test_the_verdict_counts_case_variants_within_the_target() -> None:
    """One cell beyond the target is enough to leave the good ones."""
    assert view(only("device.get")).verdict == "Within the target in every cell measured: 1 of 1 case variant."
    beyond = replace(with_overhead("device.get", 1.2e-6), cases=only("device.get", "loop.empty").cases)
    assert view(beyond).verdict == "Within the target in every cell measured: 1 of 2 case variants."


def test_without_overheads_the_verdict_says_so() -> None:
    """No samples is no verdict, and no crash."""
    page = view(only("enum.construct"))
    assert (page.verdict, page.worst, page.areas) == ("No overhead was measured.", (), ())


def test_the_worst_are_ranked_by_their_share_of_the_target() -> None:
    """A (case, variant) appears once, in its worst cell; calls a turn count."""
    worst = view(with_overhead("event.record", 90e-6)).worst
    assert len(worst) == 5
    assert (worst[0].case, worst[0].variant, worst[0].cell) == ("event.record", "bindings", CELL)
    assert (worst[0].row, worst[0].overhead.replace(THIN, " ")) == ("event.record/bindings", "90 000")
    assert len({(each.case, each.variant) for each in worst}) == 5
    tensormap = view(with_overhead("tensormap.encode_3", 900e-6)).worst[0]
    assert (tensormap.case, tensormap.share) == ("tensormap.encode_3", f"30{THIN}000{THIN}%")


def test_an_area_is_summed_up_a_call() -> None:
    """Worst, median and the count beyond the target; areas without any overhead are left out."""
    areas = {area.name: area for area in view(with_overhead("tensormap.encode_3", 6e-6)).areas}
    tensormap = areas["tensormap"]
    assert (tensormap.measured, tensormap.worst, tensormap.worst_heat) == (29, f"2{THIN}000", 4)
    assert tensormap.worst_where == f"tensormap.encode_3/bindings in {CELL}"
    assert "enum" not in areas


def test_flags_name_their_cells() -> None:
    """Each flag has its sentence and where it holds; the null driver's is the banner's."""
    page = view(results(processes=4))
    sentences = {flag.text: flag.where.text for flag in page.flags}
    assert sentences["Fewer than 12 processes: fit for exploring, not for a verdict."] == "29 cells"
    assert not any("null driver" in text for text in sentences)


def test_the_banner_stands_for_the_null_driver_alone() -> None:
    """No one takes a null run for a GPU's, nor the other way round."""
    assert "pure host overhead" in view(results(device_kind="null")).banner
    assert view(results(device_kind="gpu")).banner == ""


def test_a_run_that_is_not_complete_says_so() -> None:
    """The alert follows the manifest's status."""
    alerts = {status: view(results(status=status)).alert for status in ("complete", "incomplete", "interrupted")}
    assert alerts["complete"] == ""
    assert "incomplete" in alerts["incomplete"]
    assert "--resume" in alerts["interrupted"]


def test_the_device_is_the_first_thing_said() -> None:
    """The head begins with what was measured on."""
    assert view(results(device_kind="gpu")).head[0] == Fact("Device", "NVIDIA H200, driver 590.44.01")
