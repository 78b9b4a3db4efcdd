"""The page for everybody: axe-core, narrow and wide, light and dark, on paper, without a script, a network or an error."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from ctkmatrix.model import Metric, Status
from ctkmatrix.render import write
from tests.browsing import DESK, SCHEMES, WIDTHS, grave, opened, overflow
from tests.results_factory import HOSTILE, counted, results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

    from ctkmatrix.model import Results
    from tests.browsing import Scheme

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


@contextmanager
def unfolded(browser: Browser, address: str, width: int = DESK, scheme: Scheme = "light") -> Iterator[Page]:
    """Open *address* with some sections of each kind open."""
    with opened(browser, address, width=width, scheme=scheme) as tab:
        assert tab.evaluate(OPEN, OPENED) > OPENED
        tab.wait_for_timeout(300)  # charts are drawn after a section is opened
        yield tab


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("page", ["null", "gpu", "counts"])
def test_axe_finds_nothing_serious(browser: Browser, few: dict[str, str], page: str, scheme: Scheme, width: int) -> None:
    """Names, roles, contrast, reach of the keyboard: axe-core has no serious or critical finding, with sections open."""
    with unfolded(browser, few[page], width, scheme) as tab:
        assert grave(tab) == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_wider_than_the_window(browser: Browser, pages: dict[str, str], page: str, width: int) -> None:
    """With sections open; the matrix, wide tables and logs scroll by themselves."""
    with unfolded(browser, pages[page], width) as tab:
        assert (overflow(tab), tab.evaluate(WIDER)) == (0, [])


def test_without_a_script_the_page_can_be_read(browser: Browser, pages: dict[str, str]) -> None:
    """Numbers, cells and reasons are there; a link to a cell opens what it leads to; no control stands that does nothing."""
    with opened(browser, pages["null"] + "#cell/cu13.5-py3.12-b13.5.0-c1.2.2", scripts=False) as tab:
        assert tab.locator(".matrix tbody td").count() > 500
        cell = tab.locator('[id="cell/cu13.5-py3.12-b13.5.0-c1.2.2"]')
        assert cell.is_visible()
        assert "TypeError" in cell.locator(".log").inner_text()
        assert [control for control in tab.locator("button, select, input").all() if control.is_visible()] == []


def test_what_is_printed_can_be_read(browser: Browser, pages: dict[str, str]) -> None:
    """Nothing sticks or scrolls, controls are left out, and a PDF of some pages comes out."""
    with unfolded(browser, pages["null"]) as tab:
        tab.emulate_media(media="print")
        styles = tab.evaluate(
            "[...document.querySelectorAll('.matrix, .scroll, .banner, .matrix thead')]"
            ".map(each => getComputedStyle(each)).map(style => [style.position, style.overflowX])"
        )
        controls = [each for each in tab.locator("nav, button, select, input").all() if each.is_visible()]
        paper = tab.pdf(prefer_css_page_size=True)
    assert len(styles) > 4
    assert not [style for style in styles if style[0] == "sticky" or style[1] in {"auto", "scroll"}]
    assert controls == []
    assert paper.startswith(b"%PDF")
    assert 2 <= paper.count(b"/Type /Page\n") <= 60


def test_a_cells_view_tells_all_and_runs_nothing(browser: Browser, pages: dict[str, str]) -> None:
    """Packages with hashes, libraries, what failed and the log's end; what looks like markup there is text."""
    with unfolded(browser, pages["null"] + "#cell/cu13.5-py3.14-b13.5.0-c1.2.2") as tab:
        said = tab.locator('[id="cell/cu13.5-py3.14-b13.5.0-c1.2.2"]').inner_text()
    for expected in ("cuda-bindings", "d" * 64, "libnvrtc.so", "g++ 12.2.0", "no answer in 60 s", HOSTILE):
        assert expected in said


def test_the_files_beside_the_page_are_linked(pages: dict[str, str], browser: Browser) -> None:
    """Both links lead to a file that is there."""
    with unfolded(browser, pages["null"]) as tab:
        links = tab.eval_on_selector_all(".files a", "all => all.map(each => each.href)")
    assert [link.rpartition("/")[2] for link in links] == ["summary.md", "matrix.csv"]
    beside = Path(unquote(urlsplit(pages["null"]).path)).parent
    assert all((beside / link.rpartition("/")[2]).stat().st_size > 1000 for link in links)
