"""Samples of two sides -> verdicts: known distributions, fixed seeds, and a small family by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import scipy.stats

from ctkmatrix import noises, stats
from ctkmatrix.errors import NotComparable
from ctkmatrix.model import Judgement, Margin
from ctkmatrix.verdicts import Comparison, Subject, compare, holm, judge, margin_of, marks, refuse
from tests import results_factory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctkmatrix.model import Results, Verdict
    from ctkmatrix.noises import Draw

SUBJECT = Subject("cu13.0-py3.12-b13.0.3-c1.2.2", "cu13.0-py3.12-b13.1.0-c1.2.2", "event.record", "core")
MARGIN = Margin(0.03, 10e-9)
MICROSECOND = 1e-6
FAMILY = 50
NULLS = {
    "clean": noises.clean(1),
    "skewed": noises.skewed(2),
    "one in eight": noises.slowed(1 / 8, 2.0, 1),
    "drift": noises.drifting(1),
}


def drawn(draw: Draw, trials: int, count: int, change: float = 0.0, *, paired: bool = True) -> list[Comparison]:
    """Compare *trials* times a reference of about 1 us with a candidate that takes 1 + *change* times as long."""
    random = np.random.default_rng(5)
    sides = [draw(random, trials, count) / noises.TRUE * MICROSECOND * factor for factor in (1, 1 + change)]
    return [
        compare(dict(enumerate(one.tolist())), dict(enumerate(other.tolist())), SUBJECT, MARGIN, paired=paired)
        for one, other in zip(*sides, strict=True)
    ]


def rate(judgement: Judgement, comparisons: Sequence[Comparison]) -> float:
    """Return how often a comparison that stands alone is judged so."""
    return sum(judge([one])[0].judgement is judgement for one in comparisons) / len(comparisons)


def points(*times: float) -> dict[int, float]:
    """Return *times*, ns, by round, in seconds."""
    return {number: time * 1e-9 for number, time in enumerate(times)}


def one(reference: dict[int, float], candidate: dict[int, float], *, paired: bool = True) -> Verdict:
    """Return the verdict of a comparison that stands alone."""
    return judge([compare(reference, candidate, SUBJECT, MARGIN, paired=paired)])[0]


def alternating(middle: float, count: int = 12) -> dict[int, float]:
    """Return times of *middle* ns, 1 ns above and below."""
    return points(*(middle + (1 if number % 2 else -1) for number in range(count)))


@pytest.mark.parametrize("count", [12, 30])
@pytest.mark.parametrize(("noise", "paired"), [(noise, paired) for noise in NULLS for paired in (True, False)])
def test_without_a_change_alarms_are_rare(noise: str, count: int, *, paired: bool) -> None:
    """At most 1 comparison in 100 that stand alone, and 5 families of 50 in 100."""
    comparisons = drawn(NULLS[noise], 60 * FAMILY, count, paired=paired)
    assert rate(Judgement.SLOWER, comparisons) + rate(Judgement.FASTER, comparisons) <= 0.01
    families = [judge(comparisons[first : first + FAMILY]) for first in range(0, len(comparisons), FAMILY)]
    alarms = sum(any(verdict.judgement in {"slower", "faster"} for verdict in family) for family in families)
    assert alarms / len(families) <= 0.05


def test_holm_s_level_holds_where_the_margin_does_not_help() -> None:
    """With noise far above the margin the p value alone protects: about 5 comparisons in 100 alone, 5 families in 100."""
    comparisons = drawn(noises.clean(30), 60 * FAMILY, 30)
    assert 0.02 <= rate(Judgement.SLOWER, comparisons) + rate(Judgement.FASTER, comparisons) <= 0.07
    families = [judge(comparisons[first : first + FAMILY]) for first in range(0, len(comparisons), FAMILY)]
    assert sum(any(verdict.judgement in {"slower", "faster"} for verdict in family) for family in families) <= 7


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("count", [12, 30])
def test_five_per_cent_are_found(count: int, *, paired: bool) -> None:
    """A slow-down of 5 %, with processes 1 % apart, is found in at least 95 of 100, also beside 49 that did not change."""
    slower = drawn(noises.clean(1), 400, count, 0.05, paired=paired)
    others = drawn(noises.clean(1), FAMILY - 1, count, paired=paired)
    assert rate(Judgement.SLOWER, slower) >= 0.99
    assert sum(judge([each, *others])[0].judgement is Judgement.SLOWER for each in slower) / len(slower) >= 0.95


def test_five_per_cent_faster_are_found() -> None:
    """The other direction too."""
    assert rate(Judgement.FASTER, drawn(noises.clean(1), 400, 12, -0.05)) >= 0.99


@pytest.mark.parametrize("paired", [True, False])
def test_no_change_is_seen_as_equivalent(*, paired: bool) -> None:
    """With processes 1 % apart, 12 are enough to say so in at least 95 of 100."""
    assert rate(Judgement.EQUIVALENT, drawn(noises.clean(1), 1000, 12, paired=paired)) >= 0.95


@pytest.mark.parametrize("noise", NULLS)
@pytest.mark.parametrize("count", [12, 30])
@pytest.mark.parametrize("paired", [True, False])
def test_a_change_of_twice_the_margin_is_not_equivalent(noise: str, count: int, *, paired: bool) -> None:
    """At most 5 in 100 are missed so, whatever the noise, slower or faster."""
    for change in (2 * MARGIN.relative, -2 * MARGIN.relative):
        assert rate(Judgement.EQUIVALENT, drawn(NULLS[noise], 300, count, change, paired=paired)) <= 0.05


def test_equivalence_needs_both_ends_of_the_interval_inside_the_margin() -> None:
    """By hand, with 7 degrees of freedom: the 90 % interval reaches 1.895 errors to either side."""

    def judged(change: float, error: float) -> Judgement:
        return judge([Comparison(SUBJECT, 10e-9, 100e-9, stats.Mean(change * 1e-9, error * 1e-9, 7))])[0].judgement

    inside, beyond = Judgement.EQUIVALENT, Judgement.INCONCLUSIVE
    assert [judged(change, 1.0) for change in (8.0, 8.2, -8.0, -8.2)] == [inside, beyond, inside, beyond]
    assert [judged(0.0, error) for error in (5.2, 5.3)] == [inside, beyond]


def test_a_change_of_the_margin_is_equivalent_in_one_of_twenty() -> None:
    """Two one-sided tests at 5 %: at the margin itself the error is what it says, not more."""
    assert rate(Judgement.EQUIVALENT, drawn(noises.clean(1), 4000, 12, MARGIN.relative)) <= 0.065


def test_pairing_removes_what_a_round_did_to_both() -> None:
    """Drift common to both sides widens an unpaired interval at least fourfold; a paired one is as without drift."""
    widths = [
        np.median(
            [high - low for low, high in (one.change.interval(0.95) for one in drawn(draw, 200, 12, paired=paired) if one.change)]
        )
        for draw, paired in ((noises.clean(0.5), True), (noises.drifting(0.5), True), (noises.drifting(0.5), False))
    ]
    assert widths[1] == pytest.approx(widths[0], rel=1e-6)
    assert widths[2] > 4 * widths[1]


def test_unpaired_is_yuen_s_test() -> None:
    """Value and p are those of scipy's own, for unequal numbers of processes."""
    random = np.random.default_rng(3)
    reference, candidate = random.normal(100, 3, 13).tolist(), random.normal(102, 6, 29).tolist()
    found = stats.difference(reference, candidate)
    assert found.p() == pytest.approx(scipy.stats.ttest_ind(candidate, reference, equal_var=False, trim=0.2).pvalue)
    assert found.value == pytest.approx(scipy.stats.trim_mean(candidate, 0.2) - scipy.stats.trim_mean(reference, 0.2))


