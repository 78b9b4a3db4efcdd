"""The data block of the page: what is in it, to how many digits, and that it can stand in a page as it is."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ctkmatrix import counts, pagedata
from ctkmatrix.grid import by_key
from ctkmatrix.model import Estimate, Field, Flag, Margin, Metric, Outcome, Status
from ctkmatrix.pagedata import block, interpreted, payload
from tests.conftest import ROOT
from tests.results_factory import HOSTILE, NO_PYTHON, alter, counted, estimate, results

if TYPE_CHECKING:
    from pathlib import Path

    from ctkmatrix.model import Results

CELL = "cu13.0-py3.12-b13.0.3-c1.2.2"
MEASURED = Outcome(Status.MEASURED)


def made(these: Results) -> dict[str, Any]:
    """Return the block of *these*."""
    return payload(these, by_key(these))


def case(data: dict[str, Any], name: str) -> dict[str, Any]:
    """Return one case of *data*."""
    found: dict[str, Any] = next(each for each in data["cases"] if each["id"] == name)
    return found


def field(these: Results, name: str, variant: str, cell: str = CELL) -> dict[str, Any]:
    """Return what the block of *these* has of one field."""
    data = made(these)
    place = [each["id"] for each in data["cells"]].index(cell)
    own: dict[str, Any] = next(each for each in case(data, name)["variants"] if each["name"] == variant)["fields"][place]
    return own


def unpacked(field: dict[str, Any]) -> list[float]:
    """Return the processes of a field, as a reader of the block sees them."""
    least, most, text = field["p"]
    places = [pagedata.PLACES.index(text[place : place + 2]) for place in range(0, len(text), 2)]
    return [least + (most - least) * place / (len(pagedata.PLACES) - 1) for place in places]


def test_a_measured_field_has_its_numbers_in_ns() -> None:
    """Time, overhead, ratio, the processes' overheads, and its flags by number."""
    total, above = estimate(764e-9, 10e-9, 2), Estimate(584e-9, 574e-9, 596e-9, (580e-9, 588e-9))
    one = Field(CELL, "event.record", "bindings", MEASURED, total, above, estimate(4.24, 0.05, 2), (Flag.DRIFT,))
    these = alter(results(), one)
    data = made(these)
    found = field(these, "event.record", "bindings")
    assert (found["t"], found["o"], found["r"]) == ([764, 754, 776], [584, 574, 596], [4.24, 4.19, 4.3])
    assert "s" not in found
    assert unpacked(found) == [580, 588]
    assert [data["flags"][flag] for flag in found["f"]] == [Flag.DRIFT]


def test_a_time_that_stands_alone_has_its_processes_times() -> None:
    """There is no overhead to tell of, nor a twin."""
    these = alter(results(), Field(CELL, "enum.construct", "bindings", MEASURED, Estimate(2e-7, None, None, (2e-7,))))
    assert field(these, "enum.construct", "bindings") == {"t": [200, None, None], "p": [200, 200, "AA"]}
    own = case(made(these), "enum.construct")
    assert (own["target"], own["variants"][0]["native"]) == (None, None)
    assert own["alone"].startswith("An enumeration costs nothing")


def test_processes_are_where_they_were() -> None:
    """Two letters each, in their order, to a four-thousandth of what they differ by; an outlier and negative ones too."""
    points = [5.0, -3.25, 584.1, 12.0, 12.0, 4000.0]
    found = unpacked({"p": pagedata.packed(points)})
    assert found == pytest.approx(points, abs=(4000.0 + 3.25) / 4095 / 2 + 1e-9)
    assert (found[1], found[5]) == (-3.25, 4000.0)
    assert len(pagedata.packed(points)[2]) == 12  # type: ignore[arg-type]


def test_what_has_no_number_has_its_reason() -> None:
    """The same reason is said once."""
    data = made(results())
    found = field(results(), "event.record", "core", "cu13.0-py3.14-b13.0.3-c1.2.2")
    assert (found["s"], data["reasons"][found["why"]]) == ("n", NO_PYTHON)
    assert len(data["reasons"]) == len(set(data["reasons"])) == 5


def test_a_count_says_how_it_was_counted() -> None:
    """Its extremes and modes whole, and by number how many processes, how many turns, settled or not."""
    count = counts.summary([1234567.25, 1334567.5, 1334567.5], turns=1000, settled=False)
    these = alter(counted(), Field(CELL, "event.record", "core", MEASURED, count=count))
    found = field(these, "event.record", "core")
    assert (found["c"], found["m"]) == ([1234567, 1334568], [[1234567, 1], [1334568, 2]])
    assert made(these)["countings"][found["k"]] == (3, 1000, False)


def test_what_was_to_be_counted_and_is_not_says_why() -> None:
    """Also where there is a time: on a GPU, a variant that needs one."""
    these = results(device_kind="gpu", metric=Metric.BOTH)
    found = field(these, "event.record", "bindings-runtime")
    assert made(these)["reasons"][found["x"]] == "instructions are counted over the null driver"
    assert "x" not in field(results(), "event.record", "bindings-runtime")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(584.4996e-9, 584.4996), (1234.567e-9, 1234.6), (0.0123456e-9, 0.012346), (-5e-9, -5), (1235.4999e-9, 1235.5), (0.0, 0)],
)
def test_numbers_have_five_digits_unless_they_would_then_be_shown_as_others(value: float, shown: float) -> None:
    """Half-way between two numbers of three digits, a rounded number could become either."""
    these = alter(results(), Field(CELL, "event.record", "bindings", MEASURED, Estimate(value, None, None, (value,))))
    assert field(these, "event.record", "bindings")["t"][0] == shown


