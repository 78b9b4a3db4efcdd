"""A page in a real browser, as a reader opens it: there nothing may go wrong, and nothing may be fetched."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Dialog, Page, Request

Scheme: TypeAlias = Literal["light", "dark"]

PHONE, DESK = 390, 1440
"""Widths of windows, px."""

WIDTHS = (PHONE, DESK)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
HEIGHT = 900

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
)
"""Chromium does nothing but what it is told."""

CONTRASTS = """all => {
  const channel = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const shown = node => { const colour = getComputedStyle(node).backgroundColor;
    return colour === "rgba(0, 0, 0, 0)" ? shown(node.parentElement) : colour; };
  const luminance = rgb => { const [r, g, b] = rgb.match(/[\\d.]+/g).map(Number).map(channel);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  return all.map(each => {
    const a = luminance(getComputedStyle(each).color), b = luminance(shown(each));
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  });
}"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Debian's Chromium; the test that asked for it is skipped where there is none."""
    program = shutil.which("chromium")
    if not program:
        pytest.skip("no chromium on this machine: get it with `apt-get install chromium`")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(QUIET))
        yield started
        started.close()


@contextmanager
def opened(
    browser: Browser, address: str = "", *, width: int = DESK, scheme: Scheme = "light", scripts: bool = True
) -> Iterator[Page]:
    """Open *address* in a window of its own, *width* px wide; without one, the window is empty and the test leads it somewhere.

    Raises:
        AssertionError: At the end: the console was written to, a script failed, a dialog came up, or something was asked for that
            is not a file which the test itself opened.
    """
    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT},
        color_scheme=scheme,
        reduced_motion="reduce",
        java_script_enabled=scripts,
    )
    try:
        tab = context.new_page()
        wrong = watched(tab)
        if address:
            tab.goto(address)
        yield tab
    finally:
        context.close()
    assert not wrong, "\n".join(wrong)


def watched(tab: Page) -> list[str]:
    """Return where all that goes wrong in *tab* will be noted."""
    wrong: list[str] = []

    def ask(dialog: Dialog) -> None:
        wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def request(one: Request) -> None:
        if not (one.is_navigation_request() and one.frame == tab.main_frame and one.url.startswith("file:")):
            wrong.append(f"request: {one.url}")

    tab.on("console", lambda message: wrong.append(f"console: {message.text}"))
    tab.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    tab.on("dialog", ask)
    tab.on("request", request)
    return wrong


def contrasts(tab: Page, selector: str) -> list[float]:
    """Return the contrast of text and ground, as WCAG computes it, of every element that *selector* finds."""
    found: list[float] = tab.locator(selector).evaluate_all(CONTRASTS)
    return found


def grave(tab: Page) -> list[tuple[str, str, list[str]]]:
    """Return what axe-core finds serious or critical: the rule, its text and the first elements that break it.

    Raises:
        AssertionError: It has looked at next to nothing.
    """
    found = Axe().run(tab, options={"resultTypes": ["violations"]}).response
    assert len(found["passes"]) > 20, "axe-core found next to nothing to look at"
    return [
        (rule["id"], rule["help"], [node["html"][:160] for node in rule["nodes"][:3]])
        for rule in found["violations"]
        if rule["impact"] in {"serious", "critical"}
    ]


def overflow(tab: Page) -> int:
    """Return how far the page is wider than its window, px."""
    found: int = tab.evaluate("document.documentElement.scrollWidth - innerWidth")
    return found