def test_unequal_numbers_of_processes_are_no_problem() -> None:
    """Paired, the rounds that both have count; unpaired, all do."""
    paired = one(alternating(1000, 12), alternating(1100, 20))
    assert paired.judgement is Judgement.SLOWER
    assert paired.change is not None
    assert len(paired.change.points) == 12
    unpaired = one(alternating(1000, 12), alternating(1100, 20), paired=False)
    assert unpaired.judgement is Judgement.SLOWER
    assert unpaired.change is not None
    assert unpaired.change.points == ()
    assert unpaired.relative == pytest.approx(0.1)


@pytest.mark.parametrize("paired", [True, False])
def test_nothing_measured_never_passes(*, paired: bool) -> None:
    """A side without samples is inconclusive, and says which."""
    for sides, missing in (
        (({}, alternating(1000)), "of the reference"),
        ((alternating(1000), {}), "of the candidate"),
        (({}, {}), "of the reference and of the candidate"),
    ):
        found = one(*sides, paired=paired)
        assert (found.judgement, found.change, found.p) == (Judgement.INCONCLUSIVE, None, None)
        assert found.reason == f"no samples {missing}"


def test_changes_are_in_the_order_of_rounds() -> None:
    """Whatever order the rounds came in on either side, and without those that one side lacks."""
    found = one({8: 1e-6, 1: 2e-6, 64: 3e-6, 5: 9e-6}, {64: 6e-6, 1: 4e-6, 8: 1e-6, 7: 9e-6})
    assert found.change is not None
    assert found.change.points == pytest.approx((2e-6, 0.0, 3e-6))


