"""A page -> one HTML file that needs no network; the flame graphs that it links to lie beside it."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ctkmatrix import profiles
from ctkmatrix.report import view
from ctkmatrix.store import replace

if TYPE_CHECKING:
    from ctkmatrix.model import Results
    from ctkmatrix.page import Page
    from ctkmatrix.profiles import Made

TEMPLATES = Path(__file__).parent.parent / "templates"


def render(page: Page) -> str:
    """Return *page* as HTML. Every string of it is escaped: nothing that was measured can become markup.

    Only a page with counts has a script; its policy allows this one, by its hash, and no other.
    """
    script = (TEMPLATES / "changes.js").read_text(encoding="utf-8") if page.counted else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2").render(page=page, script=script, digest=digest)


def write(results: Results, directory: Path, reports: Path | None = None) -> Path:
    """Write ``index.html`` of *results* into *directory* and return its path; a reader sees the old page or the new one.

    The flame graphs that were made of its cases, below *reports*, are copied beside it, so that links to them hold wherever the
    directory is taken. Raises MachineError where a file cannot be written.
    """
    graphs = _copied(results, reports, directory) if reports else []
    target = directory / "index.html"
    replace(target, render(view(results, graphs)).encode())
    return target


def _copied(results: Results, reports: Path, directory: Path) -> list[tuple[str, Made]]:
    """Copy the flame graphs of the cases of *results* into *directory*; return them, each with its case's id."""
    graphs = [(case.id, made) for case in results.cases for made in profiles.made(reports, case.id)]
    for _, made in graphs:
        replace(directory / made.path, (reports / made.path).read_bytes())
    return graphs
