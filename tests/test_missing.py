"""What did not run and why: the same reason is one line."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from ctkmatrix.grid import by_key
from ctkmatrix.missing import missing, named
from ctkmatrix.model import Flag, Metric, Outcome, Results, Status
from ctkmatrix.page import Missing, Names
from tests.results_factory import HOSTILE, NO_PYTHON, alter, counted, results


def listed(these: Results) -> dict[str, list[Missing]]:
    """Return the lines by mark."""
    lines: dict[str, list[Missing]] = {}
    for each in missing(these, by_key(these)):
        lines.setdefault(each.mark, []).append(each)
    return lines


def test_cells_that_share_a_reason_are_one_line() -> None:
    """Three cells without an interpreter are told once, and none of their fields again."""
    (line,) = listed(results())["not run"]
    assert line.reason == NO_PYTHON
    assert line.what == Names("the whole cell")
    assert line.where.text.count("py3.14") == 3


def test_a_failure_in_eight_cells_is_one_line() -> None:
    """The cells are counted and listed on demand."""
    line = next(each for each in listed(results())["failed"] if HOSTILE in each.reason)
    assert line.what == Names("launch.empty/core")
    assert (line.where.text, len(line.where.items)) == ("8 cells", 8)


def test_variants_that_share_reason_and_cells_are_one_line() -> None:
    """A case that hung loses all its variants, in one line; the native twin is named too."""
    line = next(each for each in listed(results())["failed"] if "no answer" in each.reason)
    assert line.what.text == "nvrtc.compile/native, nvrtc.compile/bindings, nvrtc.compile/core"


def test_exclusions_are_told_and_cases_that_ran_are_not() -> None:
    """What is left out by decision stands there with its reason; a case without a native twin ran all the same."""
    lines = listed(results())
    assert lines["left out"][0].where == Names("cu12.9-py3.14t-b12.9.4-c1.2.2")
    assert "no wheel" in lines["left out"][0].reason
    assert not any("enum" in each.what.text for each in chain.from_iterable(lines.values()))


def test_reasons_joined_for_a_cell_are_not_told_again() -> None:
    """A cell that lost everything for two reasons is one line."""
    these = results()
    first = these.cells[0].cell.id
    outcomes = {"event": Outcome(Status.FAILED, "one"), "launch": Outcome(Status.FAILED, "two")}
    fields = tuple(
        replace(field, outcome=outcomes.get(field.case.split(".")[0], outcomes["event"]), time=None, overhead=None, ratio=None)
        for field in these.fields
        if field.cell == first
    )
    cell = replace(these.cells[0], outcome=Outcome(Status.FAILED, "one; two"), processes=0, flags=(Flag.NULL_DRIVER,))
    lines = missing(only := replace(these, cells=(cell,), fields=fields), by_key(only))
    assert [each.reason for each in lines if each.mark == "failed"] == ["one; two"]


def test_few_names_are_said_outright() -> None:
    """Up to three names stand in the text."""
    assert named(["a", "b", "c"], "cell") == Names("a, b, c")
    assert named(["a", "b", "c", "d"], "cell") == Names("4 cells", ("a", "b", "c", "d"))


def test_where_instructions_alone_are_counted_no_time_is_missed() -> None:
    """The list is that of the same run by time: what failed, and what did not run."""
    these, timed = counted(), results()
    assert missing(these, by_key(these)) == missing(timed, by_key(timed))


def test_a_count_that_is_not_there_is_told() -> None:
    """On a GPU a variant that needs one has a time and no count; a run that ended early lacks some."""
    these = results(device_kind="gpu", metric=Metric.BOTH)
    (line,) = (each for each in missing(these, by_key(these)) if each.mark == "needs a GPU")
    assert line.what == Names("event.record/bindings-runtime")
    assert line.reason == "instructions are counted over the null driver"
    field = next(field for field in these.fields if field.count)
    these = alter(these, replace(field, count=None))
    (line,) = (each for each in missing(these, by_key(these)) if each.mark == "no value")
    assert (line.where.text, line.reason) == (field.cell, "the run ended before it was counted")