def test_no_common_round_never_passes() -> None:
    """Rounds that do not meet are no pairs."""
    later = {number + 100: time for number, time in alternating(1000).items()}
    assert one(alternating(1000), later).reason.startswith("no samples")


@pytest.mark.parametrize("paired", [True, False])
def test_fewer_than_twelve_processes_are_shown_and_not_judged(*, paired: bool) -> None:
    """However clear the change; the reason counts them."""
    found = one(alternating(1000, 12), alternating(2000, 11), paired=paired)
    assert found.judgement is Judgement.INCONCLUSIVE
    assert found.reason.startswith("only 11 processes of ")
    assert found.change is not None
    assert found.change.value == pytest.approx(1000e-9, rel=0.01)
    assert found.p is None


def test_a_single_pair_has_no_interval() -> None:
    """It is shown as it is."""
    found = one(points(100), points(130))
    assert found.change is not None
    assert (found.change.low, found.change.high) == (None, None)


def test_identical_sides_are_equivalent() -> None:
    """No spread at all is no error: p is 1."""
    found = one(alternating(1000), alternating(1000))
    assert (found.judgement, found.p) == (Judgement.EQUIVALENT, 1.0)


def test_what_is_not_judged_takes_no_part_in_the_family() -> None:
    """An empty comparison, or one of too few processes, beside a full one leaves its p value as it is."""
    full = compare(alternating(1000), alternating(1002), SUBJECT, MARGIN, paired=False)
    empty = compare({}, alternating(1000), SUBJECT, MARGIN, paired=False)
    few = compare(alternating(1000, 11), alternating(1500, 11), SUBJECT, MARGIN, paired=False)
    assert few.change
    alone, (nothing, shown, beside) = judge([full])[0], judge([empty, few, full])
    assert alone == beside
    assert alone.p is not None
    assert (nothing.p, shown.p) == (None, None)


def test_reasons_tell_doubts_apart() -> None:
    """Beyond the margin by chance; surely there and perhaps small; too noisy."""
    common = {"subject": SUBJECT, "margin": 10e-9, "time": 100e-9}
    doubts = judge(
        [
            Comparison(change=stats.Mean(20e-9, 15e-9, 7), **common),  # type: ignore[arg-type]
            Comparison(change=stats.Mean(9e-9, 1e-9, 7), **common),  # type: ignore[arg-type]
            Comparison(change=stats.Mean(1e-9, 9e-9, 7), **common),  # type: ignore[arg-type]
        ]
    )
    assert {doubt.judgement for doubt in doubts} == {Judgement.INCONCLUSIVE}
    minus, between = "\N{MINUS SIGN}", ", is not inside the margin of 10 ns"
    assert [doubt.reason for doubt in doubts] == [
        "the change is beyond the margin of 10 ns, and chance may explain it (adjusted p = 0.45)",
        f"there is a change, and whether it matters is open: the 90 % interval, 7.11 to 10.9 ns{between}",
        f"too noisy: the 90 % interval, {minus}16.1 to 18.1 ns{between}",
    ]


