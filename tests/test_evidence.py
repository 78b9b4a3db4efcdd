"""The harness's proof, from synthetic times: what is counted as an alarm, a finding, a family."""

from __future__ import annotations

import lzma
import random
import re

import pytest

from ctkmatrix import caseset, compilers, plan, selftest
from ctkmatrix.evidence import (
    PAIRS,
    ROUNDS,
    Rate,
    Times,
    burn_size,
    false_alarms,
    families,
    is_alarm,
    keys,
    residuals,
    standard_errors,
)
from ctkmatrix.model import Judgement, Margin
from tests.conftest import ROOT

MARGINS = (("*", Margin(0.03, 10e-9)),)


def times(labels: dict[str, float], rounds: int, spread: float = 2e-9, seed: int = 1) -> Times:
    """Return times of three cases: 1,000 ns and what *labels* add, with noise of *spread* seconds."""
    noise = random.Random(seed)
    found: Times = {
        (label, case, "core"): {n: 1e-6 + added + noise.gauss(0, spread) for n in range(rounds)}
        for label, added in labels.items()
        for case in ("a.x", "a.y", "loop.empty")
    }
    return {
        (label, case, "python" if case == "loop.empty" else variant): value for (label, case, variant), value in found.items()
    }


def test_every_pair_and_every_twelve_rounds_are_a_family() -> None:
    """Rounds that are left over count for nothing."""
    found = times(dict.fromkeys(("a1", "a2", "b1", "b2"), 0.0), 2 * ROUNDS + 5)
    made = families(found, PAIRS, MARGINS)
    assert len(made) == len(PAIRS) * 2
    assert all(len(family) == 3 for family in made)


def test_alike_environments_give_no_alarm() -> None:
    """Nothing was changed, nothing is found."""
    found = times(dict.fromkeys(("a1", "a2", "b1", "b2"), 0.0), 4 * ROUNDS)
    single, whole = false_alarms(families(found, PAIRS, MARGINS))
    assert (single.hits, single.trials) == (0, 3 * 16)
    assert (whole.hits, whole.trials) == (0, 16)


def test_a_real_difference_is_an_alarm() -> None:
    """The proof can fail: an environment that is slower by 80 ns is called so, everywhere."""
    found = times({"a1": 0.0, "a2": 0.0, "b1": 80e-9, "b2": 80e-9}, ROUNDS)
    made = families(found, PAIRS, MARGINS)
    assert {verdict.judgement for family in made for verdict in family} == {Judgement.SLOWER}
    assert all(is_alarm(verdict) for family in made for verdict in family)
    assert false_alarms(made)[1].hits == len(PAIRS)


def test_what_a_burn_adds_is_measured_by_the_empty_loop() -> None:
    """Not by what it was meant to add."""
    assert burn_size(times({"b0": 0.0, "b4": 23e-9}, 24), "b4", "b0") == pytest.approx(23e-9, abs=2e-9)


def test_residuals_are_differences_within_rounds() -> None:
    """One series a (case, variant), over all pairs; what a whole round suffered is not in them."""
    found = times(dict.fromkeys(("a1", "a2", "b1", "b2"), 0.0), ROUNDS, spread=0.0)
    for by_round in found.values():
        for number in by_round:
            by_round[number] += number * 1e-7
    assert len(residuals(found, PAIRS)) == len(keys(found)) == 3
    assert max(abs(value) for series in residuals(found, PAIRS) for value in series) < 1e-15
    assert standard_errors(found, ("a.x", "core"), ("a1", "b1")) == pytest.approx([0.0], abs=1e-15)


def test_rates_say_how_sure_they_are() -> None:
    """Nothing found in nothing is not zero."""
    assert str(Rate(3, 1000)) == "3 of 1,000: 0.3 % (0.1 to 0.9 %)"
    assert str(Rate(0, 0)) == "0 of 0"


def test_the_proof_is_made_with_as_many_comparisons_as_it_says() -> None:
    """Those of today's cases that half an hour is enough for: 10 sets and 4 pairs of what they compare are 1,040."""
    cases = selftest.suited(caseset.load(ROOT, compilers.LIBRARY_FLAGS))
    compared = [one for case in cases for one in plan.variants_of(case, "null") if not one.startswith("native")]
    assert 10 * len(PAIRS) * len(compared) == 1040


@pytest.mark.slow
def test_the_shipped_evidence_is_what_its_journals_give() -> None:
    """No figure in it is written by hand, and no change of the statistics leaves it behind."""
    assert selftest.from_data() == selftest.PAGE.read_text(encoding="utf-8")


def test_shipped_journals_name_no_place_of_their_machine() -> None:
    """Who measured where is nobody's business; what was measured with is in them."""
    for path in selftest.DATA.glob("*.jsonl.xz"):
        text = lzma.decompress(path.read_bytes())
        assert b'"version":"3.' in text
        assert not re.search(rb'"/[a-z]', text)
