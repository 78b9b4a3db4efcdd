"""Results -> page: verdict, head, summary, flags."""

from __future__ import annotations

import re
from dataclasses import replace

from ctkmatrix.countgrid import UNSETTLED
from ctkmatrix.model import Estimate, Field, Flag, Metric, Outcome, Results, Status
from ctkmatrix.page import Fact
from ctkmatrix.quantities import THIN, TIMES
from ctkmatrix.report import view
from tests.results_factory import alter, counted, estimate, results

CELL = "cu13.0-py3.12-b13.0.3-c1.2.2"


def with_overhead(case: str, seconds: float) -> Results:
    """Return the standard results with one overhead of ``CELL`` made by hand."""
    total = estimate(seconds, seconds / 100)
    return alter(results(), Field(CELL, case, "bindings", Outcome(Status.MEASURED), total, total))


def uncertain(case: str) -> Results:
    """Return the standard results with one overhead of ``CELL`` that is all noise, and great."""
    noise = Estimate(90e-6, -200e-6, 400e-6, (90e-6,) * 12)
    return alter(results(), Field(CELL, case, "bindings", Outcome(Status.MEASURED), noise, noise))


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
    assert head["Processes"] == "348 of 384 planned"
    assert head["Profile"] == "standard: 12 processes a cell, 5 values of 10 ms"
    assert (head["Started"], head["Took"]) == ("2026-03-01 12:00 UTC", "9 min 12 s")


def test_the_verdict_counts_case_variants_by_their_standing() -> None:
    """One cell beyond the target, or one that says nothing, is enough to leave the good ones."""
    assert view(only("device.get")).verdict == "1 of 1 case variant is within the target in every cell."
    both = only("device.get", "loop.empty").cases
    beyond = view(replace(with_overhead("device.get", 1.2e-6), cases=both)).verdict
    assert beyond == "1 of 2 case variants is within the target in every cell; 1 is over it in some cell."
    noisy = view(replace(uncertain("device.get"), cases=both)).verdict
    assert noisy == "1 of 2 case variants is within the target in every cell; 1 is too uncertain to say."


def test_few_processes_give_no_verdict() -> None:
    """The headline agrees with the flag, and claims nothing for certain; the same is said where a run ended early."""
    few, interrupted = results(processes=4), results(processes=4, status="interrupted")
    unflagged = replace(interrupted, cells=tuple(replace(each, flags=()) for each in interrupted.cells))
    for these in (few, unflagged):
        assert view(these).verdict.startswith("No verdict, with fewer than 12 processes. At first sight, ")
        assert "certain in" not in view(these).verdict
    assert not view(results()).verdict.startswith("No verdict")


def test_the_parts_of_the_verdict_add_up() -> None:
    """No case variant is counted twice or lost, whatever stands where."""
    within, of, *others = (int(digits) for digits in re.findall(r"\d+", view(uncertain("device.get")).verdict))
    assert within + sum(others) == of
    assert len(others) == 2


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
    assert (tensormap.case, tensormap.share) == ("tensormap.encode_3", f"300{THIN}{TIMES}")


def test_the_list_of_what_is_over_the_target_stops_there() -> None:
    """What is within stands in it only where nothing is over, under a title that says so."""
    beyond = view(replace(with_overhead("device.get", 1.2e-6), cases=only("device.get", "loop.empty").cases))
    assert (beyond.worst_title, [each.case for each in beyond.worst]) == ("Furthest over the target", ["device.get"])
    within = view(only("device.get", "loop.empty"))
    assert within.worst_title == "Nearest to the target, and within it"
    assert {each.case for each in within.worst} == {"device.get", "loop.empty"}
    assert view(results()).unsure.startswith("5 of 14 case variants that are over it. Left out")


def test_noise_leads_no_list() -> None:
    """A great number that says nothing is left out of the worst, which says so, and of its area's worst, which counts it."""
    before, after = view(only("device.get")), view(replace(uncertain("device.get"), cases=only("device.get").cases))
    assert before.unsure == ""
    assert after.unsure == "Left out as too uncertain: 1 of 29 overheads."
    assert all(each.cell != CELL for each in after.worst)
    (area,) = after.areas
    assert (area.certain, area.unsure, area.over, area.greatest) == (28, 1, 0, after.worst[0].overhead)


