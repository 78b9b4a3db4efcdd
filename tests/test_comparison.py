"""Two sides of known effect -> a comparison: verdicts, tallies, what is lacking, what else differs."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from ctkmatrix import comparison, pairing
from ctkmatrix.judged import NOT_PLANNED
from ctkmatrix.model import Flag, Judgement, Metric, Outcome, Status
from tests import sides_factory as factory
from tests.results_factory import HOSTILE, alter

if TYPE_CHECKING:
    from ctkmatrix.comparison import Comparison
    from ctkmatrix.judged import Row
    from ctkmatrix.model import CellResult, Field, Results

CELL = "cu13.5-py3.12-b13.5.0-c1.2.2"
RECORD = (CELL, "event.record", "core")


@pytest.fixture(scope="module")
def within() -> Comparison:
    """Two toolkits of one run, by both metrics."""
    return factory.within()


def judged(found: Comparison, metric: Metric, case: str, variant: str) -> set[Judgement]:
    """Return what a case variant came to, over all pairs of cells."""
    return {row.judgement for row in found.rows if (row.metric, row.case, row.variant) == (metric, case, variant)}


def row_of(found: Comparison, metric: Metric, key: tuple[str, str, str]) -> Row:
    """Return one row, by its candidate's cell, case and variant."""
    return next(row for row in found.rows if (row.metric, row.candidate, row.case, row.variant) == (metric, *key))


def field_of(whole: Results, key: tuple[str, str, str]) -> Field:
    """Return one field."""
    return next(field for field in whole.fields if (field.cell, field.case, field.variant) == key)


@pytest.mark.parametrize("metric", [Metric.TIME, Metric.INSTRUCTIONS])
def test_known_effects_are_found_and_nothing_else(within: Comparison, metric: Metric) -> None:
    """By both metrics; every row of the native control is equivalent."""
    for (case, variant), effect in factory.EFFECTS.items():
        assert judged(within, metric, case, variant) == {Judgement.SLOWER if effect > 1 else Judgement.FASTER}
    found = {(row.case, row.variant) for row in within.rows if row.metric is metric and row.judgement in {"slower", "faster"}}
    assert found == factory.EFFECTS.keys()
    assert {row.judgement for row in within.rows if row.metric is metric and row.control} == {Judgement.EQUIVALENT}


def test_noise_is_inconclusive_with_a_reason(within: Comparison) -> None:
    """By time; counts have no such noise."""
    assert judged(within, Metric.TIME, *factory.RESTLESS) == {Judgement.INCONCLUSIVE}
    assert all(row.reason for row in within.rows if row.judgement is Judgement.INCONCLUSIVE)
    assert judged(within, Metric.INSTRUCTIONS, *factory.RESTLESS) == {Judgement.EQUIVALENT}


def test_a_row_holds_change_interval_and_margin(within: Comparison) -> None:
    """In the metric's own unit, against what the reference takes."""
    for metric, margin in ((Metric.TIME, 0.03), (Metric.INSTRUCTIONS, 0.01)):
        row = row_of(within, metric, RECORD)
        assert None not in {row.before, row.after, row.change, row.low, row.high, row.relative}
        assert row.before
        assert row.after == pytest.approx(row.before + (row.change or 0))
        assert row.relative == pytest.approx(0.25, abs=0.02)
        assert (row.low or 0) < (row.change or 0) < (row.high or 0)
        assert row.margin == pytest.approx(margin * row.before)
    assert row_of(within, Metric.TIME, RECORD).p == pytest.approx(0, abs=0.001)
    assert row_of(within, Metric.INSTRUCTIONS, RECORD).p is None


def test_rows_come_by_weight_and_the_tallies_count_them(within: Comparison) -> None:
    """Slower before faster before inconclusive, the greater change first; every row is in one tally."""
    ranks = [(comparison.ORDER.index(row.judgement), -abs(row.relative or 0)) for row in within.rows]
    assert ranks == sorted(ranks)
    assert sum(tally.rows for tally in within.tallies) == len(within.rows)
    pairs = len(within.candidate.cells)
    times = next(tally for tally in within.tallies if (tally.metric, tally.control) == (Metric.TIME, False))
    assert (times.slower, times.faster, times.inconclusive) == (2 * pairs, pairs, pairs)


def test_areas_have_the_geometric_mean_of_python_variants(within: Comparison) -> None:
    """Recomputed from the rows: native twins are not in it."""
    for mean in within.areas:
        own = [row.ratio for row in within.rows if (row.metric, row.area) == (mean.metric, mean.area) and not row.control]
        known = [ratio for ratio in own if ratio]
        assert mean.ratio == pytest.approx(math.prod(known) ** (1 / len(known)))
        assert (mean.least, mean.greatest, mean.fields) == (min(known), max(known), len(own))


