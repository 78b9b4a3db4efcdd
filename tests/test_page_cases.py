"""The section of cases in a real browser: its charts hold what was measured, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from ctkmatrix import caseset, published
from ctkmatrix.model import Estimate, Field, Metric, Outcome, Status
from ctkmatrix.quantities import instructions, nanoseconds
from ctkmatrix.render import write
from tests import browsing
from tests.conftest import ROOT
from tests.results_factory import HOSTILE, alter, results

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

    from ctkmatrix.model import Results

CASE = "device.current"
SNIPPET = "for _ in loop: out = get('<b>bold</b>' if a < b & c else '')"
CELL = "cu13.0-py3.12-b13.0.3-c1.2.2"


def two_modes() -> Results:
    """Return results in which the processes of one field differ, a variant has its text, and a case was not measured."""
    these = results(metric=Metric.BOTH)
    points = tuple(310e-9 + 100e-9 * (number % 2) for number in range(12))
    times = Estimate(360e-9, 310e-9, 410e-9, points)
    these = alter(these, Field(CELL, CASE, "bindings", Outcome(Status.MEASURED), times, times, times))
    cases = tuple(
        replace(case, variants=tuple(replace(variant, source=SNIPPET) for variant in case.variants), references=("#439",))
        if case.id == CASE
        else case
        for case in these.cases
    )
    gone = Outcome(Status.NOT_RUN, "the run ended before it")
    fields = tuple(
        Field(field.cell, field.case, field.variant, gone) if field.case == "stream.create_destroy" else field
        for field in these.fields
    )
    return replace(these, cases=cases, fields=fields)


@pytest.fixture(scope="module")
def these() -> Results:
    """The results that the page shows."""
    return two_modes()


@pytest.fixture(scope="module")
def page(these: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write that page."""
    return write(these, tmp_path_factory.mktemp("cases"))


def opened(tab: Page, page: Path, case: str = CASE) -> Locator:
    """Follow a link to *case*; return its section once its charts are drawn."""
    tab.goto(f"{page.as_uri()}#case-{case}")
    section = tab.locator(f'[id="case-{case}"]')
    section.locator(".charts > *").first.wait_for()
    return section


def figure(section: Locator, title: str, unit: str) -> Locator:
    """Return the chart of that title and quantity."""
    found = section.locator("figure").filter(has=section.page.get_by_text(title, exact=True)).filter(has_text=unit)
    assert found.count() == 1
    return found


def measured(these: Results, variant: str) -> list[Field]:
    """Return the fields of ``CASE`` in *variant* that have an overhead."""
    return [field for field in these.fields if (field.case, field.variant) == (CASE, variant) and field.overhead]


def test_a_link_opens_the_case(tab: Page, page: Path) -> None:
    """From elsewhere, and from within the page; the others stay shut and draw nothing."""
    section = opened(tab, page)
    assert section.get_attribute("open") is not None
    assert section.evaluate("each => Math.abs(each.getBoundingClientRect().top) < 120")
    assert tab.locator("details.case[open]").count() == 1
    assert tab.locator("figure svg").count() == section.locator("figure svg").count()
    tab.evaluate("location.hash = '#case-event.record'")
    tab.locator('[id="case-event.record"] figure svg').first.wait_for()


def test_every_process_is_a_dot(tab: Page, page: Path, these: Results) -> None:
    """As many as were measured, two modes apart; a symbol a cell; no dot stands for what was not measured."""
    fields = measured(these, "bindings")
    chart = figure(opened(tab, page), "bindings", "overhead")
    assert chart.locator(".processes circle").count() == sum(len(field.overhead.points) for field in fields if field.overhead)
    assert chart.locator(".symbols path").count() == len(fields)
    places = chart.locator(".processes circle").evaluate_all("all => all.map(each => each.getBoundingClientRect().x)")
    apart = sum(field.overhead.points != (field.overhead.points[0],) * 12 for field in fields if field.overhead)
    assert len({round(place, 2) for place in places}) >= len(fields) / 2 + apart


@pytest.mark.parametrize("variant", ["bindings", "core"])
def test_the_extremes_are_told_in_numbers(tab: Page, page: Path, these: Results, variant: str) -> None:
    """In the chart, and in words beside it and for who does not see it, with their cells."""
    fields = sorted(measured(these, variant), key=lambda field: field.overhead.value if field.overhead else 0)
    numbers = [nanoseconds(field.overhead.value) for field in (fields[0], fields[-1]) if field.overhead]
    chart = figure(opened(tab, page), variant, "overhead")
    assert sorted(chart.locator(".ends text").all_text_contents()) == sorted(numbers)
    words = chart.locator("figcaption").inner_text()
    assert f"{numbers[0]} ({fields[0].cell}) to {numbers[1]} ({fields[-1].cell})" in words
    assert f"measured in {len(fields)} of {len(these.cells)} cells" in words
    assert words in (chart.locator("svg").get_attribute("aria-label") or "").replace(". ", " ", 1)
    assert chart.locator("svg").get_attribute("role") == "img"


def test_the_target_is_a_line_or_told_to_be_out_of_sight(tab: Page, page: Path) -> None:
    """Where it would press the numbers together it is not drawn."""
    section = opened(tab, page)
    assert figure(section, "core", "overhead").locator(".target line").count() > 0
    tab.evaluate("location.hash = '#case-device.get'")
    small = tab.locator('[id="case-device.get"] figure').first
    small.locator("svg").wait_for()
    assert small.locator(".target").count() == 0
    assert "The target, 1\N{NARROW NO-BREAK SPACE}000, lies beyond the right edge." in small.inner_text()


