"""What the tests of pages rely on: a page that does what none may do fails them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browsing import PHONE, contrasts, grave, opened, overflow

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page


def page(directory: Path, body: str, head: str = "") -> str:
    """Write a page; return its address."""
    file = directory / "page.html"
    file.write_text(f"<!DOCTYPE html><html lang=en><title>t</title>{head}<body>{body}", encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<script>console.log('a word')</script>", "console: a word"),
        ("<script>undefined.x</script>", "error: .*undefined"),
        ("<script>alert('hello')</script>", "dialog: hello"),
        ("<script>confirm('sure?')</script>", "dialog: sure?"),
        ("<img src=beside.png alt=''>", "request: file:.*beside.png"),
        ("<iframe src=page.html?again title=x></iframe>", r"request: file:.*page.html\?again"),
        ("<script>fetch('http://127.0.0.1:9/x').catch(() => 0)</script>", "request: http://127.0.0.1:9/x"),
        ("<script>location = 'http://127.0.0.1:9/away'</script>", "request: http://127.0.0.1:9/away"),
        ("<style>@import 'other.css'</style>", "request: file:.*other.css"),
    ],
)
def test_what_no_page_may_do_fails(browser: Browser, tmp_path: Path, body: str, said: str) -> None:
    """A word on the console, a script that fails, a dialog, and whatever is asked for, on the network or beside the page."""
    with pytest.raises(AssertionError, match=said), opened(browser, page(tmp_path, body)) as tab:
        tab.wait_for_timeout(100)


def test_a_page_is_opened_as_was_asked(browser: Browser, tmp_path: Path) -> None:
    """As wide, in that scheme, with or without scripts; a second page may follow, and the test's own failure comes through."""
    address = page(tmp_path, "<p>plain</p><script>document.querySelector('p').remove()</script>")
    seen = "() => [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]"
    with opened(browser, address, width=PHONE, scheme="dark") as tab:
        assert tab.evaluate(seen) == [PHONE, True]
        tab.goto(f"{address}?again#there")
    with opened(browser, address) as tab:
        assert tab.evaluate(seen) == [1440, False]
        assert not tab.locator("p").count()
    with opened(browser, address, scripts=False) as tab:
        assert tab.locator("p").is_visible()
    with pytest.raises(ZeroDivisionError), opened(browser, address):
        raise ZeroDivisionError


def test_the_contrast_is_that_of_wcag(tab: Page, tmp_path: Path) -> None:
    """Black on white is 21; the ground may be that of an element around."""
    tab.goto(page(tmp_path, "<div style='background: #fff'><p style='color: #000'>a<p style='color: #767676'>b</div>"))
    assert contrasts(tab, "p") == [21, pytest.approx(4.54, abs=0.01)]


def test_axe_finds_what_is_planted(tab: Page, tmp_path: Path) -> None:
    """A control without a name; and a page on which it finds next to nothing to look at is no proof."""
    whole = "<main><h1>h</h1><nav aria-label=n><ul><li><a href='#x'>x</a></ul></nav><table><tr><th scope=col>a<tr><td>1</table>"
    tab.goto(page(tmp_path, whole + "<button></button><p id=x lang=en>text<img src='data:,' alt=''></main>"))
    assert [rule for rule, *_ in grave(tab)] == ["button-name"]
    tab.goto(page(tmp_path, ""))
    with pytest.raises(AssertionError, match="next to nothing"):
        grave(tab)


def test_what_is_too_wide_is_found(browser: Browser, tmp_path: Path) -> None:
    """By as much as it is."""
    with opened(browser, page(tmp_path, "", "<style>body { margin: 0; width: 500px; height: 1px }</style>"), width=PHONE) as tab:
        assert overflow(tab) == 500 - PHONE
