"""The page in a real browser: nothing is fetched, nothing overflows, everything can be reached."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from ctkmatrix import counts
from ctkmatrix.model import Flag, Metric
from ctkmatrix.render import write
from tests.results_factory import alter, counted, results

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

    from ctkmatrix.model import CellResult, Count, Results

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
)
WIDTHS = (390, 1440)

CONTRAST = """() => {
  const channel = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const shown = node => { const colour = getComputedStyle(node).backgroundColor;
    return colour === "rgba(0, 0, 0, 0)" ? shown(node.parentElement) : colour; };
  const luminance = rgb => { const [r, g, b] = rgb.match(/[\\d.]+/g).map(Number).map(channel);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  return [...document.querySelectorAll(".legend .chip")].map(chip => {
    const style = getComputedStyle(chip), a = luminance(style.color), b = luminance(shown(chip));
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  });
}"""


SHADOW = """async left => {
  document.querySelector(".matrix").scrollTo(left, 0);
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  return getComputedStyle(document.querySelector(".frame"), "::after").opacity;
}"""
"""Scrolls the matrix sideways; the opacity of its shadow once that is painted."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Debian's chromium, once."""
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.skip("no chromium on this machine: get it with `apt-get install chromium`")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
        yield started
        started.close()


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


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """Open a tab that is wide."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("page", ["null_page", "counts_page", "both_page"])
def test_the_page_opens_without_an_error_or_a_request(tab: Page, page: str, request: pytest.FixtureRequest) -> None:
    """The console is silent, the policy lets the page's own script run, and the file itself is all that is loaded."""
    file: Path = request.getfixturevalue(page)
    said: list[str] = []
    asked: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(file.as_uri(), wait_until="networkidle")
    if page != "null_page":
        tab.select_option("#against", index=1, force=True)
    assert (said, asked) == ([], [file.as_uri()])


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


def test_the_whole_story_is_a_hover_or_a_key_away(tab: Page, null_page: Path) -> None:
    """A field tells its bounds and both times to the pointer and to the keyboard, within the window."""
    tab.goto(null_page.as_uri())
    row = tab.locator('tr[id="event.record/bindings"]')
    story = "field => getComputedStyle(field, '::after').content"
    field = row.locator("td").first
    assert field.evaluate(story) == "none"
    field.hover()
    assert "overhead: " in field.evaluate(story)
    tab.mouse.move(0, 0)
    row.locator("th").focus()
    tab.keyboard.press("Tab")
    assert field.evaluate("field => field === document.activeElement")
    assert "native: " in field.evaluate(story)
    description = field.get_attribute("aria-description")
    assert description
    assert "ratio: " in description


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
    assert "corner" in tab.locator(".legend").inner_text()
    tab.goto(write(these, tmp_path).as_uri())
    assert tab.locator(".flagged").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_can_be_read_on_every_colour(browser: Browser, null_page: Path, scheme: str) -> None:
    """Text on each chip of the legend keeps WCAG's contrast of 4.5, light and dark."""
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
    tab = context.new_page()
    tab.goto(null_page.as_uri())
    ratios = tab.evaluate(CONTRAST)
    context.close()
    assert len(ratios) == 9
    assert min(ratios) >= 4.5


def test_the_page_prints(tab: Page, null_page: Path) -> None:
    """On paper nothing is cut off: the matrix is as large as it is."""
    tab.goto(null_page.as_uri())
    tab.emulate_media(media="print")
    style = "(style => [style.overflow, style.maxHeight])(getComputedStyle(document.querySelector('.matrix')))"
    assert tab.evaluate(style) == ["visible", "none"]


def choose(tab: Page, cell: str) -> None:
    """Ask for the change against *cell*."""
    tab.select_option("#against", label=cell)


def changed(field: Locator) -> tuple[str, str]:
    """Return what the small line of *field* says, and whether that matters: more, fewer or nothing."""
    classes = (field.get_attribute("class") or "").split()
    return field.locator("small").inner_text(), " ".join(each for each in ("more", "fewer") if each in classes)


SHOWN = """face => [...face.querySelectorAll("tbody tr:not(.area)")].map(row => [
  row.id,
  [...row.querySelectorAll("td")].map(field => [
    field.querySelector("small")?.textContent ?? "",
    ["more", "fewer", "refused"].find(each => field.classList.contains(each)) ?? "",
    field.getAttribute("aria-description").split("\\n").at(-1),
  ]),
])"""
"""By row: each field's small line, what sets it apart, and the last line of its description."""


def edges() -> Results:
    """Return counts of which two rows lie just within the margin, just beyond it, and beyond it with overlapping processes."""
    these = counted()
    cells = [result.cell.id for result in these.cells if result.cell.python == "3.12"]
    narrow = ((1000.0, 1001.0), (1010.0, 1011.0), (1010.5, 1011.0), (990.0, 990.0), (989.5, 1000.0), (989.5, 999.0), (2000.0,))
    wide = ((1000.0, 1030.0), (1030.0, 1031.0), (1030.5, 1031.0))
    found = {(field.cell, field.case, field.variant): field for field in these.fields}
    for variant, points in (("bindings", narrow), ("core", wide)):
        for cell, own in zip(cells, points, strict=False):
            field = found[cell, "event.create_destroy", variant]
            these = alter(these, replace(field, count=counts.summary(own, turns=1000, settled=True)))
    return these


def agrees(shown: list[str], then: tuple[CellResult, Count | None], now: tuple[CellResult, Count | None]) -> bool:
    """Whether what a field shows is what ``counts`` says of its change."""
    text, kind, told = shown
    (reference, before), (candidate, after) = then, now
    if after is None:
        return (text, kind) == ("", "")
    if reference is candidate:
        return (text, kind, told) == ("0.0\N{NARROW NO-BREAK SPACE}%", "", "the reference")
    refusal = counts.refusal(reference, candidate)
    if refusal or before is None:
        return (text, kind) == ("\N{EN DASH}", "refused") and told.endswith(refusal or "has no count of it")
    change = counts.Change(before, after, counts.MARGIN)
    expected = ("more" if change.relative > 0 else "fewer") if change.matters else ""
    percent = float(text.removesuffix("\N{NARROW NO-BREAK SPACE}%").replace("\N{MINUS SIGN}", "-"))
    step = 0.05 if abs(percent) < 10 else 0.5
    return kind == expected and abs(percent - 100 * change.relative) <= step + 1e-9


def test_changes_are_those_of_the_rule(tab: Page, tmp_path: Path) -> None:
    """Every field against several references is what ``counts.Change`` and ``counts.refusal`` say, at the margin too."""
    these = edges()
    found = {(field.cell, field.case, field.variant): field.count for field in these.fields}
    rows = {f"instructions/{case.id}/{each.name}": (case.id, each.name) for case in these.cases for each in case.variants}
    tab.goto(write(these, tmp_path).as_uri())
    compared = 0
    for reference in (these.cells[1], these.cells[5], these.cells[9], these.cells[-1]):
        choose(tab, reference.cell.id)
        for anchor, fields in tab.locator(".face").evaluate(SHOWN):
            if anchor not in rows:  # the case that is called by markup has another id
                continue
            case, variant = rows[anchor]
            for shown, candidate in zip(fields, these.cells, strict=True):
                before, after = (found[each.cell.id, case, variant] for each in (reference, candidate))
                assert agrees(shown, (reference, before), (candidate, after)), (
                    anchor,
                    reference.cell.id,
                    candidate.cell.id,
                    shown,
                )
                compared += after is not None
    assert compared > 4000


def test_a_change_is_written_as_people_write_it(tab: Page, tmp_path: Path) -> None:
    """A sign, one decimal below ten per cent, a true minus, no sign for nothing; none chosen again, the spread is back."""
    tab.goto(write(edges(), tmp_path).as_uri())
    row = tab.locator('tr[id="instructions/event.create_destroy/bindings"] td')
    before = [changed(row.nth(place)) for place in (1, 5, 9)]
    choose(tab, "cu12.9-py3.12-b12.9.4-c1.2.2")
    said = [changed(row.nth(place)) for place in (1, 5, 9, 13, 17, 21, 25)]
    thin = "\N{NARROW NO-BREAK SPACE}%"
    minus = "\N{MINUS SIGN}"
    assert said == [
        (f"0.0{thin}", ""),
        (f"+1.0{thin}", ""),
        (f"+1.1{thin}", "more"),
        (f"{minus}1.0{thin}", ""),
        (f"{minus}1.1{thin}", ""),
        (f"{minus}1.1{thin}", "fewer"),
        (f"+100{thin}", "more"),
    ]
    choose(tab, "none")
    assert [changed(row.nth(place)) for place in (1, 5, 9)] == before
    assert tab.locator("output").inner_text() == ""


def test_without_a_script_there_is_no_choice_that_does_nothing(browser: Browser, both_page: Path) -> None:
    """The select is not shown; the counts are, and the switch between the matrices works."""
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(both_page.as_uri())
    field = tab.locator('tr[id="instructions/event.record/core"] td').first
    assert not field.is_visible()
    tab.check("#show-instructions")
    assert field.is_visible()
    assert not tab.locator("#against").is_visible()
    context.close()


def test_a_single_cell_has_nothing_to_be_compared_with(tab: Page, tmp_path: Path) -> None:
    """The choice is not offered; of two cells it is."""
    these = counted()
    for number in (1, 2):
        tab.goto(write(replace(these, cells=these.cells[:number]), tmp_path).as_uri())
        assert tab.locator("#against").is_visible() == (number == 2)


def test_the_matrix_shows_one_quantity_at_a_time(tab: Page, both_page: Path) -> None:
    """Times first; a link of the summary leads to its row though the other matrix was chosen."""
    tab.goto(both_page.as_uri())
    time, count = (tab.locator(f'.face[data-quantity="{quantity}"]') for quantity in ("time", "instructions"))
    assert (time.is_visible(), count.is_visible()) == (True, False)
    tab.get_by_label("Instructions a turn").first.check()
    assert (time.is_visible(), count.is_visible()) == (False, True)
    assert tab.locator("#against").is_visible()
    tab.locator("#summary tbody a").first.click()
    assert (time.is_visible(), count.is_visible()) == (True, False)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_changes_fit_and_can_be_read(browser: Browser, counts_page: Path, width: int, scheme: str) -> None:
    """With a reference chosen nothing overflows, and what matters keeps WCAG's contrast of 4.5."""
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme="dark" if scheme == "dark" else "light")
    tab = context.new_page()
    tab.goto(counts_page.as_uri())
    choose(tab, "cu13.0-py3.12-b13.0.3-c1.2.2")
    overflows = tab.evaluate("document.documentElement.scrollWidth") - width
    ratios = tab.evaluate(CONTRAST.replace(".legend .chip", ".chip, .matrix .more, .matrix .fewer, .matrix .refused"))
    context.close()
    assert overflows == 0
    assert len(ratios) > 100
    assert min(ratios) >= 4.5