def test_rounds_pair_what_is_of_one_run() -> None:
    """Rounds that move all cells by up to a tenth hide a step of 5 % between runs, and none within one."""
    whole = factory.base()
    cells = pairing.by_axes(factory.cells(whole, factory.OLD), factory.cells(whole, factory.NEW))

    def step(key: tuple[str, str, str]) -> float:
        return 1.05 if key[0].startswith("cu13.5") else 1.0

    one = factory.side(whole, changed=step)
    other = factory.side(factory.another(whole), changed=step)
    paired = comparison.compare(one, one, cells, factory.MARGINS, Metric.TIME)
    unpaired = comparison.compare(one, other, cells, factory.MARGINS, Metric.TIME)
    assert (paired.paired, unpaired.paired) == (True, False)
    assert judged(paired, Metric.TIME, "event.record", "core") == {Judgement.SLOWER}
    assert judged(unpaired, Metric.TIME, "event.record", "core") == {Judgement.INCONCLUSIVE}


def test_runs_are_compared_by_id_without_rounds() -> None:
    """The candidate's run takes longer in the known places; a run against its like changes nothing."""
    whole = factory.base()
    then = factory.side(whole, paired=False, changed=lambda _: 1.0)
    now = factory.side(factory.another(whole), paired=False)
    found = factory.between(then, now)
    slower = {(row.candidate, row.case, row.variant) for row in found.rows if row.judgement is Judgement.SLOWER}
    assert {key[1:] for key in slower} == {key for key, effect in factory.EFFECTS.items() if effect > 1}
    assert {key[0].partition("-")[0] for key in slower} == {f"cu{factory.NEW}"}
    assert found.axes == ()
    assert all(row.reference == row.candidate for row in found.rows)


def test_few_processes_are_never_a_verdict() -> None:
    """The change is shown, and the reason says how many there were."""
    few = factory.side(factory.base(processes=4), processes=4)
    whole = few.results
    cells = pairing.by_axes(factory.cells(whole, factory.OLD), factory.cells(whole, factory.NEW))
    found = comparison.compare(few, few, cells, factory.MARGINS, Metric.TIME)
    assert {row.judgement for row in found.rows} == {Judgement.INCONCLUSIVE}
    assert all("only 4 processes" in row.reason and row.change is not None for row in found.rows)


def test_a_lost_case_is_listed() -> None:
    """A field that failed in the candidate, one that the reference alone lacks, and one that neither has."""
    whole = factory.base()
    old = "cu13.4-py3.12-b13.4.4-c1.2.2"
    for key, reason in ((RECORD, HOSTILE), ((old, "device.get", "bindings"), "hung")):
        failed = Outcome(Status.FAILED, reason)
        whole = alter(whole, replace(field_of(whole, key), outcome=failed, time=None, count=None))
    one = factory.side(whole)
    cells = pairing.by_axes(factory.cells(whole, factory.OLD), factory.cells(whole, factory.NEW))
    found = comparison.compare(one, one, cells, factory.MARGINS, Metric.TIME)
    by_key = {(each.candidate, each.case, each.variant): each for each in found.lacking}
    lost = by_key[RECORD]
    assert (lost.lost, lost.reference_reason, lost.candidate_reason) == (True, "", HOSTILE)
    gained = by_key[CELL, "device.get", "bindings"]
    assert (gained.lost, gained.reference_reason, gained.candidate_reason) == (False, "hung", "")
    neither = by_key[CELL, "launch.empty", "core"]
    assert neither.reference_reason == neither.candidate_reason != ""
    assert RECORD not in {(row.candidate, row.case, row.variant) for row in found.rows}
    assert (CELL, "event.record", "bindings-runtime") not in by_key  # applicable on neither side


def test_a_case_that_one_run_has_not_is_listed() -> None:
    """For every cell and variant, as lost; the other way round as lacking in the reference."""
    whole = factory.base()
    less = replace(
        factory.another(whole),
        cases=tuple(case for case in whole.cases if case.id != "event.record"),
        fields=tuple(field for field in whole.fields if field.case != "event.record"),
    )
    found = factory.between(factory.side(whole), factory.side(less))
    lost = [one for one in found.lacking if one.case == "event.record" and one.lost]
    assert {one.candidate_reason for one in lost} == {NOT_PLANNED}
    assert len(lost) == 3 * len(found.candidate.cells)
    back = factory.between(factory.side(less), factory.side(whole))
    assert {one.reference_reason for one in back.lacking if one.case == "event.record"} == {NOT_PLANNED}


def test_a_cell_without_a_partner_is_told() -> None:
    """By its id, on its side."""
    whole = factory.base()
    old, new = factory.cells(whole, factory.OLD), factory.cells(whole, factory.NEW)
    one = factory.side(whole)
    found = comparison.compare(one, one, pairing.by_axes(old, new[1:]), factory.MARGINS, Metric.TIME)
    assert found.alone == ((old[0].id,), ())


