"""The matrix in a real browser: what its toolbar shows is what the results say, by pointer, by keyboard and by link."""

from __future__ import annotations

import csv
import io
import math
import random
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ctkmatrix import counts, quantities, stats
from ctkmatrix.model import Estimate, Field, Flag, Margin, Metric, Outcome, Status
from ctkmatrix.render import write
from tests.browsing import SCHEMES, WIDTHS, contrasts, opened, overflow
from tests.results_factory import HOSTILE, LONELY, NO_PYTHON, alter, counted, estimate, results

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

    from ctkmatrix.model import Case, CellResult, Count, Results
    from tests.browsing import Scheme

THIN, MINUS, DASH = "\N{NARROW NO-BREAK SPACE}", "\N{MINUS SIGN}", "\N{EN DASH}"
CELL = "cu13.0-py3.12-b13.0.3-c1.2.2"
MEASURED = Outcome(Status.MEASURED)

SHOWN = """() => [...document.querySelectorAll(".face")].filter(face => face.checkVisibility()).flatMap(face =>
  [...face.querySelectorAll("tbody tr:not(.area)")].map(row => [row.id, [...row.querySelectorAll("td")].map(field => [
    field.firstChild.data,
    field.querySelector("small")?.textContent ?? "",
    ["more", "fewer", "refused", "mark", "time"].find(each => field.classList.contains(each)) ?? "",
  ])]))"""
"""By row of the matrix that is shown: each field's text, its small line, and what sets it apart."""


@pytest.fixture(scope="module")
def both() -> Results:
    """Return the results of a run of times and counts."""
    return results(metric=Metric.BOTH)


