"""A validation as data and in words: verdict.json by its schema, one line, Markdown."""

from __future__ import annotations

import json
from dataclasses import replace
from html import escape
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from ctkmatrix import render, schema, validationtext
from ctkmatrix.comparisonview import view
from ctkmatrix.gate import Ruling
from ctkmatrix.model import Judgement, Metric
from ctkmatrix.unjudged import Unjudged
from ctkmatrix.validation import to_json
from tests import sides_factory
from tests.gate_factory import CANDIDATE, decide, row, validation
from tests.results_factory import HOSTILE

PAGE = "reports/validations/x/index.html"


@pytest.fixture
def written() -> dict[str, Any]:
    """Return what ``verdict.json`` holds."""
    found: dict[str, Any] = json.loads(to_json(validation()))
    return found


@pytest.fixture(scope="module")
def text() -> str:
    """Return the Markdown, its narrow spaces made plain."""
    return plain(validationtext.markdown(validation(), PAGE))


def plain(text: str) -> str:
    """Return *text* with plain spaces."""
    return text.replace("\N{NARROW NO-BREAK SPACE}", " ")


def section(text: str, title: str) -> list[str]:
    """Return the rows of the table under *title*."""
    part = text.partition(f"### {title}\n")[2].partition("\n### ")[0]
    return [line for line in part.splitlines() if line.startswith("|")][2:]


def test_the_file_fits_its_schema(written: dict[str, Any]) -> None:
    """The published one; another version does not."""
    validator = Draft202012Validator(json.loads(schema.VERDICT.path.read_text(encoding="utf-8")))
    validator.validate(written)
    with pytest.raises(ValidationError):
        validator.validate(written | {"schema": 0})


def test_the_file_holds_versions_hashes_the_decision_and_every_row(written: dict[str, Any]) -> None:
    """In full precision, and in the form in which they were judged."""
    (package,) = written["packages"]
    assert (package["reference"], package["candidate"]) == ("13.0.3", "13.0.4rc1")
    assert package["wheels"][0]["sha256"] == "ab" * 32
    assert (written["decision"]["ruling"], written["decision"]["exit"]) == ("wrong waivers", 2)
    assert len(written["decision"]["rows"]) == 9
    assert written["decision"]["regressions"][0]["row"]["after"] == validation().decision.regressions[0].row.after


def test_the_decision_comes_first(text: str) -> None:
    """Under the title, in one line, with the exit code."""
    title, decision = text.split("\n\n")[:2]
    assert title == "## cuda-bindings 13.0.4rc1 against 13.0.3"
    assert decision == (
        "**Wrong waivers: 1 regression among 8 verdicts, 3 incomplete, 3 inconclusive, 1 waived, 1 wrong waiver.** Exit code 2."
    )


def test_what_counts_is_in_tables(text: str) -> None:
    """Each kind has its own, with its reason."""
    assert section(text, "Regressions") == [
        f"| event.record core, time, {CANDIDATE} | 400 ns | 500 ns | +25 % | +25 % | 24 … 26 % | 3 % |  |"
    ]
    (waived,) = section(text, "Waived")
    assert waived.endswith("| matrix.toml:40 | cuda-bindings 13.0.4 | known: issue 12 |")
    assert "| Python 3.14 |  | the candidate has no wheel of cuda-bindings for it |" in section(text, "Incomplete")
    assert [line.partition(",")[0] for line in section(text, "Not confirmed")] == [
        "| memory.alloc\\_free core",
        "| nvrtc.compile core",
    ]
    assert section(text, "Faster")[0].startswith("| enum.construct bindings, time, ")
    assert len(section(text, "Faster")) == 1  # the native control is none
    assert section(text, "Inconclusive") == ["| 1 | too few processes |"]
    assert section(text, "What else differs") == [f"| Packages | numpy | 2.4.5 | 2.4.6 | {CANDIDATE} |"]


def test_what_weakens_it_is_said(text: str) -> None:
    """The null driver, a native control that moved, warnings, wrong waivers, where the page is."""
    assert "> **Null driver: not GPU numbers.**" in text
    assert "**1 native control moved, by up to \N{MINUS SIGN}20 % (launch.empty native, time, " in text
    assert "**The interpreter is not built with PGO.**" in text
    assert "**matrix.toml:40: this waiver matches nothing that was judged (no case is called «gone.\\*»" in text
    assert f"`{PAGE}`" in text


def test_markup_in_a_name_is_text(text: str) -> None:
    """GitHub shows it as it is."""
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


def test_a_bare_pass_is_short() -> None:
    """No empty table."""
    bare = replace(validation(), decision=decide(row()), differences=(), warnings=(), device_kind="gpu")
    text = validationtext.markdown(bare, PAGE)
    assert "###" not in text
    assert "**Passed: 0 regressions among 1 verdict, 0 incomplete, 0 inconclusive, 0 waived.** Exit code 0." in text


def test_what_cells_share_is_told_once() -> None:
    """A case that is lost on every Python is a line; of many lines the last are counted."""
    lacks = tuple(Unjudged(f"case.{case} core", "gone", "then", cell) for case in range(70) for cell in "abcdef")
    text = validationtext.markdown(replace(validation(), decision=decide(row(), incomplete=lacks)), PAGE)
    rows = section(text, "Incomplete")
    assert rows[0] == "| case.0 core | a, b, c, d and 2 more | gone |"
    assert len(rows) == validationtext.MOST
    assert "`verdict.json` has 10 rows more." in text


def test_a_ruling_that_the_exit_code_hides_is_said() -> None:
    """`--fail-on` is the reader's own wish, and is named."""
    found = decide(row(Judgement.SLOWER), fail_on=(Ruling.INCOMPLETE,))
    assert validationtext.headline(found) == (
        "Slower: 1 regression among 1 verdict, 0 incomplete, 0 inconclusive, 0 waived. "
        "This is not told by the exit code: --fail-on names incomplete alone."
    )


def test_the_page_tells_the_decision_first() -> None:
    """As the summary does: headline, what a reader must know, and the tables; names that would break it are escaped."""
    told = validationtext.decided(validation())
    page = view(sides_factory.within(Metric.TIME), told)
    html = render.html("comparison.html.j2", (), page.data, page=page)
    main = html.index("<main>")
    assert escape(told.headline) in html[:main]
    assert [section.title for section in told.sections][:4] == ["Regressions", "Waived", "Incomplete", "Not confirmed"]
    places = [html.index(f">{section.title}</h3>") for section in told.sections]
    assert places == sorted(places)
    assert places[-1] < html.index('id="changes-head"')
    assert HOSTILE not in html
    assert 'href="verdict.json"' in html
    plain_page = view(sides_factory.within(Metric.TIME))
    assert "verdict.json" not in render.html("comparison.html.j2", (), plain_page.data, page=plain_page)
