"""What the docs name is there: links, modules, sessions, words on the command line, the example of a case."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import args, comparing, matrix, validatewords
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGES = (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md")))
MATRIX = matrix.load(ROOT / "matrix.toml")

PARSERS: dict[str, Callable[[list[str]], object]] = {
    "bench": args.parse,
    "count": args.parse,
    "report": comparing.parse,
    "validate": validatewords.parse,
}
"""What reads the words after ``--``, by session."""


def fences(path: Path, language: str = "") -> list[str]:
    """Return the code blocks of a page that are in *language*."""
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def anchors(path: Path) -> set[str]:
    """Return the fragments that lead to headings of a page, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    """To a file of the checkout, and to a heading of it where one is named."""
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, fragment = link.partition("#")
        if name.startswith("https:"):
            continue
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not fragment or fragment in anchors(target), link


def test_the_design_names_every_module() -> None:
    """Each once, with its reason; and none that is gone."""
    rows = re.findall(r"^\| ((?:`[\w/]+`(?:, )?)+) \|", (ROOT / "docs" / "design.md").read_text(encoding="utf-8"), re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([\w/]+)`", row)]
    modules = {path.stem for path in (ROOT / "ctkmatrix").glob("*.py")} - {"__init__"}
    packages = {f"{path.parent.name}/" for path in (ROOT / "ctkmatrix").glob("*/__init__.py")}
    assert sorted(named) == sorted(modules | packages)


def sessions() -> set[str]:
    """Return the names of nox's sessions."""
    text = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    plain = re.findall(r"^@nox\.session\((.*?)\)\ndef (\w+)", text, re.MULTILINE)
    named = {next(iter(re.findall(r'name="([\w-]+)"', options)), function) for options, function in plain}
    return named | {f"bench-cu{cell.major}" for cell in MATRIX.cells} | {f"bench-{cell.id}" for cell in MATRIX.cells}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_session_is_there(page: Path) -> None:
    """`nox -s NAME`, wherever it is written."""
    assert set(re.findall(r"nox -s ([a-z][\w.-]*)", page.read_text(encoding="utf-8"))) <= sessions()


def commands() -> list[str]:
    """Return the commands in the code blocks of the pages, each without its comment."""
    lines = [line for page in PAGES for block in fences(page) for line in block.splitlines()]
    return [line for line in lines if line.startswith("uvx nox -s ")]


@pytest.mark.parametrize("command", commands())
def test_every_command_can_be_read(command: str) -> None:
    """Its words are known, its globs match, its group is there."""
    _, _, _, session, *rest = shlex.split(command, comments=True)
    read = PARSERS.get("bench" if session.startswith("bench") else session)
    said = read(rest[1:]) if read else None
    if isinstance(said, args.Arguments) and said.resume is None:
        assert args.select(args.among(MATRIX, said), said)


def test_the_example_of_a_case_is_one() -> None:
    """The README shows the case set's own lines."""
    (python,), (native,) = fences(ROOT / "README.md", "python"), fences(ROOT / "README.md", "cpp")
    assert python.strip() in (ROOT / "cases" / "stream.py").read_text(encoding="utf-8")
    source = (ROOT / "native" / "stream.cpp").read_text(encoding="utf-8")
    driver, body = native.split("\n\n", 1)
    assert driver.partition("  //")[0] in source
    assert body.strip() in source