@pytest.fixture(scope="module")
def page(both: Results, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write the page of a run of both; return its address."""
    return write(both, tmp_path_factory.mktemp("both")).as_uri()


def choose(tab: Page, **controls: str) -> None:
    """Set controls of the toolbar by the values of their options."""
    for name, value in controls.items():
        control = tab.locator(f'.toolbar [name="{name}"]')
        if name == "case":
            control.fill(value)
        else:
            control.select_option(value)


def rows_shown(tab: Page) -> list[str]:
    """Return the anchors of the rows that are shown, in their order."""
    found: list[str] = tab.evaluate("() => Matrix.lines().map(line => line.id)")
    return found


def heads_shown(tab: Page) -> list[str]:
    """Return the cells of the columns that are shown."""
    script = "() => Matrix.face().heads.flatMap((head, at) => head.checkVisibility() ? [Values.data.cells[at].id] : [])"
    found: list[str] = tab.evaluate(script)
    return found


def field(tab: Page, row: str, cell: str = CELL) -> Locator:
    """Return one field."""
    column = tab.evaluate("cell => Values.data.cells.findIndex(each => each.id === cell)", cell)
    return tab.locator(f'tr[id="{row}"] td').nth(column)


def number(text: str) -> float:
    """Read a number as it is shown: in ns where no other unit stands with it."""
    text = text.replace(MINUS, "-")
    for unit, scale in (("%", 0.01), ("ms", 1e6), ("µs", 1e3), ("M", 1e6), ("s", 1e9)):
        if text.endswith(THIN + unit):
            return float(text.removesuffix(THIN + unit).replace(THIN, "")) * scale
    return float(text.replace(THIN, ""))


def told(estimate_: Estimate | None, scale: float = 1e9) -> float | None:
    """Return the number that an estimate should be shown as."""
    return None if estimate_ is None else estimate_.value * scale


def expected(these: Results, value: str, case: Case, variant: str, cell: CellResult) -> float | None:
    """Return what a field should show of a *value*; ``None`` for a word or a dash."""
    found = {(each.cell, each.case, each.variant): each for each in these.fields}
    one = found[cell.cell.id, case.id, variant]
    twin = found.get((cell.cell.id, case.id, "native"))
    if value == "instructions":
        return one.count.minimum if one.count else None
    if one.time is None:
        return None
    return {
        "overhead": told(one.overhead or one.time),
        "ratio": told(one.ratio, 1.0),
        "python": told(one.time),
        "native": told(twin.time) if twin else None,
    }[value]


@pytest.mark.parametrize("value", ["overhead", "ratio", "python", "native", "instructions"])
def test_every_value_is_that_of_the_results(tab: Page, page: str, both: Results, value: str) -> None:
    """Every field, to three digits; what has none is a word or a dash."""
    lookup = {f"{each.cell} {each.case} {each.variant}": each for each in both.fields}
    assert len(lookup) == len(both.fields)
    tab.goto(f"{page}#?value={value}")
    prefix = "instructions/" if value == "instructions" else ""
    rows = {f"{prefix}{case.id}/{each.name}": (case, each.name) for case in both.cases for each in case.variants}
    compared = 0
    for anchor, fields in tab.evaluate(SHOWN):
        if anchor not in rows:  # the case that is called by markup has another id
            continue
        for (text, _, kind), cell in zip(fields, both.cells, strict=True):
            wanted = expected(both, value, *rows[anchor], cell)
            if wanted is None:
                assert kind in {"mark", "refused"}, (anchor, cell.cell.id, text)
                continue
            digits = 4 if value == "instructions" else 3
            step = 10.0 ** (math.floor(math.log10(abs(wanted))) - digits + 1) if wanted else 0.01
            assert abs(number(text) - wanted) <= 0.501 * max(step, 0.01), (anchor, cell.cell.id, text, wanted)
            compared += 1
    assert compared > 500


def test_numbers_read_as_on_the_rest_of_the_page(tab: Page, page: str) -> None:
    """The script's words for them are those of ``quantities``."""
    values = (0.0, 0.001, 0.0049, 0.99, 2.5, -5.0, 9.994, 9.996, 58.44, 584.3, 999.6, 6853.0, 99_999.0, 123_456.0, 5.2e6, 3.1e9)
    raw: list[tuple[float, float | None, float | None]] = [(value, None, None) for value in values]
    raw += [(value, value - half, value + 1.1 * half) for value in values for half in (0.001, 0.31, 12.1, 4_321.0)]
    tab.goto(page)
    words_of = "[...Numbers.brief(e), Numbers.spelled(e), Numbers.percent(e[0] / 7), Numbers.instructions(e[0])]"
    for (value, low, high), words in zip(raw, tab.evaluate(f"all => all.map(e => {words_of})", raw), strict=True):
        one = Estimate(value / 1e9, None if low is None else low / 1e9, None if high is None else high / 1e9, ())
        brief, spelled = quantities.brief(one), quantities.spelled(one)
        assert words == [*brief, spelled, quantities.percent(value / 7), quantities.instructions(value)]


def edges() -> Results:
    """Return counts of which two rows lie just within the margin, just beyond it, and beyond it with overlapping processes."""
    these = counted()
    cells = [result.cell.id for result in these.cells if result.cell.python == "3.12"]
    narrow = ((1000.0, 1001.0), (1010.0, 1011.0), (1010.5, 1011.0), (990.0, 990.0), (989.5, 1000.0), (989.5, 999.0), (2000.0,))
    wide = ((1000.0, 1030.0), (1030.0, 1031.0), (1030.5, 1031.0))
    found = {(field.cell, field.case, field.variant): field for field in these.fields}
    for variant, points in (("bindings", narrow), ("core", wide)):
        for cell, own in zip(cells, points, strict=False):
            one = found[cell, "event.create_destroy", variant]
            these = alter(these, replace(one, count=counts.summary(own, turns=1000, settled=True)))
    return these


def agrees(shown: list[str], then: tuple[CellResult, Count | None], now: tuple[CellResult, Count | None]) -> bool:
    """Whether what a field shows is what ``counts`` says of its change."""
    text, _, kind = shown
    (reference, before), (candidate, after) = then, now
    if after is None:
        return kind == "mark"
    if reference is candidate:
        return (text, kind) == (f"0.0{THIN}%", "")
    if counts.refusal(reference, candidate) or before is None:
        return (text, kind) == (DASH, "refused")
    change = counts.Change(before, after, counts.MARGIN)
    wanted = ("more" if change.relative > 0 else "fewer") if change.matters else ""
    step = 0.0005 if abs(number(text)) < 0.1 else 0.005
    return kind == wanted and abs(number(text) - change.relative) <= step + 1e-6


def test_changes_of_counts_are_those_of_the_rule(tab: Page, tmp_path: Path) -> None:
    """Every field against several cells is what ``counts.Change`` and ``counts.refusal`` say, at the margin too."""
    these = edges()
    found = {(each.cell, each.case, each.variant): each.count for each in these.fields}
    rows = {f"instructions/{case.id}/{each.name}": (case.id, each.name) for case in these.cases for each in case.variants}
    address = write(these, tmp_path).as_uri()
    compared = 0
    for reference in (these.cells[1], these.cells[5], these.cells[9], these.cells[-1]):
        tab.goto("about:blank")
        tab.goto(f"{address}#?value=change-instructions&against=cell:{reference.cell.id}")
        for anchor, fields in tab.evaluate(SHOWN):
            if anchor not in rows:
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
    """A sign, one decimal below ten per cent, a true minus, no sign for nothing; without a reference, the counts are back."""
    tab.goto(write(edges(), tmp_path).as_uri())
    row = "instructions/event.create_destroy/bindings"
    before = tab.evaluate(SHOWN)
    choose(tab, value="change-instructions", against="cell:cu12.9-py3.12-b12.9.4-c1.2.2")
    shown = dict(tab.evaluate(SHOWN))[row]
    assert [(shown[place][0], shown[place][2]) for place in (1, 5, 9, 13, 17, 21, 25)] == [
        (f"0.0{THIN}%", ""),
        (f"+1.0{THIN}%", ""),
        (f"+1.1{THIN}%", "more"),
        (f"{MINUS}1.0{THIN}%", ""),
        (f"{MINUS}1.1{THIN}%", ""),
        (f"{MINUS}1.1{THIN}%", "fewer"),
        (f"+100{THIN}%", "more"),
    ]
    assert "reference" in (tab.locator(".matrix thead tr:last-child th").nth(1).get_attribute("class") or "")
    field(tab, row, "cu12.9-py3.11-b12.9.4-c1.2.2").hover()
    assert "not compared with cu12.9-py3.12-b12.9.4-c1.2.2: another interpreter" in tab.locator("#story").inner_text()
    choose(tab, value="instructions")
    assert tab.evaluate(SHOWN) == before


def test_a_case_s_own_margin_decides(tab: Page, tmp_path: Path) -> None:
    """As ``matrix.toml`` gives it: twenty-fold, nothing matters but what has doubled."""
    these = replace(edges(), margins=(("*", Margin(0.03, 1e-8)), ("event.*", Margin(0.03, 1e-8, instructions=0.2))))
    tab.goto(f"{write(these, tmp_path).as_uri()}#?value=change-instructions&against=cell:cu12.9-py3.12-b12.9.4-c1.2.2")
    shown = dict(tab.evaluate(SHOWN))["instructions/event.create_destroy/bindings"]
    assert [shown[place][2] for place in (9, 21, 25)] == ["", "", "more"]


CHANGES = (
    ((1000, 990, 1010), (1050, 1040, 1060), f"+5.0{THIN}%", "+50 ±14", "more"),
    ((1000, 990, 1010), (940, 930, 950), f"{MINUS}6.0{THIN}%", f"{MINUS}60 ±14", "fewer"),
    ((1000, 990, 1045), (1050, 1040, 1060), f"+5.0{THIN}%", "+50 ±46", ""),
    ((1000, 999, 1001), (1029, 1028, 1030), f"+2.9{THIN}%", "+29 ±1.4", ""),
    ((100, 99.9, 100.1), (109, 108.9, 109.1), f"+9.0{THIN}%", "+9 ±0.14", ""),
    ((100, 99.9, 100.1), (112, 111.9, 112.1), f"+12{THIN}%", "+12 ±0.14", "more"),
    ((1000, None, None), (2000, 1990, 2010), f"+100{THIN}%", f"+1{THIN}000 ±?", ""),
)
"""Times in ns, before and after, and how their change is told."""


def in_seconds(value: float, low: float | None, high: float | None) -> Estimate:
    """Return an estimate of so many ns."""
    return Estimate(value / 1e9, None if low is None else low / 1e9, None if high is None else high / 1e9, (value / 1e9,) * 12)


def test_a_change_of_time_matters_beyond_margin_and_intervals(tab: Page, tmp_path: Path) -> None:
    """In per cent and ns; the larger of 3 % and 10 ns is the margin, and intervals that overlap, or are none, tell nothing."""
    these, candidate = results(), "cu13.1-py3.12-b13.1.1-c1.2.2"
    rows = [(case.id, "bindings") for case in these.cases if case.id.partition(".")[0] in {"stream", "event", "memory", "launch"}]
    rows += [("enum.construct", "bindings")]
    for row, (before, after, *_) in zip(rows, CHANGES, strict=True):
        for cell, own in ((CELL, before), (candidate, after)):
            these = alter(these, Field(cell, *row, MEASURED, in_seconds(*own)))
    tab.goto(f"{write(these, tmp_path).as_uri()}#?value=change&against=cell:{CELL}")
    shown, place = dict(tab.evaluate(SHOWN)), [each.cell.id for each in these.cells].index(candidate)
    assert [shown[f"{case}/{variant}"][place] for case, variant in rows] == [list(wanted) for _, _, *wanted in CHANGES]
    legend = tab.locator('.legend[data-value="change"]').inner_text()
    assert "no verdict" in legend
    assert "as if they were independent" in legend
    assert tab.locator("#matrix h2").inner_text() == f"Change of own time, against {CELL}"
    last = CHANGES[-1]
    field(tab, "enum.construct/bindings", candidate).hover()
    assert f"{last[2]} (+1{THIN}000 ns; no interval: a side has fewer than two" in tab.locator("#story").inner_text()
    field(tab, "/".join(rows[0]), candidate).hover()
    assert f"(+50 ns; 95{THIN}%: +3.6{THIN}% … +6.4{THIN}%) against" in tab.locator("#story").inner_text()


def test_a_change_of_time_has_no_narrower_interval_than_its_samples_give(tab: Page, tmp_path: Path) -> None:
    """It is made of both fields' intervals: nearly Yuen's, of the samples themselves, and rather wider than narrower."""
    these, candidate, chance = results(), "cu13.1-py3.12-b13.1.1-c1.2.2", random.Random(5)
    made = {}
    for case in ("stream.create_destroy", "event.create_destroy", "event.record", "launch.empty"):
        made[case] = [[chance.gauss(mean, sigma) for _ in range(12)] for mean, sigma in ((1e-6, 3e-8), (1.1e-6, 8e-8))]
        for cell, points in zip((CELL, candidate), made[case], strict=True):
            these = alter(these, Field(cell, case, "bindings", MEASURED, stats.estimate(points)))
    tab.goto(f"{write(these, tmp_path).as_uri()}#?value=change&against=cell:{CELL}")
    place = [each.cell.id for each in these.cells].index(candidate)
    for case, (before, after) in made.items():
        script = "([id, at]) => Matrix.rangeOf(Matrix.rowOf(document.getElementById(id)), at)"
        _, low, high = tab.evaluate(script, [f"{case}/bindings", place])
        least, most = (bound / stats.trimmed_mean(before).value for bound in stats.difference(before, after).interval(0.95))
        assert low < least + 1e-4
        assert high > most - 1e-4
        assert high - low < 1.2 * (most - least)


REFERENCES = {
    "python:3.11": "cu13.0-py3.11-b13.0.3-c1.2.2",
    "python:previous": "cu13.0-py3.11-b13.0.3-c1.2.2",
    "bindings:previous": "cu12.9-py3.12-b12.9.10-c1.2.2",
    "bindings:12.9.4": "cu12.9-py3.12-b12.9.4-c1.2.2",
    "toolkit:12.9": "cu12.9-py3.12-b12.9.10-c1.2.2",
    "toolkit:13.5": "cu13.5-py3.12-b13.5.0-c1.2.2",
    "python:3.12": CELL,
    "cell:cu13.5-py3.14-b13.5.0-c1.2.2": "cu13.5-py3.14-b13.5.0-c1.2.2",
}
"""What ``CELL`` is set against."""


def test_a_reference_lies_along_any_axis(tab: Page, page: str) -> None:
    """The cell that equals a column but for that; another toolkit brings its own bindings, the newest."""
    tab.goto(f"{page}#?value=change")
    for against, reference in REFERENCES.items():
        choose(tab, against=against)
        tab.mouse.move(2, 2)
        field(tab, "event.record/bindings").hover()
        assert ("the reference" if reference == CELL else f" in {reference}: ") in tab.locator("#story").inner_text()


def test_a_column_without_such_a_cell_says_so(tab: Page, page: str) -> None:
    """There is no Python before the first."""
    tab.goto(f"{page}#?value=change&against=python:previous")
    field(tab, "event.record/bindings", "cu13.0-py3.11-b13.0.3-c1.2.2").hover()
    assert "none is the same but for that" in tab.locator("#story").inner_text()


def story_of(these: Results, case: str, variant: str, cell: str, standing: str) -> list[str]:
    """Return the lines that tell a field that has an overhead, by ``quantities``."""
    found = {(each.cell, each.case, each.variant): each for each in these.fields}
    one, native = found[cell, case, variant], found[cell, case, "native"]
    assert one.time
    assert one.overhead
    assert one.ratio
    assert native.time
    return [
        f"{case} / {variant}",
        cell,
        f"overhead: {quantities.spelled(one.overhead)}",
        standing,
        f"ratio: {quantities.times(one.ratio)} native",
        f"{variant}: {quantities.spelled(one.time)}",
        f"native: {quantities.spelled(native.time)}",
        "12 processes",
        *one.flags,
        *(f"native: {flag}" for flag in native.flags),
    ]


def stated() -> Results:
    """Return results with one field whose numbers are known, and flags on it and on its twin."""
    total, above = estimate(764e-9, 10e-9), estimate(584e-9, 10e-9)
    one = Field(CELL, "event.record", "bindings", MEASURED, total, above, estimate(4.24, 0.05), (Flag.BIMODAL,))
    return alter(
        alter(results(), one), Field(CELL, "event.record", "native", MEASURED, estimate(180e-9, 2e-9), flags=(Flag.NOISY,))
    )


def test_the_story_of_a_field_is_a_hover_a_tap_or_a_key_away(tab: Page, tmp_path: Path) -> None:
    """Bounds, ratio, both times, processes and what weakens them, within the window; Escape closes it, Enter opens it."""
    these = stated()
    tab.goto(write(these, tmp_path).as_uri())
    wanted = story_of(these, "event.record", "bindings", CELL, "within the target")
    story, one = tab.locator("#story"), field(tab, "event.record/bindings")
    assert not story.is_visible()
    one.hover()
    assert story.inner_text().splitlines() == wanted
    box = story.bounding_box()
    assert box
    assert 0 <= box["y"] <= box["y"] + box["height"] <= 900
    tab.mouse.move(2, 2)
    assert not story.is_visible()
    one.click()
    tab.mouse.move(2, 2)
    assert story.is_visible()
    assert one.get_attribute("aria-describedby") == "story"
    tab.keyboard.press("Escape")
    assert not story.is_visible()
    tab.keyboard.press("Enter")
    assert story.inner_text().splitlines() == wanted


def test_on_a_phone_the_story_covers_no_row(tab: Page, tmp_path: Path) -> None:
    """It stands below the matrix, and both are in the window with the field; on a desk it stands at the field again."""
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(write(stated(), tmp_path).as_uri())
    one, story = field(tab, "event.record/bindings"), tab.locator("#story")
    one.click()
    frame, told, own = (each.bounding_box() for each in (tab.locator(".frame"), story, one))
    assert frame
    assert told
    assert own
    assert "overhead: 584 ns" in story.inner_text()
    assert told["y"] >= frame["y"] + frame["height"]
    assert told["y"] + told["height"] <= 844
    assert frame["y"] < own["y"] < own["y"] + own["height"] <= frame["y"] + frame["height"]
    tab.set_viewport_size({"width": 1440, "height": 900})
    one.hover()
    assert story.evaluate("each => [each.parentNode.tagName, getComputedStyle(each).position]") == ["BODY", "fixed"]


def test_a_count_tells_its_story(tab: Page, tmp_path: Path) -> None:
    """The most, the modes, the twin's, and how it was counted."""
    these = counted()
    for variant, points in (("bindings", (10732.4, 10840.0, 10732.5, 10840.1, 10840.0)), ("native", (62.0, 62.0))):
        count = counts.summary(points, turns=1000, settled=variant == "native")
        these = alter(these, Field(CELL, "event.record", variant, MEASURED, count=count))
    tab.goto(write(these, tmp_path).as_uri())
    field(tab, "instructions/event.record/bindings").hover()
    assert tab.locator("#story").inner_text().replace(THIN, " ").splitlines() == [
        "event.record / bindings",
        CELL,
        "10 732 instructions a turn, the least of 5 processes",
        "the most: 10 840, spread 1 %",
        "two modes: 10 732 (2 processes), 10 840 (3 processes)",
        "native: 62; against it +10 670, 173 ×",  # noqa: RUF001 -- the sign that is shown
        "counted over blocks of 1 000 and 2 000 turns",
        "Not settled: blocks of turns still differed when it was counted.",
    ]


REASONS = (
    ("launch.empty/core", "cu13.5-py3.12-b13.5.0-c1.2.2", f"failed: TypeError: launch() got {HOSTILE}"),
    ("launch.empty/core", "cu13.0-py3.14-b13.0.3-c1.2.2", f"not run: {NO_PYTHON}"),
    ("event.record/bindings-runtime", CELL, "needs a GPU: a genuine driver is checked for"),
    (f"{LONELY[0]}/core", LONELY[1], "no overhead: native, failed: CUDA_ERROR_OUT_OF_MEMORY"),
    ("enum.construct/bindings", CELL, "no overhead: no native twin. An enumeration costs nothing at run time in C++."),
    ("instructions/event.record/bindings-runtime", CELL, "needs a GPU: a genuine driver is checked for"),
    ("instructions/launch.empty/core", "cu13.0-py3.14-b13.0.3-c1.2.2", f"not run: {NO_PYTHON}"),
)


def test_what_is_missing_says_why(tab: Page, page: str) -> None:
    """Reason and word, the reason not said twice; what looks like markup is text."""
    tab.goto(page)
    for row, cell, last in REASONS:
        choose(tab, value="instructions" if row.startswith("instructions/") else "overhead")
        tab.mouse.move(2, 2)
        field(tab, row, cell).hover()
        assert last in tab.locator("#story").inner_text().splitlines()


def test_a_negative_overhead_reads_minus_five(tab: Page, tmp_path: Path) -> None:
    """With a true minus, in the field and in its story; CSV has a number that others can read."""
    these = alter(results(), Field(CELL, "event.record", "bindings", MEASURED, estimate(175e-9, 1e-9), estimate(-5e-9, 1e-9)))
    tab.goto(write(these, tmp_path).as_uri())
    one = field(tab, "event.record/bindings")
    assert one.inner_text().split() == [f"{MINUS}5", "±1.2"]
    one.hover()
    assert f"overhead: {MINUS}5 ns" in tab.locator("#story").inner_text()
    assert "-5" in copied(tab, "csv", case="event.record", variant="bindings")[1]


@pytest.mark.parametrize(
    ("controls", "rows"),
    [
        ({"area": "launch"}, ["launch.empty", "launch.empty", "launch.args_16", "launch.args_16"]),
        ({"case": "event.*", "variant": "core"}, ["event.create_destroy", "event.record"]),
        ({"case": "DESTROY", "variant": "bindings"}, ["stream.create_destroy", "event.create_destroy"]),
        ({"case": "launch.?mpty", "variant": "core"}, ["launch.empty"]),
        ({"case": "[", "variant": "core"}, []),
        ({"variant": "python"}, ["loop.empty"]),
    ],
)
def test_filters_keep_the_rows_that_match(tab: Page, page: str, controls: dict[str, str], rows: list[str]) -> None:
    """By area, by glob or part of a name, by variant; heads of empty areas go; the status says how many are left."""
    tab.goto(page)
    every = len(rows_shown(tab))
    choose(tab, **controls)
    assert [row.rpartition("/")[0] for row in rows_shown(tab)] == rows
    assert f"{len(rows)} of {every} rows, 32 of 32 columns." in tab.locator(".shown").inner_text()
    assert tab.locator(".face:visible .area:visible").count() == len({row.partition(".")[0] for row in rows})


def test_filters_keep_the_columns_that_match(tab: Page, page: str) -> None:
    """By toolkit and Python; the heads above them are as wide as what is left."""
    tab.goto(page)
    choose(tab, toolkit="12.9", python="3.13")
    assert heads_shown(tab) == ["cu12.9-py3.13-b12.9.4-c1.2.2", "cu12.9-py3.13-b12.9.10-c1.2.2"]
    spans = '.face:visible thead tr:nth-child({}) th[scope="colgroup"]:visible'
    assert tab.locator(spans.format(1)).evaluate_all("heads => heads.map(head => head.colSpan)") == [2]
    assert tab.locator(spans.format(2)).evaluate_all("heads => heads.map(head => head.colSpan)") == [1, 1]
    assert tab.locator('tr[id="event.record/core"] td:visible').count() == 2
    tab.locator(".toolbar [type=reset]").click()
    assert len(heads_shown(tab)) == 32


def test_a_flag_keeps_what_carries_it(tab: Page, tmp_path: Path) -> None:
    """A cell's flag its columns, a field's its row and its column."""
    tab.goto(write(stated(), tmp_path).as_uri())
    choose(tab, flag="Two modes")
    assert (rows_shown(tab), heads_shown(tab)) == (["event.record/bindings"], [CELL])
    choose(tab, flag="The interpreter is not built with PGO and LTO")
    assert {cell.partition("-py")[2][:4] for cell in heads_shown(tab)} == {"3.12"}


def offered(tab: Page, name: str) -> list[str]:
    """Return what a filter offers, all apart; nothing where it is hidden."""
    control = tab.locator(f'.toolbar [name="{name}"]')
    return control.locator("option").all_inner_texts()[1:] if control.is_visible() else []


def test_filters_offer_what_divides_the_matrix(tab: Page, tmp_path: Path) -> None:
    """Natives where they have rows; flags that some numbers carry and others do not; no choice that leaves all or nothing."""
    these = results(metric=Metric.BOTH)
    tab.goto(write(these, tmp_path).as_uri())
    assert offered(tab, "variant") == ["python", "bindings", "core", "bindings-runtime"]
    assert set(offered(tab, "flag")) == {Flag.NO_NVCC.value.removesuffix("."), Flag.INTERPRETER_BUILD.value.partition(",")[0]}
    choose(tab, value="instructions")
    assert "native" in offered(tab, "variant")
    choose(tab, variant="native")
    choose(tab, value="overhead")
    assert tab.locator(".toolbar [name=variant]").input_value() == ""
    assert len(rows_shown(tab)) > 20
    one = replace(
        these, cells=these.cells[:1], fields=tuple(each for each in these.fields if each.cell == these.cells[0].cell.id)
    )
    tab.goto(write(one, tmp_path).as_uri())
    assert [offered(tab, name) for name in ("toolkit", "python", "flag")] == [[], [], []]
    assert len(offered(tab, "area")) > 5


def test_rows_are_sorted_by_what_is_shown(tab: Page, page: str, both: Results) -> None:
    """By the greatest anywhere, or in one column, what has no number last; then as declared again."""
    tab.goto(page)
    declared = rows_shown(tab)
    found = {(each.cell, each.case, each.variant): each for each in both.fields}
    choose(tab, sort=CELL, value="python")

    def own(row: str) -> float:
        case, _, variant = row.rpartition("/")
        one = found.get((CELL, case, variant))
        return one.time.value if one and one.time else -math.inf

    shown = [row for row in rows_shown(tab) if not row.startswith("odd.")]
    assert shown == sorted(shown, key=own, reverse=True)
    assert tab.locator(".face:visible .area:visible").count() == 0
    choose(tab, sort="greatest", value="overhead")
    worst = max((each for each in both.fields if each.overhead), key=lambda each: each.overhead.value if each.overhead else 0)
    assert rows_shown(tab)[0] == f"{worst.case}/{worst.variant}"
    tab.get_by_label(f"Sort by {CELL}").first.click()
    head = tab.locator(".face:visible thead th[aria-sort=descending]")
    assert (head.count(), tab.locator(".toolbar [name=sort]").input_value()) == (1, CELL)
    choose(tab, sort="")
    assert rows_shown(tab) == declared


def test_a_link_brings_back_the_state(tab: Page, page: str) -> None:
    """What differs from the usual is in the fragment; a link to it shows the same, and so does going back."""
    tab.goto(page)
    choose(tab, value="ratio", area="event", python="3.12", sort="greatest")
    address = tab.url
    assert address.partition("#")[2] == "?value=ratio&area=event&python=3.12&sort=greatest"
    shown, rows = tab.evaluate(SHOWN), rows_shown(tab)
    tab.goto("about:blank")
    tab.goto(address)
    assert (tab.evaluate(SHOWN), rows_shown(tab)) == (shown, rows)
    tab.evaluate("location.hash = '#?variant=core'")
    tab.wait_for_function("Matrix.state.value === 'overhead'")
    assert all(row.endswith("/core") for row in rows_shown(tab))
    tab.locator(".toolbar [type=reset]").click()
    assert "#" not in tab.url


def test_what_a_link_has_wrong_is_ignored_and_said(tab: Page, page: str) -> None:
    """The rest of it counts; what was made up is text."""
    tab.goto(f"{page}#?value=bogus&area=event&shoe=<b>9</b>")
    assert tab.locator(".toolbar [name=value]").input_value() == "overhead"
    assert {row.partition(".")[0] for row in rows_shown(tab)} == {"event"}
    said = tab.locator(".shown").inner_text()
    assert "ignored: value=bogus." in said
    assert "ignored: shoe=<b>9</b>." in said


def test_a_link_to_a_row_shows_it(tab: Page, page: str) -> None:
    """Though a filter hid it, or the other matrix was shown."""
    tab.goto(f"{page}#?area=event&value=ratio")
    tab.evaluate("location.hash = '#launch.empty/core'")
    row = tab.locator('tr[id="launch.empty/core"]')
    row.wait_for(state="visible")
    choose(tab, value="instructions")
    assert not row.is_visible()
    tab.locator("#summary tbody a").first.click()
    tab.wait_for_function("Matrix.state.value === 'overhead'")
    tab.goto("about:blank")
    tab.goto(f"{page}#instructions/launch.empty/core")
    assert tab.locator('tr[id="instructions/launch.empty/core"]').is_visible()


def at(tab: Page) -> tuple[str, int]:
    """Return where the keyboard is: the row's anchor, and the place in it."""
    row, place = tab.evaluate("() => [document.activeElement.parentNode.id, document.activeElement.cellIndex]")
    return row, place


def test_the_keyboard_goes_everywhere(tab: Page, page: str) -> None:
    """The matrix is one stop; arrows, Home and End move among what is shown; links of a head are reached with Enter."""
    tab.goto(f"{page}#?area=event&toolkit=13.0")
    tab.locator(".face:visible .skip").focus()
    tab.keyboard.press("Tab")
    assert at(tab) == ("event.create_destroy/bindings", 9)
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowRight")
    assert at(tab) == ("event.create_destroy/core", 10)
    tab.keyboard.press("Home")
    assert at(tab) == ("event.create_destroy/core", 0)
    assert "Create and destroy an event." in tab.locator("#story").inner_text()
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.getAttribute('href')") == "#case-event.create_destroy"
    tab.keyboard.press("Escape")
    tab.keyboard.press("End")
    assert at(tab) == ("event.create_destroy/core", 12)
    tab.keyboard.press("Control+End")
    assert at(tab) == ("event.record/bindings-runtime", 12)
    tab.keyboard.press("Control+Home")
    tab.keyboard.press("Enter")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("document.activeElement.getAttribute('aria-label')") == "Sort by cu13.0-py3.11-b13.0.3-c1.2.2"
    tab.keyboard.press("Enter")
    assert tab.locator(".toolbar [name=sort]").input_value() == "cu13.0-py3.11-b13.0.3-c1.2.2"
    tab.keyboard.press("Escape")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.closest('.matrix')") is None
    assert tab.locator(".face:visible .matrix [tabindex='0']").count() == 1


def copied(tab: Page, button: str, **controls: str) -> list[str]:
    """Return the lines that a button copies, where the browser has no clipboard to give."""
    tab.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})")
    choose(tab, **controls)
    tab.locator(f'.toolbar [name="{button}"]').click()
    text = tab.locator(".copied textarea").input_value()
    tab.locator(".copied button").click()
    return text.splitlines()