def test_a_narrow_interval_keeps_its_halves() -> None:
    """Five digits of 5.2 ms would be 100 ns, as wide as the interval."""
    narrow = Estimate(5.2001234e-3, 5.2001111e-3, 5.2001301e-3, (5.2001234e-3,))
    these = alter(results(), Field(CELL, "nvrtc.compile", "bindings", MEASURED, narrow))
    assert field(these, "nvrtc.compile", "bindings")["t"] == [5200123.4, 5200111.1, 5200130.1]


def test_margins_are_the_cases_own() -> None:
    """As ``matrix.toml`` says them, by glob; the absolute one in ns."""
    these = replace(results(), margins=(("*", Margin(0.03, 10e-9)), ("launch.*", Margin(0.05, 50e-9, 0.02))))
    data = made(these)
    assert case(data, "launch.empty")["margin"] == {"relative": 0.05, "absolute": 50, "instructions": 0.02}
    assert case(data, "event.record")["margin"]["relative"] == 0.03


def test_rows_are_named_by_their_anchors() -> None:
    """Those of the first matrix that has one: natives have none among times."""
    for metric, anchors in (
        (Metric.TIME, [None, "event.record/core"]),
        (Metric.BOTH, ["instructions/event.record/native", "event.record/core"]),
        (Metric.INSTRUCTIONS, ["instructions/event.record/native", "instructions/event.record/core"]),
    ):
        variants = case(made(results(metric=metric)), "event.record")["variants"]
        assert [variants[0]["anchor"], variants[2]["anchor"]] == anchors
        assert [each["native"] for each in variants] == [None, 0, 0, None]


def test_cells_of_one_interpreter_share_a_number() -> None:
    """The reason against every other is that of ``counts.refusal``, both ways."""
    these = counted()
    python = {"version": "3.12.4", "build": "another", "optimised": "unknown", "gil": True}
    cells = (*these.cells[:-3], replace(these.cells[-3], provenance={"python": python}), *these.cells[-2:])
    numbers, refusals = interpreted(cells)
    for reference, first in zip(cells, numbers, strict=True):
        for candidate, second in zip(cells, numbers, strict=True):
            if reference is not candidate:
                assert refusals[first][second] == counts.refusal(reference, candidate)
    assert "another interpreter: build" in {reason for reasons in refusals for reason in reasons}


def test_nothing_of_the_block_can_be_markup() -> None:
    """It is the same data when it is read, and has no sign that ends an element or a line of a script."""
    data = made(results()) | {"more": "\u2028\u2029</script><!--&amp;"}
    text = block(data)
    assert HOSTILE.replace(" ", "") in json.dumps(data).replace("\\", "").replace(" ", "")
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == json.loads(json.dumps(data))


def test_an_infinite_ratio_is_left_out() -> None:
    """JSON has no word for it."""
    total = estimate(1e-9, 1e-10, 2)
    never = Estimate(float("inf"), float("inf"), float("inf"), (float("inf"),))
    these = alter(results(), Field(CELL, "event.record", "core", MEASURED, total, total, never))
    assert "r" not in field(these, "event.record", "core")
    block(made(these))


def test_beyond_many_fields_processes_are_numbers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The block says so, and each field how many there are."""
    monkeypatch.setattr(pagedata, "MANY", 10)
    data = made(results())
    found = field(results(), "event.record", "core")
    assert (data["points"], found["n"], "p" in found) == (False, 12, False)


def test_a_large_matrix_is_quick() -> None:
    """32 cells of 100 cases in three variants: well under a second."""
    these = results(rows=200)
    assert len(these.fields) > 9500
    fields = by_key(these)
    began = time.perf_counter()
    block(payload(these, fields))
    assert time.perf_counter() - began < 1


LARGE = """
import json, resource, sys, time
from dataclasses import replace
from pathlib import Path
from ctkmatrix.render import write
from tests import results_factory as factory
few = factory.cells()
factory.cells = lambda: tuple(replace(cell, core=f"1.{n}.0") for n in range(32) for cell in few)[:1000]
points = lambda one: one and replace(one, points=tuple(one.value * (1 + 0.01 * place) for place in range(12)))
made = factory.results(rows=200)
fields = (replace(each, time=points(each.time), overhead=points(each.overhead), ratio=points(each.ratio)) for each in made.fields)
made = replace(made, fields=tuple(fields))
began = time.process_time()
write(made, Path(sys.argv[1]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([len(made.fields), time.process_time() - began, peak]))
"""
"""Renders 1,000 cells of 100 cases, 12 processes each, in a process of its own, whose peak of memory is told."""


@pytest.mark.slow
def test_a_thousand_cells_are_rendered_within_a_minute_and_two_gigabytes(tmp_path: Path) -> None:
    """The page, and the files beside it; CPU time, as other work beside the tests is not the page's."""
    done = subprocess.run([sys.executable, "-c", LARGE, tmp_path], cwd=ROOT, capture_output=True, text=True, check=True)
    fields, seconds, peak = json.loads(done.stdout)
    assert fields > 300_000
    assert seconds < 60
    assert peak < 2 << 30
