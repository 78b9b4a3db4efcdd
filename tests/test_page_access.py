"""The page for everybody: axe-core, narrow and wide, light and dark, on paper, without a script, a network or an error."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from ctkmatrix.model import Metric, Status
from ctkmatrix.render import write
from tests.results_factory import HOSTILE, counted, results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

    from ctkmatrix.model import Results

WIDTHS = (390, 1440)
SCHEMES = ("light", "dark")
PAGES = ("null", "gpu", "counts", "both")

FEW = ("12.9.4", "13.5.0")
"""The releases whose cells are enough for axe-core, which takes 10 s for all: some failed, some did not run, some are flagged."""

LOG = f"Traceback (most recent call last):\n{'a line of a log that is too long for a phone, ' * 4}\nTypeError: {HOSTILE}"

OPENED = 3
"""So many sections of each kind are opened: all would draw some hundred charts."""

OPEN = """most => {
  const kinds = new Map();
  for (const each of document.querySelectorAll("details")) {
    const kind = `${each.className}/${each.parentElement.id}`, seen = kinds.get(kind) ?? 0;
    if (seen < most) each.open = true;
    kinds.set(kind, seen + 1);
  }
  return document.querySelectorAll("details[open]").length;
}"""

WIDER = """() => [...document.querySelectorAll("body *")]
  .filter(each => each.getBoundingClientRect().right > innerWidth + 1 && !each.closest(".scroll, .matrix, .log, svg"))
  .map(each => each.outerHTML.slice(0, 120))"""
"""What reaches beyond the window, but for what scrolls by itself."""


def _results(name: str) -> Results:
    made: dict[str, Callable[[], Results]] = {
        "null": results,
        "gpu": lambda: results(device_kind="gpu"),
        "counts": counted,
        "both": lambda: results(metric=Metric.BOTH),
    }
    return made[name]()


def _few(these: Results) -> Results:
    """Return the results of the cells of ``FEW`` releases."""
    cells = tuple(result for result in these.cells if result.cell.bindings in FEW)
    ids = {result.cell.id for result in cells}
    return replace(these, cells=cells, fields=tuple(field for field in these.fields if field.cell in ids))


def _write(these: Results, directory: Path) -> str:
    """Write a page with logs; return its address."""
    logs = {result.cell.id: LOG for result in these.cells if result.outcome.status is not Status.MEASURED}
    return write(these, directory, logs=logs).as_uri()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write the pages of four kinds of runs; return their addresses."""
    return {name: _write(_results(name), tmp_path_factory.mktemp(name)) for name in PAGES}


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write them again with fewer cells."""
    return {name: _write(_few(_results(name)), tmp_path_factory.mktemp(name)) for name in ("null", "gpu", "counts")}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Debian's chromium, once."""
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.skip("no chromium on this machine: get it with `apt-get install chromium`")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


def opened(browser: Browser, address: str, width: int, **options: Any) -> tuple[BrowserContext, Page, list[str]]:
    """Open *address* with some sections of each kind open; return the tab, and where what it says and asks for is noted."""
    context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce", **options)
    tab, noted = context.new_page(), []
    tab.on("console", lambda message: noted.append(f"console: {message.text}"))
    tab.on("pageerror", lambda error: noted.append(f"error: {error}"))
    tab.on("request", lambda request: noted.append(f"request: {request.url}") if request.url != address else None)
    tab.goto(address, wait_until="networkidle")
    assert tab.evaluate(OPEN, OPENED) > OPENED
    tab.wait_for_timeout(300)  # charts are drawn after a section is opened
    return context, tab, noted


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("page", ["null", "gpu", "counts"])
def test_axe_finds_nothing_serious(browser: Browser, few: dict[str, str], page: str, scheme: str, width: int) -> None:
    """Names, roles, contrast, reach of the keyboard: axe-core has no serious or critical finding, with sections open."""
    context, tab, noted = opened(browser, few[page], width, color_scheme=scheme)
    found = Axe().run(tab, options={"resultTypes": ["violations"]}).response
    context.close()
    assert len(found["passes"]) > 20  # it has looked
    assert [
        (rule["id"], rule["help"], [node["html"][:160] for node in rule["nodes"][:3]])
        for rule in found["violations"]
        if rule["impact"] in {"serious", "critical"}
    ] == []
    assert noted == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_wider_than_the_window(browser: Browser, pages: dict[str, str], page: str, width: int) -> None:
    """With sections open; the matrix, wide tables and logs scroll by themselves."""
    context, tab, _ = opened(browser, pages[page], width)
    overflow, wider = tab.evaluate("document.documentElement.scrollWidth - innerWidth"), tab.evaluate(WIDER)
    context.close()
    assert (overflow, wider) == (0, [])


def test_without_a_script_the_page_can_be_read(browser: Browser, pages: dict[str, str]) -> None:
    """Numbers, cells and reasons are there; a link to a cell opens what it leads to; no control stands that does nothing."""
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(pages["null"] + "#cell/cu13.5-py3.12-b13.5.0-c1.2.2")
    assert tab.locator(".matrix tbody td").count() > 500
    cell = tab.locator('[id="cell/cu13.5-py3.12-b13.5.0-c1.2.2"]')
    assert cell.is_visible()
    assert "TypeError" in cell.locator(".log").inner_text()
    assert [control for control in tab.locator("button, select, input").all() if control.is_visible()] == []
    context.close()


def test_what_is_printed_can_be_read(browser: Browser, pages: dict[str, str]) -> None:
    """Nothing sticks or scrolls, controls are left out, and a PDF of some pages comes out."""
    context, tab, noted = opened(browser, pages["null"], 1440)
    tab.emulate_media(media="print")
    styles = tab.evaluate(
        "[...document.querySelectorAll('.matrix, .scroll, .banner, .matrix thead')]"
        ".map(each => getComputedStyle(each)).map(style => [style.position, style.overflowX])"
    )
    controls = [each for each in tab.locator("nav, button, select, input").all() if each.is_visible()]
    paper = tab.pdf(prefer_css_page_size=True)
    context.close()
    assert len(styles) > 4
    assert not [style for style in styles if style[0] == "sticky" or style[1] in {"auto", "scroll"}]
    assert controls == []
    assert paper.startswith(b"%PDF")
    assert 2 <= paper.count(b"/Type /Page\n") <= 60
    assert noted == []


def test_a_cells_view_tells_all_and_runs_nothing(browser: Browser, pages: dict[str, str]) -> None:
    """Packages with hashes, libraries, what failed and the log's end; what looks like markup there is text."""
    context, tab, _ = opened(browser, pages["null"] + "#cell/cu13.5-py3.14-b13.5.0-c1.2.2", 1440)
    cell = tab.locator('[id="cell/cu13.5-py3.14-b13.5.0-c1.2.2"]')
    said = cell.inner_text()
    context.close()
    for expected in ("cuda-bindings", "d" * 64, "libnvrtc.so", "g++ 12.2.0", "no answer in 60 s", HOSTILE):
        assert expected in said


def test_the_files_beside_the_page_are_linked(pages: dict[str, str], browser: Browser) -> None:
    """Both links lead to a file that is there."""
    context, tab, _ = opened(browser, pages["null"], 1440)
    links = tab.eval_on_selector_all(".files a", "all => all.map(each => each.href)")
    context.close()
    assert [link.rpartition("/")[2] for link in links] == ["summary.md", "matrix.csv"]
    beside = Path(unquote(urlsplit(pages["null"]).path)).parent
    assert all((beside / link.rpartition("/")[2]).stat().st_size > 1000 for link in links)