def test_what_is_shown_can_be_copied(tab: Page, page: str, both: Results) -> None:
    """As a link, as Markdown as it reads, as CSV with numbers: rows and columns as they are shown."""
    tab.goto(page)
    chosen = {"case": "event.record", "toolkit": "13.0", "value": "overhead", "sort": "greatest"}
    assert copied(tab, "link", **chosen) == [tab.url]
    table = copied(tab, "markdown")
    assert table[0].startswith("Overhead over native, ns a turn")
    assert table[2].split(" | ")[2:4] == ["cu13.0-py3.11-b13.0.3-c1.2.2", CELL]
    assert table[4].startswith("| event.record | core | ".replace("_", "\\_"))
    assert "±" in table[4]
    read = list(csv.DictReader(io.StringIO("\n".join(copied(tab, "csv")))))
    found = {(each.cell, each.case, each.variant): each.overhead for each in both.fields}
    assert [(row["case"], row["variant"]) for row in read][:2] == [("event.record", "core"), ("event.record", "bindings")]
    for row in read[:2]:
        overhead = found[CELL, row["case"], row["variant"]]
        assert overhead
        for name, value in ((CELL, overhead.value), (f"{CELL} low", overhead.low), (f"{CELL} high", overhead.high)):
            assert float(row[name]) == pytest.approx((value or 0) * 1e9, rel=1e-4)
    away = "cu13.0-py3.14-b13.0.3-c1.2.2"
    assert [read[0][name] for name in (away, f"{away} low", f"{away} high")] == ["not run", "", ""]


