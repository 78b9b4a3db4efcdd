"""The page in a real browser: nothing is fetched, nothing overflows, everything can be reached."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ctkmatrix.model import Flag, Metric
from ctkmatrix.render import write
from tests.browsing import SCHEMES, WIDTHS, contrasts, opened
from tests.results_factory import alter, counted, results

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from tests.browsing import Scheme


SHADOW = """async left => {
  document.querySelector(".matrix").scrollTo(left, 0);
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  return getComputedStyle(document.querySelector(".frame"), "::after").opacity;
}"""
"""Scrolls the matrix sideways; the opacity of its shadow once that is painted."""


@pytest.fixture(scope="module")
def null_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a null run."""
    return write(results(), tmp_path_factory.mktemp("null"))


@pytest.fixture(scope="module")
def gpu_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a GPU run."""
    return write(results(device_kind="gpu"), tmp_path_factory.mktemp("gpu"))


@pytest.fixture(scope="module")
def counts_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a run that counted instructions alone."""
    return write(counted(), tmp_path_factory.mktemp("counts"))


@pytest.fixture(scope="module")
def both_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a run of both."""
    return write(results(metric=Metric.BOTH), tmp_path_factory.mktemp("both"))


@pytest.mark.parametrize("page", ["null_page", "counts_page", "both_page"])
def test_the_page_opens_without_an_error_or_a_request(tab: Page, page: str, request: pytest.FixtureRequest) -> None:
    """The console is silent, the policy lets the page's own scripts run, and the file itself is all that is loaded."""
    file: Path = request.getfixturevalue(page)
    tab.goto(file.as_uri(), wait_until="networkidle")
    shown = "() => document.querySelector('.toolbar [name=value]').value"
    first = tab.evaluate(shown)
    tab.select_option(".toolbar [name=value]", index=1)
    assert tab.evaluate(shown) != first
    assert tab.url.partition("#")[0] == file.as_uri()


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overflows(tab: Page, null_page: Path, width: int) -> None:
    """The page is as wide as the window, with all details open; the matrix scrolls by itself."""
    tab.set_viewport_size({"width": width, "height": 844})
    tab.goto(null_page.as_uri())
    tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    assert tab.evaluate("(box => box.scrollWidth > box.clientWidth)(document.querySelector('.matrix'))")


@pytest.mark.parametrize("width", WIDTHS)
def test_heads_and_first_column_stay_in_sight(tab: Page, null_page: Path, width: int) -> None:
    """Scrolled to its far corner, the matrix still shows which case and cell a field belongs to."""
    tab.set_viewport_size({"width": width, "height": 844})
    tab.goto(null_page.as_uri())
    tab.evaluate("(box => box.scrollTo(9999, 9999))(document.querySelector('.matrix'))")
    box, head, label = (
        tab.locator(selector).bounding_box()
        for selector in (".matrix", ".matrix thead tr:last-child th:last-child", ".matrix tbody:last-child tr:last-child th")
    )
    assert box
    assert head
    assert label
    assert box["y"] <= head["y"] < box["y"] + 150
    assert abs(label["x"] - box["x"]) < 3
    assert label["width"] < 0.45 * width


def test_the_matrix_hints_that_there_is_more(tab: Page, null_page: Path) -> None:
    """A shadow lies on the edge behind which columns are hidden, and is gone at the last one."""
    tab.goto(null_page.as_uri())
    assert tab.evaluate(SHADOW, 0) == "1"
    assert tab.evaluate(SHADOW, 99999) == "0"


@pytest.mark.parametrize("selector", [".cells", ".reasons"])
def test_wide_tables_can_be_read_on_a_phone(tab: Page, null_page: Path, selector: str) -> None:
    """Nothing of them is off the screen, and each value says what it is."""
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(null_page.as_uri())
    box = tab.locator(selector).locator("xpath=..")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    label = tab.locator(f"{selector} td[data-head]").first.evaluate("field => getComputedStyle(field, '::before').content")
    assert label not in {"none", "normal"}


def test_the_null_banner_stays_in_sight(tab: Page, null_page: Path, gpu_page: Path) -> None:
    """Whatever part of a null page is looked at says that it is one; a GPU's page has no banner."""
    tab.goto(null_page.as_uri() + "#run")
    banner = tab.locator(".banner")
    assert banner.bounding_box() == {"x": 0, "y": 0, "width": 1440, "height": pytest.approx(36, abs=15)}
    assert "not gpu numbers" in banner.inner_text().lower()
    tab.goto(gpu_page.as_uri())
    assert tab.locator(".banner").count() == 0


def test_a_head_tells_what_it_is_without_a_script(browser: Browser, null_page: Path) -> None:
    """A row's head says what its case is, to the pointer and to the keyboard, within the window."""
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(null_page.as_uri())
    head = tab.locator('tr[id="event.record/bindings"] th')
    story = "head => getComputedStyle(head, '::after').content"
    assert head.evaluate(story) == "none"
    head.hover()
    assert "Record an event on a stream." in head.evaluate(story)
    tab.mouse.move(0, 0)
    tab.locator('tr[id="event.create_destroy/core"] th a').focus()
    tab.keyboard.press("Tab")
    assert "Record an event on a stream." in head.evaluate(story)
    context.close()


def test_a_cells_head_leads_to_its_details(tab: Page, null_page: Path) -> None:
    """Without a script, a link opens what it leads to."""
    tab.goto(null_page.as_uri())
    details = tab.locator('[id="cell/cu12.9-py3.11-b12.9.4-c1.2.2"]')
    assert not details.is_visible()
    tab.locator(".matrix thead a").first.click()
    assert details.is_visible()
    assert "SHA-256" in details.inner_text()


def test_a_flagged_field_has_a_corner(tab: Page, tmp_path: Path) -> None:
    """It alone, in the ink of its number; the legend says what a corner is, and no other page speaks of it."""
    these = results()
    field = next(field for field in these.fields if field.overhead)
    tab.goto(write(alter(these, replace(field, flags=(Flag.BIMODAL,))), tmp_path).as_uri())
    flagged = tab.locator(".matrix td.flagged")
    assert flagged.count() == 1
    corner = "field => { const style = getComputedStyle(field, '::before'); return [style.backgroundColor, style.color]; }"
    background, ink = flagged.evaluate(corner)
    assert background == ink
    assert "corner" in tab.locator(".face .legend").last.inner_text()
    tab.goto(write(these, tmp_path).as_uri())
    assert tab.locator(".flagged").count() == 0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_numbers_can_be_read_on_every_colour(browser: Browser, null_page: Path, scheme: Scheme) -> None:
    """Text on each chip of the legend keeps WCAG's contrast of 4.5, light and dark."""
    with opened(browser, null_page.as_uri(), scheme=scheme) as tab:
        ratios = contrasts(tab, ".legend .chip")
    assert len(ratios) == 13
    assert min(ratios) >= 4.5


def test_the_page_prints(tab: Page, null_page: Path) -> None:
    """On paper nothing is cut off: the matrix is as large as it is."""
    tab.goto(null_page.as_uri())
    tab.emulate_media(media="print")
    style = "(style => [style.overflow, style.maxHeight])(getComputedStyle(document.querySelector('.matrix')))"
    assert tab.evaluate(style) == ["visible", "none"]
