"""A page -> one HTML file that needs no network and no script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ctkmatrix.report import view
from ctkmatrix.store import replace

if TYPE_CHECKING:
    from ctkmatrix.model import Results
    from ctkmatrix.page import Page

TEMPLATES = Path(__file__).parent.parent / "templates"


def render(page: Page) -> str:
    """Return *page* as HTML. Every string of it is escaped: nothing that was measured can become markup."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2").render(page=page)


def write(results: Results, directory: Path) -> Path:
    """Write ``index.html`` of *results* into *directory* and return its path; a reader sees the old page or the new one.

    Raises MachineError where the file cannot be written.
    """
    target = directory / "index.html"
    replace(target, render(view(results)).encode())
    return target