def test_every_value_is_copied_with_its_bounds(tab: Page, page: str, both: Results) -> None:
    """A count's are the least and the most of its processes; a change's, those of the change."""
    tab.goto(page)
    one = next(each for each in both.fields if (each.cell, each.case, each.variant) == (CELL, "event.record", "core"))
    assert one.count
    assert one.ratio
    wanted = {
        "ratio": (one.ratio.value, one.ratio.low, one.ratio.high),
        "instructions": (one.count.minimum, one.count.minimum, one.count.maximum),
    }
    for value, bounds in wanted.items():
        lines = copied(tab, "csv", value=value, case="event.record", variant="core")
        (row,) = csv.DictReader(io.StringIO("\n".join(lines)))
        assert [float(row[name]) for name in (CELL, f"{CELL} low", f"{CELL} high")] == pytest.approx(bounds, rel=1e-4)
    lines = copied(tab, "csv", value="change", against="cell:cu13.0-py3.11-b13.0.3-c1.2.2")
    (row,) = csv.DictReader(io.StringIO("\n".join(lines)))
    assert float(row[f"{CELL} low"]) < float(row[CELL]) < float(row[f"{CELL} high"])


def test_numbers_are_grouped_alike_in_markdown(tab: Page, page: str) -> None:
    """By the thin space of the page, which keeps a number in one line."""
    tab.goto(page)
    table = copied(tab, "markdown", case="launch.args_16", variant="core")
    assert re.search(rf"\| \d{THIN}\d{{3}} ±", table[4])


