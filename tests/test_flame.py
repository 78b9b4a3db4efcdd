"""Flame graphs: widths, labels, what is left out, what changed, and an SVG that is well-formed whatever the names are."""

import re
from xml.etree import ElementTree as ET

import pytest

from ctkmatrix import flame
from ctkmatrix.callgraph import Stacks

STACKS: Stacks = {
    ("_ (cases/a.py)",): 100,
    ("_ (cases/a.py)", "f (libc.so.6)"): 290,
    ("_ (cases/a.py)", "g (CPython)"): 609.8,
    ("_ (cases/a.py)", "tiny"): 0.2,
}
SUBJECT = flame.Subject("a.b, core", ("cell", "1,000 instructions a turn"), "instructions", ("A note.",))
WHOLE = flame.WIDTH - 2 * flame.MARGIN
SVG = "{http://www.w3.org/2000/svg}"


def test_widths_are_what_functions_cost_with_what_they_called() -> None:
    """Callees stand on their caller, side by side, and never reach beyond it."""
    graph = flame.flame(SUBJECT, STACKS)
    root, *callees = sorted(graph.boxes, key=lambda box: (box.row, box.x))
    assert (root.width, root.row, graph.depth) == (WHOLE, 0, 2)
    assert [box.width for box in callees] == pytest.approx([0.29 * WHOLE, 0.6098 * WHOLE], abs=0.01)
    assert callees[1].x == pytest.approx(callees[0].x + callees[0].width, abs=0.01)
    assert callees[0].story == "f (libc.so.6): 290 instructions, 29.0%; itself 290"


def test_what_is_too_small_is_left_out_and_said() -> None:
    """By its sum; where that is next to nothing there is nothing to say."""
    many: Stacks = {("root",): 910, **{("root", f"f{index}"): 0.9 for index in range(100)}}
    graph = flame.flame(SUBJECT, many)
    assert len(graph.boxes) == 1
    assert graph.notes[0] == "Frames under 0.1% are not drawn: 90 instructions altogether, 9.0%."
    assert flame.flame(SUBJECT, STACKS).notes == ("A note.",)


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        ("Stream.close (cuda/core/_stream.py)", "python"),
        ("_find_and_load (<frozen importlib._bootstrap>)", "python"),
        ("PyObject_GetAttr (CPython)", "interpreter"),
        ("cuda.core._stream+0x1bc70", "core"),
        ("f() (cuda.bindings._internal.driver)", "bindings"),
        ("cuEventRecord (libcuda.so.1)", "driver"),
        ("malloc (libc.so.6)", "other"),
    ],
)
def test_what_a_frame_belongs_to(frame: str, kind: str) -> None:
    """By its place alone, never by its name."""
    assert flame.kind(frame) == kind


def test_labels_fit() -> None:
    """All of the frame, its name alone, its beginning, or nothing, as there is room; never wider than the frame."""
    frame = "PyObject_GetAttr (CPython)"
    labels = [flame.label(frame, width) for width in (400, 130, 60, 20)]
    assert labels == [frame, "PyObject_GetAttr", "PyObjec…", ""]
    assert all(len(flame.label(frame, width)) * flame.LETTER <= max(0, width - 6) for width in range(200))


def test_a_difference_is_of_own_costs() -> None:
    """Red is more, blue is less, by stack; what only the first cell has is said, as it cannot be drawn."""
    before = {("r",): 100.0, ("r", "same"): 50.0, ("r", "less"): 90.0, ("r", "gone"): 7.0}
    after = {("r",): 100.0, ("r", "same"): 50.1, ("r", "less"): 30.0, ("r", "more"): 100.0}
    graph = flame.difference(SUBJECT, before, after)
    styles = {box.story.partition(":")[0]: box.style for box in graph.boxes}
    assert styles == {"r": "same", "same": "same", "less": "less3", "more": "more3"}
    assert any("7 instructions of the first cell" in note for note in graph.notes)
    assert [(row.amounts[0], row.function) for row in graph.rows[:3]] == [
        ("+100", "more"),
        ("\N{MINUS SIGN}60", "less"),
        ("\N{MINUS SIGN}7", "gone"),
    ]
    assert next(box.story for box in graph.boxes if box.story.startswith("r:")).endswith("change +33, itself 0")


def test_functions_are_summed_over_their_callers() -> None:
    """A function whose callers changed and that costs what it did has not changed."""
    before: Stacks = {("a", "f"): 3, ("b", "f"): 4}
    after: Stacks = {("c", "f"): 7, ("c",): 1}
    assert flame.changed(before, after) == [("c", 1, 0, 1)]


def test_nothing_to_draw_is_no_error() -> None:
    """An empty profile, and two that do not differ."""
    assert flame.flame(SUBJECT, {}).boxes == ()
    assert {box.style for box in flame.difference(SUBJECT, STACKS, STACKS).boxes} == {"same"}
    ET.fromstring(flame.svg(flame.flame(SUBJECT, {})))


def test_the_svg_is_well_formed_and_tells_all_without_a_script() -> None:
    """Names are escaped; every frame has its story; title and description hold the whole list; nothing is fetched."""
    nasty = 'operator<<(std::vector<int> const&) "</title><script>" (libx.so)'
    text = flame.svg(flame.flame(SUBJECT, {**STACKS, ("_ (cases/a.py)", nasty): 500.0}))
    root = ET.fromstring(text)
    assert root.findtext(f"{SVG}title") == "a.b, core"
    assert nasty in (root.findtext(f"{SVG}desc") or "")
    stories = [each.findtext(f"{SVG}title") or "" for each in root.iter(f"{SVG}g") if each.get("class") == "frame"]
    assert sum(story.startswith(nasty) for story in stories) == 1
    assert not list(root.iter(f"{SVG}script"))
    assert re.findall(r"https?://[^\" ]*", text) == ["http://www.w3.org/2000/svg"]
    assert "prefers-color-scheme: dark" in text


def test_every_style_has_a_colour_in_both_schemes() -> None:
    """A frame without one would be black."""
    text = (flame.TEMPLATES / "flame.svg.j2").read_text(encoding="utf-8")
    for style in (*flame.KINDS, *(f"{way}{strength}" for way in ("more", "less") for _, strength in flame.STEPS), "same"):
        assert text.count(f"--{style}: ") == 2, style
        assert f'"{style}"' in text


def test_the_list_for_a_terminal_is_a_table() -> None:
    """Numbers right-aligned under their heads, the function last."""
    lines = flame.text_table(("own", "of all"), [flame.Row(("1,234", "61.7%"), "f"), flame.Row(("5", "0.3%"), "g")])
    assert lines == ["  own  of all  function", "1,234   61.7%  f", "    5    0.3%  g"]
