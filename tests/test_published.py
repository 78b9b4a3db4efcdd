"""The figures that others have published: all of them are there, and they are what their sources say."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import pytest

from ctkmatrix import published
from ctkmatrix.errors import UsageError
from ctkmatrix.probe import registry
from ctkmatrix.published import Figure
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIGURES = published.figures(ROOT / "cases" / "published.toml")
SHARED = ROOT.parent / "shared"
"""Where the sources lie: they are no part of the checkout."""

SEED = {
    "#439": 23,
    "#449": 3,
    "#459": 2,
    "#460": 2,
    "#512": 2,
    "#546": 4,
    "#642": 1,
    "#658": 25,
    "#659": 16,
    "#739": 2,
    "#756": 4,
    "#781": 2,
    "#838": 2,
    "#876": 3,
    "#1274": 2,
    "#1292": 2,
    "#1390": 3,
    "#1581": 1,
}
"""How many figures each issue of the seeds has.

A figure is a number with a unit of time, an ``x`` or a ``%``; a bare number of seconds that timeit printed; and, of a line
profile, what a hit took and its share. A spread (after ``±`` or ``+-``) is none, nor is a number that the issue says again of the
same operation. A number of the closing list of themes is a figure of the first issue named there, if none of those has it.
"""

PUBLISHED = 74
"""How many ``published.md`` has: its numbers, but for issues, versions, dates, hardware, and counts of arguments or runs."""

SAID_AGAIN = {("#658", 15.0, "%"), ("#658", 43.0, "%"), ("#659", 37.0, "x"), ("#1292", 2.0, "x")}
"""Rounder forms of numbers that the same issue has."""

NUMBER = re.compile(r"(?<![\w.])(?<!± )(?<!\+- )(\d+(?:\.\d+)?) ?(ns|[μµu]s|ms|s|x|%)(?!\w)")
TIMEIT = re.compile(r"^\d\.\d{10,}$")
PROFILED = re.compile(r"^ +\d+ +\d+ +[\d.]+ +([\d.]+) +([\d.]+)  ")
"""A line of line_profiler: line, hits, time, time per hit, share."""

NO_FIGURES = re.compile(
    r"#\d+|\b\d+\.\d+\.\w+|\b(?:CUresult|Device)\(0\)|RTX 4090|H200|May 2026|driver \d+\.\d+|Python [\d.]+|rank \d"
    r"|\b\d+\s(?:processes|arguments|pointers|doubles|ints)\b|^How the TMA issue [^\n]*(?:\n[^\n]+)*",
    re.MULTILINE,
)


def numbers(line: str) -> Iterator[tuple[float, str]]:
    """Yield the figures of a line of a seed."""
    for number, unit in NUMBER.findall(line):
        yield float(number), re.sub("[μu]s", "µs", unit)
    if TIMEIT.match(line):
        yield float(line), "µs"
    if profiled := PROFILED.match(line):
        yield from ((float(profiled[1]), "µs"), (float(profiled[2]), "%"))


def in_seeds() -> set[tuple[str, float, str]]:
    """Return (issue, number, unit) as the seeds have them."""
    found: set[tuple[str, float, str]] = set()
    for path in sorted((SHARED / "seeds").glob("*.txt")):
        issue = "#659"  # one seed is that issue; the other begins with a table that names one in each line
        for line in path.read_text(encoding="utf-8").splitlines():
            headed = re.match(r"(?:Issue |PR )?(#\d+)[:\t]", line)
            issue = headed[1] if headed else issue
            issues = re.findall(r"#\d+", line) if re.match(r"\d\. ", line) else [issue]
            for number in numbers(line):
                if not any((each, *number) in found for each in issues):
                    found.add((issues[0], *number))
    return found - SAID_AGAIN


def test_how_many_figures_each_source_has() -> None:
    """As many as were counted there; and where the seeds are at hand, they are those found there by regular expressions."""
    ours = [(figure.issue, figure.value, figure.unit) for figure in FIGURES if figure.source == "seed"]
    assert Counter(issue for issue, _, _ in ours) == SEED
    assert len(FIGURES) - len(ours) == PUBLISHED
    if (SHARED / "seeds").is_dir():
        assert set(ours) == in_seeds()
    else:
        print(f"not counted again, as the seeds are not at hand: {SHARED / 'seeds'}")


def test_published_md_number_by_number() -> None:
    """Each as often as there, where the file is at hand."""
    ours = Counter(figure.value for figure in FIGURES if figure.source == "published.md")
    assert ours.total() == PUBLISHED
    path = SHARED / "facts" / "published.md"
    if path.is_file():
        text = NO_FIGURES.sub("", path.read_text(encoding="utf-8")).replace("\N{MINUS SIGN}", "-")
        assert Counter(map(float, re.findall(r"-?\d+(?:\.\d+)?", text))) == ours
    else:
        print(f"not counted again, as it is not at hand: {path}")


def test_no_figure_is_there_twice() -> None:
    """Each differs from every other in more than its number."""
    assert len({msgspec.structs.replace(figure, value=0.0) for figure in FIGURES}) == len(FIGURES)


def test_figures_name_cases_and_variants_of_ours() -> None:
    """A case that is named is there; its variant is one that a case may have, or a prototype."""
    cases = registry.load(ROOT / "cases")
    for figure in FIGURES:
        assert not figure.case or figure.case in cases, figure
        assert not figure.variant or figure.variant in {*registry.VARIANTS, "prototype"}, figure
        assert not figure.case or figure.variant, f"{figure} is about a case and no variant"


FIGURE = '[[figure]]\nvalue = 5.9\nunit = "µs"\noperation = "three descriptors"\nissue = "#659"\n'


def read(tmp_path: Path, text: str) -> tuple[Figure, ...]:
    """Return what is read from a file of that text."""
    path = tmp_path / "published.toml"
    path.write_text(text, encoding="utf-8")
    return published.figures(path)


def test_what_is_not_said_is_empty(tmp_path: Path) -> None:
    """A whole number is a number; steps in the same file are left alone."""
    (figure,) = read(tmp_path, FIGURE.replace("5.9", "6") + '[[step]]\npackage = "cuda-core"\n')
    assert (figure.value, figure.source, figure.hardware) == (6.0, "seed", "")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("figure = ", "cases/published.toml: Invalid value"),
        ("", "cases/published.toml: Object missing required field `figure`"),
        (FIGURE.replace("µs", "us"), r"cases/published.toml: Invalid enum value 'us' - at `\$.figure\[0\].unit`"),
        (FIGURE.replace("issue", "isue"), r"cases/published.toml: Object contains unknown field `isue` - at `\$.figure\[0\]`"),
        (FIGURE.replace("5.9", '"5.9"'), r"cases/published.toml: Expected `float`, got `str` - at `\$.figure\[0\].value`"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    """By file, figure and key."""
    with pytest.raises(UsageError, match=told):
        read(tmp_path, text)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    """By its name."""
    with pytest.raises(UsageError, match=r"cases/nothing.toml: .*No such file"):
        published.figures(tmp_path / "nothing.toml")


def test_figures_of_a_case() -> None:
    """In order; the empty case has those that no case measures."""
    one, two, three = (Figure(value=n, unit="ns", operation="f", case=case) for n, case in ((1, "a.b"), (2, ""), (3, "a.b")))
    assert published.for_case((one, two, three), "a.b") == (one, three)
    assert published.for_case((one, two, three), "") == (two,)


@pytest.mark.parametrize(("unit", "seconds"), [("ns", 2e-9), ("µs", 2e-6), ("ms", 2e-3), ("s", 2.0), ("x", None), ("%", None)])
def test_seconds(unit: str, seconds: float | None) -> None:
    """Times alone have any."""
    figure = Figure(value=2, unit=unit, operation="f")  # type: ignore[arg-type]
    assert published.seconds(figure) == (None if seconds is None else pytest.approx(seconds))