def test_the_worst_is_that_of_the_intervals_lower_end() -> None:
    """The greater number with the wider interval stands behind."""
    these = with_overhead("device.get", 3e-6)
    wide = Estimate(3.5e-6, 2.2e-6, 4.8e-6, (3.5e-6,) * 12)
    elsewhere = "cu13.1-py3.12-b13.1.1-c1.2.2"
    these = alter(these, Field(elsewhere, "device.get", "bindings", Outcome(Status.MEASURED), wide, wide))
    page = view(these)
    worst = next(each for each in page.worst if each.case == "device.get")
    assert worst.cell == CELL


def test_an_areas_median_and_greatest_are_of_the_same_overheads() -> None:
    """Of those of which the interval says where they stand, so that the greatest is no less than the median; which, is said."""
    these, wide = only("device.get"), Estimate(900e-9, 100e-9, 1700e-9, (900e-9,) * 12)
    most = [each.cell.id for each in these.cells][:28]
    for cell in most:
        these = alter(these, Field(cell, "device.get", "bindings", Outcome(Status.MEASURED), wide, wide))
    page = view(these)
    (area,) = page.areas
    assert (area.certain, area.unsure) == (4, 28)
    assert float(area.median) <= float(area.greatest) < 300
    assert float(area.median_share.split(THIN)[0]) <= float(area.greatest_share.split(THIN)[0]) < 30
    assert page.of_areas.startswith("Median and greatest are of the 4 of 32 overheads of which the interval says")
    assert view(only("device.get")).of_areas == "Median and greatest are of all overheads."


def test_an_area_without_a_certain_overhead_has_no_greatest() -> None:
    """With one process there is no interval: nothing leads, everything is counted as unsure."""
    these = only("device.get")
    lone = replace(
        these,
        fields=tuple(
            replace(field, overhead=Estimate(field.overhead.value, None, None, field.overhead.points[:1]))
            if field.overhead
            else field
            for field in these.fields
        ),
    )
    page = view(lone)
    (area,) = page.areas
    assert (page.worst, area.median, area.greatest, area.certain, area.unsure) == ((), "", "", 0, 29)
    assert page.verdict.endswith("0 of 1 case variant are within the target in every cell; 1 is too uncertain to say.")


def test_an_area_is_summed_up_a_call() -> None:
    """The worst of a case of several calls a turn is a call's; areas without any overhead are left out."""
    areas = {area.name: area for area in view(with_overhead("tensormap.encode_3", 6e-6)).areas}
    tensormap = areas["tensormap"]
    assert (tensormap.greatest, tensormap.greatest_heat) == (f"2{THIN}000", 4)
    assert tensormap.certain + tensormap.unsure == 29
    assert tensormap.greatest_where == f"tensormap.encode_3/bindings in {CELL}"
    assert "enum" not in areas


def test_flags_name_their_cells() -> None:
    """Each flag has its sentence and where it holds; the null driver's is the banner's."""
    page = view(results(processes=4))
    sentences = {flag.text: flag.where.text for flag in page.flags}
    assert sentences["Fewer than 12 processes: fit for exploring, not for a verdict."] == "29 cells"
    assert not any("null driver" in text for text in sentences)


def test_flags_of_fields_are_counted() -> None:
    """So many of all the fields measured, natives too; opened, the case variants, the most often weakened first."""
    total, measured = estimate(1e-6, 1e-9), Outcome(Status.MEASURED)
    these, elsewhere = results(), "cu13.1-py3.12-b13.1.1-c1.2.2"
    for cell, case in ((CELL, "device.get"), (CELL, "event.record"), (elsewhere, "event.record")):
        these = alter(these, Field(cell, case, "bindings", measured, total, total, flags=(Flag.BIMODAL,)))
    where = next(flag.where for flag in view(these).flags if flag.text == Flag.BIMODAL)
    times = sum(field.time is not None for field in these.fields)
    assert where.text.replace(THIN, "") == f"3 of {times} fields"
    assert where.items == ("event.record/bindings (2 cells)", "device.get/bindings (1 cell)")


def test_the_banner_stands_for_the_null_driver_alone() -> None:
    """No one takes a null run for a GPU's, nor the other way round."""
    assert "answered at once and do no work" in view(results(device_kind="null")).banner
    assert view(results(device_kind="gpu")).banner == ""