def test_markup_in_names_is_copied_as_text(tab: Page, page: str) -> None:
    """Markdown escapes it, CSV quotes it."""
    tab.goto(page)
    rows = copied(tab, "markdown", case="odd.", toolkit="13.0", python="3.12")
    assert rows[4].startswith("| odd.\\<script\\>alert")
    read = list(csv.DictReader(io.StringIO("\n".join(copied(tab, "csv")))))
    assert read[0]["case"] == "odd." + HOSTILE.replace(" ", "")


def test_the_clipboard_is_used_where_there_is_one(tab: Page, page: str) -> None:
    """Then there is no dialog, and the status says what was done."""
    tab.goto(page)
    script = "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async text => { window.got = text; }}})"
    tab.evaluate(script)
    tab.locator('.toolbar [name="csv"]').click()
    tab.wait_for_function("window.got")
    assert tab.locator(".shown").inner_text() == "Copied CSV."
    assert not tab.locator(".copied").is_visible()


def test_every_control_has_a_name(tab: Page, page: str) -> None:
    """As a screen reader finds it."""
    tab.goto(f"{page}#?value=change")
    named = "all => all.map(each => each.labels[0]?.firstChild.data.trim())"
    assert tab.locator(".toolbar :is(select, input)").evaluate_all(named) == [
        *("Show", "Change against", "Area", "Case", "Variant", "Toolkit", "Python", "Flag", "Sort rows")
    ]