def test_holm_by_hand() -> None:
    """Holm's own order: the smallest times m, the next times m - 1, never falling, never above 1."""
    assert holm([0.04, 0.01, 0.03, 0.005]) == pytest.approx([0.06, 0.03, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_family_is_harder_to_alarm_than_one_comparison() -> None:
    """The same change is slower alone and inconclusive among fifty."""
    change = Comparison(SUBJECT, 10e-9, 100e-9, stats.Mean(30e-9, 10e-9, 7))
    still = Comparison(SUBJECT, 10e-9, 100e-9, stats.Mean(0.0, 1e-9, 7))
    assert judge([change])[0].judgement is Judgement.SLOWER
    assert judge([change, *[still] * 49])[0].judgement is Judgement.INCONCLUSIVE


def test_the_margin_is_of_the_reference_s_time() -> None:
    """3 % of a long time, 10 ns of a short one."""
    assert one(alternating(1000), alternating(1000)).margin == pytest.approx(30e-9)
    assert one(alternating(100), alternating(100)).margin == pytest.approx(10e-9)


def test_the_last_margin_that_matches_counts() -> None:
    """As in matrix.toml; a case that none matches is an error."""
    margins = (("*", MARGIN), ("launch.*", Margin(0.05, 0.0)))
    assert margin_of("launch.empty", margins).relative == 0.05
    assert margin_of("event.record", margins) == MARGIN
    with pytest.raises(KeyError, match=r"event\.record"):
        margin_of("event.record", margins[1:])


def run(**changes: object) -> Results:
    """Return the results of one run on a GPU, its manifest changed."""
    whole = results_factory.results(device_kind="gpu")
    machine = {**whole.manifest.machine, "id": "5f1c"}
    return replace(whole, manifest=replace(whole.manifest, **{"machine": machine, **changes}))  # type: ignore[arg-type]


def test_like_runs_may_be_compared() -> None:
    """Nothing differs, nothing is refused."""
    refuse(run(), run(run="another", seed=2))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"machine": {"id": "77aa"}}, "machine: 5f1c and 77aa"),
        ({"machine": {"id": ""}}, "machine: 5f1c and unknown"),
        ({"machine": {}}, "machine: 5f1c and unknown"),
        ({"device_kind": "null"}, "device: gpu GPU-5d1e and null GPU-5d1e"),
        ({"device": {"uuid": "GPU-5d1e", "telemetry": {"gpu": {"driver": "600.1"}}}}, "driver: 590.44.01 and 600.1"),
        ({"device": {"uuid": "GPU-5d1e", "telemetry": {"gpu": {"error": "lost"}}}}, "driver: 590.44.01 and unknown"),
    ],
)
def test_unlike_runs_are_refused_with_the_difference(changes: dict[str, object], words: str) -> None:
    """Another machine, device or driver is named with both sides."""
    with pytest.raises(NotComparable, match=words):
        refuse(run(), run(**changes))


def test_other_case_versions_are_refused_by_name() -> None:
    """Every case whose version differs is named; cases that one run lacks are no difference."""
    whole = run()
    changed = tuple(replace(case, version="0000") if case.id == "event.record" else case for case in whole.cases)
    with pytest.raises(NotComparable, match=r"version of 1 case: event\.record"):
        refuse(whole, replace(whole, cases=changed))
    refuse(whole, replace(whole, cases=whole.cases[:3]))
    with pytest.raises(NotComparable, match="none in common"):
        refuse(whole, replace(whole, cases=()))


def test_other_interpreter_builds_are_marked() -> None:
    """The comparison is made; the difference stands beside it."""
    cell = next(cell for cell in results_factory.results().cells if "python" in cell.provenance)
    python = cell.provenance["python"]
    assert isinstance(python, dict)
    other = replace(cell, provenance={"python": python | {"optimised": "no"}})
    assert marks(cell, cell) == ()
    assert marks(cell, other) == (f"interpreters differ in optimised: {python['optimised']} and no",)