def test_axes_have_titles_with_units(tab: Page, page: Path) -> None:
    """Of every chart."""
    charts = opened(tab, page).locator("figure svg").all()
    assert len(charts) >= 6
    for chart in charts:
        texts = chart.locator("text").all_text_contents()
        assert any(text.endswith(("ns a turn", "instructions a turn")) for text in texts), texts


def test_counts_are_drawn_without_dots(tab: Page, page: Path, these: Results) -> None:
    """A symbol is the least of the processes, which are not in the page one by one."""
    fields = [field for field in these.fields if (field.case, field.variant) == (CASE, "core") and field.count]
    least = [field.count.minimum for field in fields if field.count]
    chart = figure(opened(tab, page), "core", "instructions a turn: ")
    assert (chart.locator(".processes circle").count(), chart.locator(".symbols path").count()) == (0, len(fields))
    assert sorted(chart.locator(".ends text").all_text_contents()) == sorted(map(instructions, (min(least), max(least))))


def test_releases_are_steps(tab: Page, page: Path, these: Results) -> None:
    """A line a Python over the releases of one major, of instructions where they were counted; 12.9 has but two of them."""
    chart = figure(opened(tab, page), "core by release of cuda-bindings", "instructions")
    fields = [field for field in these.fields if (field.case, field.variant) == (CASE, "core") and field.count]
    newer = [field for field in fields if "-b13." in field.cell]
    assert chart.locator(".symbols path").count() == len(newer)
    assert chart.locator(".lines path").count() == 4
    texts = chart.locator("text").all_text_contents()
    assert [text for text in texts if text.count(".") == 2] == ["13.0.3", "13.1.1", "13.2.0", "13.3.1", "13.4.4", "13.5.0"]
    assert opened(tab, page).get_by_text("by release of cuda-core").count() == 0


def test_a_case_that_was_not_measured_says_so(tab: Page, page: Path) -> None:
    """And has no empty chart."""
    section = opened(tab, page, "stream.create_destroy")
    assert section.locator("svg").count() == 0
    assert "Nothing of it was measured" in section.inner_text()


def test_published_figures_stand_apart_with_their_source(tab: Page, page: Path) -> None:
    """As many as there are for the case, each with where it was said; over the null driver, with a warning."""
    figures = published.for_case(published.figures(ROOT / "cases" / "published.toml"), CASE)
    section = opened(tab, page)
    rows = section.locator(".published tbody tr")
    assert rows.count() == len(figures)
    for number, one in enumerate(figures):
        links = rows.nth(number).locator("a")
        assert links.all_inner_texts() == one.issue.split()
        assert one.operation in rows.nth(number).inner_text()
        if one.issue:
            assert (links.first.get_attribute("href") or "").endswith(f"/cuda-python/issues/{one.issue.split()[0][1:]}")
    assert "must not be compared" in section.inner_text()


def test_what_looks_like_markup_is_text(tab: Page, page: Path, these: Results) -> None:
    """In a snippet, in a title, in an id."""
    assert opened(tab, page).locator("pre").first.inner_text() == SNIPPET
    odd = tab.locator("details.case").filter(has_text=HOSTILE)
    assert odd.count() == 1
    tab.evaluate(f"location.hash = {'#' + (odd.get_attribute('id') or '')!r}")
    odd.locator("figure svg").first.wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_overflows_and_all_is_drawn(browser: Browser, page: Path, width: int, scheme: str) -> None:
    """Charts are as wide as their place, and no text of them is outside it; they have the scheme's own colours."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light")
    tab = context.new_page()
    section = opened(tab, page)
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    outside = """all => all.flatMap(svg => [...svg.querySelectorAll("text")].filter(text => {
      const [own, whole] = [text.getBoundingClientRect(), svg.getBoundingClientRect()];
      return own.left < whole.left - 1 || own.right > whole.right + 1;
    }).map(text => text.textContent))"""
    assert section.locator("figure svg").evaluate_all(outside) == []
    blue = section.locator(".processes circle").first.evaluate("each => getComputedStyle(each).fill")
    context.close()
    assert blue == {"light": "rgb(0, 114, 178)", "dark": "rgb(86, 180, 233)"}[scheme]


def test_charts_are_drawn_again_for_another_width(tab: Page, page: Path) -> None:
    """Text stays as large as it was."""
    chart = opened(tab, page).locator("figure svg").first
    wide = chart.get_attribute("width") or ""
    tab.set_viewport_size({"width": 390, "height": 900})
    expect(chart).not_to_have_attribute("width", wide)
    assert int(chart.get_attribute("width") or 0) < 390 < int(wide)
    assert chart.evaluate("each => each.getBoundingClientRect().width == each.getAttribute('width')")


def test_the_section_can_be_read_without_a_script(browser: Browser, page: Path) -> None:
    """It opens, with its text and figures; the page says what is missing."""
    with browsing.opened(browser, page.as_uri(), scripts=False) as tab:
        section = tab.locator(f'[id="case-{CASE}"]')
        section.locator("summary").first.click()
        assert section.locator("pre").first.is_visible()
        assert section.locator(".published").first.is_visible()
        assert tab.get_by_text("The charts are drawn by a script").is_visible()


def test_the_whole_case_set_fits_into_a_page(tmp_path: Path) -> None:
    """The texts of all cases and all figures are a small part of the 3 MB."""
    cases = caseset.load(ROOT, [])
    plain = tuple(replace(case, variants=tuple(replace(each, source="") for each in case.variants)) for case in cases)
    sizes = []
    for number, those in enumerate((plain, cases)):
        made = replace(results(), cases=those, cells=(), fields=())
        sizes.append(len(write(made, tmp_path / str(number)).read_bytes()))
    assert 100_000 < sizes[1] - sizes[0] < 300_000
