"""A page -> one HTML file that needs no network; the flame graphs that it links to lie beside it."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ctkmatrix import export, profiles, published
from ctkmatrix.pagedata import block
from ctkmatrix.report import view
from ctkmatrix.store import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ctkmatrix.model import Results
    from ctkmatrix.page import Page
    from ctkmatrix.profiles import Made

ROOT = Path(__file__).parent.parent
TEMPLATES, PUBLISHED = ROOT / "templates", ROOT / "cases" / "published.toml"


SCRIPTS = (
    *("numbers.js", "values.js", "offers.js", "matrix.js", "fields.js", "copy.js"),
    *("vendor/plot.js", "charts.js", "cases.js"),
)
"""Those of the page of a run, below ``TEMPLATES``, in the order in which they run."""


def render(page: Page) -> str:
    """Return *page* as HTML."""
    return html("page.html.j2", SCRIPTS, page.data, page=page)


def html(template: str, scripts: Iterable[str], data: dict[str, Any], **context: object) -> str:
    """Fill a *template*. Every string of it is escaped: nothing that was measured can become markup.

    scripts
        Names of files below ``TEMPLATES``. The template gets their texts as ``scripts``, to be inlined as they are, and as
        ``policy`` a content security policy that allows these, by their hashes, and no other.
    data
        What the scripts read, JSON-like. The template gets its text as ``data``, with no sign that could be markup.
    """
    texts = [(TEMPLATES / name).read_text(encoding="utf-8") for name in scripts]
    allowed = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in texts)
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}"
    ours = {"scripts": list(map(Markup, texts)), "data": Markup(block(data)), "policy": policy}  # noqa: S704 -- and escaped
    return environment.get_template(template).render(context | ours)


def write(results: Results, directory: Path, reports: Path | None = None, logs: Mapping[str, str] | None = None) -> Path:
    """Write ``index.html`` of *results* into *directory* and return its path; a reader sees the old page or the new one.

    The same facts lie beside it as ``summary.md`` and ``matrix.csv``, and so do the flame graphs that were made of its cases,
    below *reports*: links to them hold wherever the directory is taken. *logs* are as in ``view``. Raises MachineError where
    a file cannot be written.
    """
    page = view(results, _copied(results, reports, directory) if reports else [], logs, published.figures(PUBLISHED))
    replace(directory / "summary.md", export.markdown(page).encode())
    replace(directory / "matrix.csv", export.table(results).encode())
    target = directory / "index.html"
    replace(target, render(page).encode())
    return target


def _copied(results: Results, reports: Path, directory: Path) -> list[tuple[str, Made]]:
    """Copy the flame graphs of the cases of *results* into *directory*; return them, each with its case's id."""
    graphs = [(case.id, made) for case in results.cases for made in profiles.made(reports, case.id)]
    for _, made in graphs:
        replace(directory / made.path, (reports / made.path).read_bytes())
    return graphs