def test_counts_of_another_interpreter_are_inconclusive() -> None:
    """Times are compared and marked; counts are refused, with what differs."""
    whole = factory.base()

    def rebuilt(cell: CellResult) -> CellResult:
        python = cell.provenance["python"]
        assert isinstance(python, dict)
        return replace(cell, provenance=cell.provenance | {"python": python | {"optimised": "no"}})

    one = factory.side(factory.alter_cell(whole, CELL, rebuilt))
    cells = pairing.by_axes(factory.cells(whole, factory.OLD), factory.cells(whole, factory.NEW))
    found = comparison.compare(one, one, cells, factory.MARGINS, Metric.BOTH)
    counted, timed = row_of(found, Metric.INSTRUCTIONS, RECORD), row_of(found, Metric.TIME, RECORD)
    assert (counted.judgement, counted.reason) == ("inconclusive", "not comparable: another interpreter: optimised")
    assert timed.judgement is Judgement.SLOWER
    assert any("optimised" in mark for mark in timed.marks)
    assert ("python", "optimised") in {(one.group, one.what) for one in found.differences}


def test_counts_by_another_valgrind_are_inconclusive() -> None:
    """Both are named."""
    whole = factory.base()
    other = replace(factory.another(whole), manifest=replace(whole.manifest, run="x", counter={"valgrind": "3.25.1"}))
    found = factory.between(factory.side(whole), factory.side(other), Metric.INSTRUCTIONS)
    assert {row.reason for row in found.rows} == {"not comparable: counted by 3.19.0 and by 3.25.1"}


def test_counts_that_overlap_are_inconclusive() -> None:
    """The least moved by 2 %, and the reference's processes reach beyond it."""
    whole = factory.base()
    side = factory.side(whole)
    field = field_of(side.results, (CELL, "enum.member", "bindings"))
    assert field.count
    wide = replace(field.count, minimum=field.count.minimum * 0.98)
    one = replace(side, results=alter(side.results, replace(field, count=wide)))
    cells = pairing.by_axes(factory.cells(whole, factory.OLD), factory.cells(whole, factory.NEW))
    row = row_of(
        comparison.compare(one, one, cells, factory.MARGINS, Metric.INSTRUCTIONS),
        Metric.INSTRUCTIONS,
        (CELL, "enum.member", "bindings"),
    )
    assert row.judgement is Judgement.INCONCLUSIVE
    assert "margin of 1" in row.reason
    assert "overlap" in row.reason


def test_what_weakens_either_side_is_with_the_row() -> None:
    """Flags of both fields."""
    whole = factory.base()
    weak = replace(field_of(whole, RECORD), flags=(Flag.BIMODAL,))
    one = factory.side(alter(whole, weak))
    cells = pairing.by_axes(factory.cells(whole, factory.OLD), factory.cells(whole, factory.NEW))
    assert row_of(comparison.compare(one, one, cells, factory.MARGINS, Metric.TIME), Metric.TIME, RECORD).flags == (Flag.BIMODAL,)


def test_shares_have_no_verdict_and_are_named() -> None:
    """A share has no margin."""
    whole = factory.base()
    whole = replace(
        whole, cases=tuple(replace(case, unit="share") if case.id == "nvrtc.compile" else case for case in whole.cases)
    )
    one = factory.side(whole)
    cells = pairing.by_axes(factory.cells(whole, factory.OLD), factory.cells(whole, factory.NEW))
    found = comparison.compare(one, one, cells, factory.MARGINS, Metric.BOTH)
    assert found.shares == ("nvrtc.compile",)
    assert "nvrtc.compile" not in {row.case for row in found.rows} | {one.case for one in found.lacking}


def test_differences_are_those_alone(within: Comparison) -> None:
    """Toolkit, bindings with the wheel's hash, libraries and compilers differ; numpy and the interpreter do not."""
    told = {(one.group, one.what): (one.reference, one.candidate, len(one.cells)) for one in within.differences}
    assert told["Packages", "cuda-bindings"] == ("13.4.4 (dddddddddddd)", "13.5.0 (dddddddddddd)", 4)
    assert told["Cell", "CUDA toolkit"] == ("13.4", "13.5", 4)
    assert told["libraries", "nvrtc.version"] == ("13.4", "13.5", 4)
    assert {what for group, what in told if group in {"Packages", "python"}} == {"cuda-bindings"}


def test_a_run_against_its_like_differs_in_nothing() -> None:
    """Other numbers, another time of day and another load are no difference."""
    whole = factory.base()
    machine = whole.manifest.machine | {"load": [9.0, 9.0, 9.0]}
    other = replace(whole, manifest=replace(whole.manifest, run="x", started="2026-03-05T12:00:00+00:00", machine=machine))
    assert factory.between(factory.side(whole), factory.side(other)).differences == ()


def test_the_json_holds_all_of_it(within: Comparison) -> None:
    """Every row and list, with the schema; no number that JSON does not know."""
    read = json.loads(msgspec.json.encode(within), parse_constant=pytest.fail)
    assert read["schema"] == 1
    assert len(read["rows"]) == len(within.rows)
    assert read["rows"][0]["judgement"] == "slower"
    assert read["rows"][0]["relative"] == within.rows[0].relative
    assert [one["candidate_reason"] for one in read["lacking"]] == [one.candidate_reason for one in within.lacking]