def test_a_run_that_is_not_complete_says_so() -> None:
    """The alert follows the manifest's status."""
    alerts = {status: view(results(status=status)).alert for status in ("complete", "incomplete", "interrupted")}
    assert alerts["complete"] == ""
    assert "incomplete" in alerts["incomplete"]
    assert "36 of 384 processes are missing" in alerts["interrupted"]
    assert "--resume" in alerts["interrupted"]


def test_the_device_is_the_first_thing_said() -> None:
    """The head begins with what was measured on."""
    assert view(results(device_kind="gpu")).head[0] == Fact("Device", "NVIDIA H200, driver 590.44.01")


def test_a_run_that_counted_speaks_of_counts_alone() -> None:
    """No target, no overhead, no flag of time; the head says how many counts there are, and one matrix shows them."""
    these = counted()
    page = view(these)
    head = {fact.name: fact.value.replace(THIN, "") for fact in page.head}
    found = [field for field in these.fields if field.count]
    planned = [field for field in these.fields if field.variant != "bindings-runtime"]
    assert head["Counts"] == f"{len(found)} of {len(planned)} planned"
    assert head["Profile"] == "count: 5 processes a cell"
    assert "Measurements" not in head
    assert page.verdict == "Instructions counted: 41 case variants in 29 cells."
    assert (page.target, page.worst, page.areas, page.unsure) == ("", (), (), "")
    assert {flag.text for flag in page.flags} == {Flag.INTERPRETER_BUILD, Flag.NO_NVCC, UNSETTLED}
    assert [grid.quantity for grid in page.grids] == ["instructions"]


def test_a_run_of_both_has_a_matrix_of_each() -> None:
    """What is said of time is said as ever, and counts beside it."""
    page, timed = view(results(metric=Metric.BOTH)), view(results())
    assert (page.verdict, page.worst, page.areas, page.target) == (timed.verdict, timed.worst, timed.areas, timed.target)
    assert [grid.quantity for grid in page.grids] == ["time", "instructions"]
    assert page.grids[0] == timed.grids[0]
    assert {"Measurements", "Counts"} < {fact.name for fact in page.head}
    assert timed.counted == ""


def test_on_a_gpu_a_variant_that_needs_one_is_not_planned_to_be_counted() -> None:
    """Counts run over the null driver."""
    head = {fact.name: fact.value.replace(THIN, "") for fact in view(results(device_kind="gpu", metric=Metric.BOTH)).head}
    assert int(head["Counts"].split()[2]) == int(head["Measurements"].split()[2]) - 32


def test_the_counts_are_summed_up_by_how_far_their_processes_lie_apart() -> None:
    """In the median and at most, with its place; then how many have two modes."""
    these = counted()
    spreads = sorted(field.count.spread for field in these.fields if field.count)
    modes = sum(bool(field.count.modes) for field in these.fields if field.count)
    said = view(these).counted.replace(THIN, " ")
    assert said.startswith("1 177 fields counted, each in 5 processes.")
    assert f"{100 * spreads[-1]:.1f} % at most" in said
    assert said.endswith(f" {modes} have two modes.")
    none = replace(these, fields=tuple(replace(field, count=None) for field in these.fields))
    assert view(none).counted == "No instructions were counted."


def test_counts_that_did_not_settle_are_told_like_a_flag() -> None:
    """So many of all that were counted, and which."""
    (warned,) = (flag for flag in view(counted()).flags if flag.text == UNSETTLED)
    assert warned.where.text.replace(THIN, "") == "3 of 1177 fields"
    assert warned.where.items[0] == "event.record/native (1 cell)"


def test_a_run_interrupted_while_it_counted_misses_no_process() -> None:
    """All of its times are there: the alert speaks of the counts."""
    these = results(status="interrupted", metric=Metric.BOTH)
    ran = replace(these, cells=tuple(replace(each, processes=12) for each in these.cells))
    assert view(ran).alert == "This run was interrupted while it counted instructions. To go on with it: --resume."


def test_a_case_is_held_against_a_target_of_its_own() -> None:
    """Its share is of that; what it takes stays what it takes."""
    plain = replace(with_overhead("device.current", 2e-6), cases=only("device.current").cases)
    own = replace(plain, cases=tuple(replace(case, target=10e-6) for case in plain.cases))
    (before,), (after,) = (view(each).areas for each in (plain, own))
    assert (before.greatest, before.greatest_share) == (f"2{THIN}000", f"200{THIN}%")
    assert (after.greatest, after.greatest_share) == (f"2{THIN}000", f"20{THIN}%")
    assert before.over > after.over == 0