def test_without_a_script_the_matrices_stand(browser: Browser, page: str) -> None:
    """No control that does nothing; numbers and intervals are there, and the switch between the matrices works."""
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(page)
    one = tab.locator('tr[id="event.record/core"] td').first
    assert "±" in one.inner_text()
    field_ = tab.locator('tr[id="instructions/event.record/core"] td').first
    assert not field_.is_visible()
    tab.check("#show-instructions")
    assert field_.is_visible()
    assert not tab.locator(".toolbar").is_visible()
    assert not tab.locator(".pointing").first.is_visible()
    context.close()


def test_a_single_cell_has_nothing_to_be_compared_with(tab: Page, tmp_path: Path) -> None:
    """A change is not offered; of two cells it is."""
    these = counted()
    for many in (1, 2):
        cells = {each.cell.id for each in these.cells[:many]}
        own = tuple(each for each in these.fields if each.cell in cells)
        tab.goto(write(replace(these, cells=these.cells[:many], fields=own), tmp_path).as_uri())
        offered = tab.locator(".toolbar [name=value] option").evaluate_all("all => all.map(each => each.value)")
        assert offered == ["instructions", *["change-instructions"][: many - 1]]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_changes_fit_and_can_be_read(browser: Browser, page: str, width: int, scheme: Scheme) -> None:
    """With a reference chosen nothing overflows, and what matters keeps WCAG's contrast of 4.5."""
    address = f"{page}#?value=change-instructions&against=cell:{CELL}"
    with opened(browser, address, width=width, scheme=scheme) as tab:
        wider = overflow(tab)
        ratios = contrasts(tab, ".chip, .matrix .more, .matrix .fewer, .matrix .refused")
    assert wider == 0
    assert len(ratios) > 100
    assert min(ratios) >= 4.5


