"""The evidence on counts: what the page says of made-up journals, and that the shipped page is that of the shipped journal."""

from __future__ import annotations

import lzma

import pytest

from ctkmatrix import count_evidence, journal, matrix, selftest, selftest_count
from ctkmatrix.counts import MARGIN, SPREADS
from ctkmatrix.journal import Counted, Instructions
from ctkmatrix.model import DEFAULT_MARGINS
from tests.conftest import ROOT


def counted(label: str, heap: int, instructions: float) -> Counted:
    """Return one block of one heap in an environment."""
    results = {"core": Instructions(100, instructions, settled=True)}
    return Counted(cell=f"cell+{label}", process=heap, round=heap, case="launch.empty", results=results)


def test_a_pair_is_as_far_apart_as_its_minima() -> None:
    """Heaps that add something do not count; a change beyond the margin without overlap is told."""
    equal = [counted("a", 0, 1000), counted("a", 1, 1030), counted("b", 0, 1031), counted("b", 1, 1002)]
    (pair,) = count_evidence.pairs(equal, DEFAULT_MARGINS)
    assert pair.spread == pytest.approx(0.002)
    assert not pair.change.matters
    (pair,) = count_evidence.pairs([counted("a", 0, 1000), counted("b", 0, 1020)], DEFAULT_MARGINS)
    assert pair.change.matters


def test_one_environment_alone_is_no_pair() -> None:
    """Nothing is set against nothing."""
    assert count_evidence.pairs([counted("a", 0, 1000)], DEFAULT_MARGINS) == ()


def shipped() -> list[journal.Record]:
    """Return the journal beside the evidence."""
    return journal.decode(lzma.decompress((selftest.DATA / f"{selftest_count.NAME}.jsonl.xz").read_bytes()))


def test_every_margin_is_twice_what_equal_environments_were_apart() -> None:
    """In matrix.toml, by case; and at least one per cent."""
    margins = matrix.load(ROOT / "matrix.toml").margins
    found = count_evidence.pairs(shipped(), margins)
    assert len(found) > 80
    assert [pair for pair in found if pair.change.margin < max(MARGIN, SPREADS * pair.spread)] == []
    assert not any(pair.change.matters for pair in found)


def test_the_shipped_page_is_that_of_the_shipped_journal() -> None:
    """Nobody has edited a number."""
    assert selftest_count.PAGE.read_text(encoding="utf-8") == selftest_count.from_data()
