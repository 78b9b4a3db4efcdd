"""The gate: what counts as a regression, what is never a pass, and which exit code that makes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import gate
from ctkmatrix.errors import Exit, UsageError
from ctkmatrix.gate import DEFAULT_FAIL_ON, FAIL_ON, Evidence, Ruling, Terms
from ctkmatrix.model import Judgement, Metric
from tests.gate_factory import CANDIDATE, NO_WHEEL, VERSIONS, decide, row, waiver

if TYPE_CHECKING:
    from ctkmatrix.judged import Row

SLOWER, FASTER, EQUIVALENT, INCONCLUSIVE = (row(judgement) for judgement in Judgement)
OTHER = row(case="event.record")


def test_all_alike_passes() -> None:
    """Faster and equivalent are no reason to stop."""
    found = decide(EQUIVALENT, row(Judgement.FASTER, "event.record"))
    assert (found.ruling, found.exit) == (Ruling.PASSED, Exit.PASSED)


def test_a_confirmed_regression_fails() -> None:
    """With what both sets of processes said."""
    found = decide(SLOWER, OTHER)
    assert (found.ruling, found.exit) == (Ruling.SLOWER, Exit.REGRESSION)
    assert found.regressions == (gate.Regression(SLOWER, SLOWER),)


@pytest.mark.parametrize(
    ("again", "said"),
    [
        (EQUIVALENT, "equivalent (0.10\N{NARROW NO-BREAK SPACE}%)"),
        (FASTER, "faster (\N{MINUS SIGN}20\N{NARROW NO-BREAK SPACE}%)"),
        (INCONCLUSIVE, "inconclusive (5\N{NARROW NO-BREAK SPACE}%), too few processes"),
        (replace(INCONCLUSIVE, relative=None), "inconclusive, too few processes"),
    ],
)
def test_what_is_not_confirmed_is_inconclusive(again: Row, said: str) -> None:
    """Slower only where both sets say so; what the second said is told."""
    found = decide(SLOWER, OTHER, again=(again,))
    assert (found.ruling, found.exit, found.regressions) == (Ruling.PASSED, Exit.PASSED, ())
    assert found.unconfirmed == found.inconclusive == (found.rows[0],)
    assert found.rows[0].reason == f"not confirmed by a second set of processes: {said}"
    assert found.rows[0].relative == SLOWER.relative


def test_a_second_set_without_a_number_is_no_pass() -> None:
    """A candidate that breaks when it is asked again is incomplete, not acquitted."""
    found = decide(SLOWER, OTHER, again=())
    assert (found.ruling, found.exit) == (Ruling.INCOMPLETE, Exit.INCOMPLETE)
    assert found.incomplete[0].case == SLOWER.case
    assert "the second has no number of it" in found.incomplete[0].reason
    assert found.rows[0].reason == "not confirmed by a second set of processes: it has no number of it"


@pytest.mark.parametrize(
    "other",
    [
        row(Judgement.SLOWER, metric=Metric.INSTRUCTIONS),
        row(Judgement.SLOWER, variant="bindings"),
        row(Judgement.SLOWER, candidate="another"),
    ],
)
def test_only_the_same_again_confirms(other: Row) -> None:
    """Not another metric, variant or cell."""
    assert not decide(SLOWER, again=(other,)).regressions


def test_confirming_leaves_all_else_alone() -> None:
    """Only what was slower is asked for again."""
    for one in (FASTER, EQUIVALENT, INCONCLUSIVE):
        assert gate.confirm(one, None) is one
    assert gate.suspects([SLOWER, FASTER, EQUIVALENT, INCONCLUSIVE], (), VERSIONS) == (SLOWER,)


def test_a_waived_regression_is_shown_and_does_not_fail() -> None:
    """With its waiver; no second set is asked for it."""
    found = decide(SLOWER, OTHER, again=(), waivers=(waiver(),))
    assert (found.ruling, found.exit, found.regressions, found.incomplete) == (Ruling.PASSED, Exit.PASSED, (), ())
    assert found.waived == (gate.Waived(SLOWER, waiver()),)
    assert found.rows[0] is SLOWER
    assert gate.suspects([SLOWER], (waiver(),), VERSIONS) == ()


@pytest.mark.parametrize("one", [FASTER, EQUIVALENT, INCONCLUSIVE])
def test_what_is_not_slower_is_not_waived(one: Row) -> None:
    """Whatever a waiver covers: the list of what was accepted holds regressions alone."""
    assert decide(one, OTHER, waivers=(waiver(),)).waived == ()


def test_a_wrong_waiver_is_an_error_of_the_run() -> None:
    """Also where all else passes, or fails; an expired one waives nothing."""
    stale = decide(SLOWER, waivers=(waiver(until="13.0.3"),))
    assert (stale.ruling, stale.exit, len(stale.regressions)) == (Ruling.WRONG_WAIVERS, Exit.USAGE, 1)
    unmatched = decide(EQUIVALENT, waivers=(waiver("gone.*"),), fail_on=(Ruling.SLOWER,))
    assert (unmatched.ruling, unmatched.exit) == (Ruling.WRONG_WAIVERS, Exit.USAGE)
    assert unmatched.faults[0].startswith("matrix.toml:40: ")


def test_what_is_missing_is_never_a_pass() -> None:
    """A Python without a wheel, whatever was judged beside it; the ruling stays so where the exit code is not to tell."""
    assert decide(EQUIVALENT, incomplete=(NO_WHEEL,)).exit == Exit.INCOMPLETE
    found = decide(EQUIVALENT, incomplete=(NO_WHEEL,), fail_on=(Ruling.SLOWER,))
    assert (found.ruling, found.exit) == (Ruling.INCOMPLETE, Exit.PASSED)


@pytest.mark.parametrize("rows", [(), (row(variant="native"),)])
def test_nothing_judged_is_never_a_pass(rows: tuple[Row, ...]) -> None:
    """Whatever --fail-on says: no row at all, or native controls alone."""
    for named in FAIL_ON:
        found = decide(*rows, fail_on=(named,))
        assert (found.ruling, found.exit) == (Ruling.INCOMPLETE, Exit.INCOMPLETE)


def test_a_metric_that_judged_nothing_is_missing() -> None:
    """Both were asked for, and one has no row."""
    found = gate.decide(Evidence((Metric.TIME, Metric.INSTRUCTIONS), (EQUIVALENT,)), Terms(VERSIONS))
    assert (found.exit, [one.what for one in found.incomplete]) == (Exit.INCOMPLETE, ["metric instructions"])


def test_no_verdict_at_all_is_never_a_pass() -> None:
    """Where every row is inconclusive, as with too few processes, even by default."""
    assert (decide(INCONCLUSIVE).ruling, decide(INCONCLUSIVE).exit) == (Ruling.INCONCLUSIVE, Exit.INCONCLUSIVE)
    assert decide(INCONCLUSIVE, OTHER).exit == Exit.PASSED


@pytest.mark.parametrize(
    ("fail_on", "ruling", "code"),
    [
        (DEFAULT_FAIL_ON, Ruling.SLOWER, Exit.REGRESSION),
        (FAIL_ON, Ruling.SLOWER, Exit.REGRESSION),
        ((Ruling.INCOMPLETE,), Ruling.SLOWER, Exit.INCOMPLETE),
        ((Ruling.INCONCLUSIVE,), Ruling.SLOWER, Exit.INCONCLUSIVE),
    ],
)
def test_the_weightiest_of_what_is_asked_for_decides(fail_on: tuple[Ruling, ...], ruling: Ruling, code: Exit) -> None:
    """A regression before what is incomplete, that before what is inconclusive."""
    more = row(Judgement.INCONCLUSIVE, "event.record")
    found = decide(SLOWER, more, incomplete=(NO_WHEEL,), fail_on=fail_on)
    assert (found.ruling, found.exit) == (ruling, code)


def test_inconclusive_decides_where_it_is_asked_for() -> None:
    """And not otherwise."""
    more = row(Judgement.INCONCLUSIVE, "event.record")
    assert decide(EQUIVALENT, more).ruling is Ruling.PASSED
    found = decide(EQUIVALENT, more, fail_on=FAIL_ON)
    assert (found.ruling, found.exit) == (Ruling.INCONCLUSIVE, Exit.INCONCLUSIVE)


def test_a_native_control_that_moved_is_told_and_decides_nothing() -> None:
    """No Python package can move it."""
    moved = tuple(row(judgement, variant="native") for judgement in (Judgement.SLOWER, Judgement.FASTER))
    still = tuple(row(judgement, variant="native") for judgement in (Judgement.EQUIVALENT, Judgement.INCONCLUSIVE))
    found = decide(EQUIVALENT, *moved, *still, again=())
    assert (found.exit, found.controls, found.unconfirmed) == (Exit.PASSED, moved, ())


def test_an_inconclusive_control_counts_for_nothing() -> None:
    """It is no verdict on the candidate."""
    found = decide(EQUIVALENT, row(Judgement.INCONCLUSIVE, variant="native"), fail_on=FAIL_ON)
    assert (found.exit, found.inconclusive) == (Exit.PASSED, ())


def test_fail_on_is_a_list_in_any_order() -> None:
    """With spaces or without; twice is once."""
    assert gate.fail_on("inconclusive, slower,slower") == (Ruling.SLOWER, Ruling.INCONCLUSIVE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slwer", "'slwer' is none of slower, incomplete, inconclusive; perhaps you meant «slower»"),
        ("", "'' is none of slower, incomplete, inconclusive"),
        ("slower,passed", "'passed' is none of"),
    ],
)
def test_another_word_to_fail_on_is_told(text: str, message: str) -> None:
    """With the nearest that there is."""
    with pytest.raises(UsageError) as caught:
        gate.fail_on(text)
    assert message in str(caught.value)


def test_every_row_is_kept_in_its_order() -> None:
    """Nothing that was judged is hidden."""
    rows = (SLOWER, OTHER, row(Judgement.SLOWER, "event.record", "bindings"))
    assert [(one.case, one.variant) for one in decide(*rows).rows] == [(one.case, one.variant) for one in rows]
    assert decide(*rows).rows[0].candidate == CANDIDATE
