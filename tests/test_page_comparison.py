"""The page of a comparison in a real browser: it shows the comparison's numbers, filters, fetches nothing, overflows nowhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ctkmatrix.comparing import write
from ctkmatrix.comparisonview import signed
from ctkmatrix.model import Metric
from tests import sides_factory as factory
from tests.browsing import SCHEMES, WIDTHS, grave, opened, overflow

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from ctkmatrix.comparison import Comparison
    from tests.browsing import Scheme

SHOWN = "[...document.querySelectorAll('.verdicts tbody tr')].filter(row => !row.hidden)"
DOTS = "#plot svg :is(path, circle):has(> title)"


@pytest.fixture(scope="module")
def found() -> Comparison:
    """Two toolkits of one run, by time."""
    return factory.within(Metric.TIME)


@pytest.fixture(scope="module")
def times_page(found: Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write its page."""
    return write(found, tmp_path_factory.mktemp("times"))


@pytest.fixture(scope="module")
def both_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a comparison by both metrics."""
    return write(factory.within(), tmp_path_factory.mktemp("both"))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", ["times_page", "both_page"])
def test_nothing_is_said_fetched_or_too_wide(
    browser: Browser, page: str, width: int, scheme: Scheme, request: pytest.FixtureRequest
) -> None:
    """At a phone's width and a desk's, light and dark, with all rows drawn; the chart is there."""
    file: Path = request.getfixturevalue(page)
    with opened(browser, file.as_uri(), width=width, scheme=scheme) as tab:
        tab.click("#more")
        assert overflow(tab) == 0
        assert tab.locator(DOTS).count() == tab.evaluate(f"{SHOWN}.length")


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_axe_finds_nothing_serious(browser: Browser, both_page: Path, width: int, scheme: Scheme) -> None:
    """Names, roles, contrast, reach of the keyboard."""
    with opened(browser, both_page.as_uri(), width=width, scheme=scheme) as tab:
        assert grave(tab) == []


def test_the_table_has_the_comparisons_rows(tab: Page, times_page: Path, found: Comparison) -> None:
    """In their order, with verdict, names and change."""
    tab.goto(times_page.as_uri())
    rows = tab.evaluate(f"{SHOWN}.map(row => [...row.children].slice(0, 3).map(cell => cell.firstChild.textContent))")
    assert [row[0] for row in rows] == [row.judgement.value for row in found.rows]
    assert [row[2] for row in rows] == [signed(row.relative) for row in found.rows]
    names = tab.evaluate(f"{SHOWN}.map(row => row.querySelector('th').innerText)")
    assert all(text.startswith(f"{row.case} {row.variant}") for text, row in zip(names, found.rows, strict=True))
    assert all(text.endswith(row.candidate) for text, row in zip(names, found.rows, strict=True))


def test_the_chart_has_the_comparisons_numbers(tab: Page, times_page: Path, found: Comparison) -> None:
    """The data in per cent of the reference, and the dots where they say: the forty weightiest, then all."""
    tab.goto(times_page.as_uri())
    data = json.loads(tab.locator("#data").text_content() or "")
    for (_, kind, name, cell, value, low, high, margin), row in zip(data["rows"], found.rows, strict=True):
        named = (data["kinds"][kind], data["names"][name], data["cells"][cell])
        assert named == (row.judgement, f"{row.case} {row.variant}", row.candidate)
        assert value == pytest.approx(100 * (row.relative or 0), rel=1e-4, abs=1e-9)
        assert low < value < high
        assert margin == pytest.approx(100 * row.margin / (row.before or 1), rel=1e-4)
    assert tab.locator(DOTS).count() == 40
    first = tab.locator(DOTS).first.locator("title").text_content() or ""
    assert first.startswith(f"{found.rows[0].case} {found.rows[0].variant}, {found.rows[0].candidate}\nslower: +")
    across = tab.evaluate(
        f'[...document.querySelectorAll("{DOTS}")].map(dot => dot.getBoundingClientRect()).map(box => box.x + box.width / 2)'
    )
    changes = sorted(row.relative or 0 for row in found.rows[:40])
    scale = (max(across) - min(across)) / (changes[-1] - changes[0])
    middle = sorted(across)[20]
    assert middle == pytest.approx(min(across) + scale * (changes[20] - changes[0]), abs=2)
    tab.click("#more")
    assert tab.locator(DOTS).count() == len(found.rows)
    assert tab.inner_text("#more") == "show the 40 greatest"


def test_filters_narrow_table_and_chart(tab: Page, times_page: Path, found: Comparison) -> None:
    """By verdict, by area, by variant and by words, together."""
    tab.goto(times_page.as_uri())
    tab.uncheck("input[value=equivalent]")
    tab.uncheck("input[value=inconclusive]")
    kept = [row for row in found.rows if row.judgement in {"slower", "faster"}]
    assert tab.evaluate(f"{SHOWN}.length") == tab.locator(DOTS).count() == len(kept)
    assert tab.inner_text(".filters output") == f"{len(kept)} of {len(found.rows)}"
    tab.select_option("select[name=area]", "launch")
    assert tab.evaluate(f"{SHOWN}.length") == sum(row.area == "launch" for row in kept)
    tab.fill("input[name=text]", "PY3.11 bindings")
    assert tab.evaluate(f"{SHOWN}.map(row => row.querySelector('small').innerText)") == ["cu13.5-py3.11-b13.5.0-c1.2.2"]
    tab.fill("input[name=text]", "nowhere")
    assert tab.evaluate(f"{SHOWN}.length") == tab.locator(DOTS).count() == 0


def test_the_control_can_be_left_out(tab: Page, times_page: Path, found: Comparison) -> None:
    """Or be seen alone."""
    tab.goto(times_page.as_uri())
    for value, control in (("true", True), ("false", False)):
        tab.select_option("select[name=control]", value)
        assert tab.evaluate(f"{SHOWN}.length") == sum(row.control is control for row in found.rows)


def test_metrics_are_seen_one_at_a_time(tab: Page, both_page: Path) -> None:
    """Time first; instructions in their own words."""
    tab.goto(both_page.as_uri())
    assert "slower" in tab.evaluate(f"{SHOWN}[0].innerText")
    tab.select_option("select[name=metric]", "1")
    assert "more" in tab.evaluate(f"{SHOWN}[0].innerText")
    assert set(tab.evaluate(f"{SHOWN}.map(row => row.children[2].innerText)")) == {"Instructions"}


def test_it_reads_without_javascript(browser: Browser, times_page: Path, found: Comparison) -> None:
    """Every row is there; what only a script makes is not."""
    with opened(browser, times_page.as_uri(), scripts=False) as tab:
        assert tab.locator(".verdicts tbody tr:visible").count() == len(found.rows)
        assert not tab.locator(".filters").is_visible()
        assert not tab.locator("#forest").is_visible()
        assert "8 slower, 4 faster" in tab.inner_text(".verdict")


def test_the_chart_follows_the_window(tab: Page, times_page: Path) -> None:
    """Narrow, names stand above their rows."""
    tab.goto(times_page.as_uri())
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.wait_for_function("document.querySelector('#plot svg').getBoundingClientRect().width < 390")
    assert tab.locator("#plot text", has_text=", cu13.5").count() == 40