def test_paper_shows_what_the_screen_does(tab: Page, page: str) -> None:
    """The rows and columns that are chosen, and in words which; no toolbar."""
    tab.goto(f"{page}#?area=event&toolkit=13.0")
    tab.emulate_media(media="print")
    assert not tab.locator(".toolbar").is_visible()
    assert tab.locator(".shown").is_visible()
    assert tab.locator(".face:visible tbody tr:not(.area):visible").count() == 5
    assert tab.locator('tr[id="event.record/core"] td:visible').count() == 4


@pytest.mark.parametrize("metric", [Metric.TIME, Metric.BOTH])
def test_a_large_page_is_small_and_quick(tab: Page, tmp_path: Path, metric: Metric) -> None:
    """32 cells of 100 cases in three variants, 20 processes each: made within 5 s, below 3 MB, switched within a second."""
    these = results(rows=192, metric=metric)
    spread_out = [
        replace(each, overhead=spread(each.overhead), time=spread(each.time)) if each.time else each for each in these.fields
    ]
    began = time.perf_counter()
    made = write(replace(these, fields=tuple(spread_out)), tmp_path)
    assert time.perf_counter() - began < 5
    assert made.stat().st_size < 3_000_000
    tab.goto(made.as_uri())
    timed: Any = tab.evaluate("""() => { const began = performance.now(), value = Matrix.toolbar.elements.value;
        value.value = "ratio"; value.dispatchEvent(new Event("input", {bubbles: true})); return performance.now() - began; }""")
    assert timed < 1000


def spread(one: Estimate | None) -> Estimate | None:
    """Give each process of an estimate another value, as a measured one has."""
    if one is None:
        return None
    return replace(one, points=tuple(one.value * (1 + 0.0123456 * place) for place in range(20)))
