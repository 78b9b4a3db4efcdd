"""What is kept of profiles, and how two are held against each other."""

from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec

from ctkmatrix import profiles
from ctkmatrix.profiles import INSTRUCTIONS, SAMPLES, Difference, Made, Profile

ONE = Profile(
    case="event.record",
    case_version="abc",
    variant="core",
    cell="cu13.0-py3.12-b13.0.3-c1.2.2",
    unit=INSTRUCTIONS,
    turns=1000,
    outside=0,
    stacks={"_ (cases/event.py)": 100, "_ (cases/event.py);cuda.core._event+0x10": 50, "_ (cases/event.py);libx+0x10": 5},
    libraries={"cuda.core._event": "1111", "libx": "5555"},
    provenance={"lock": "def"},
)
OTHER = msgspec.structs.replace(
    ONE,
    cell="cu13.0-py3.12-b13.0.4-c1.2.2",
    stacks={"_ (cases/event.py)": 100, "_ (cases/event.py);cuda.core._event+0x20": 70, "_ (cases/event.py);libx+0x10": 5},
    libraries={"cuda.core._event": "2222", "libx": "5555"},
)


def test_what_was_made_is_found_by_what_the_files_say(tmp_path: Path) -> None:
    """Cell, variant and unit are data; a graph that was deleted is not listed; paths are relative to the reports."""
    samples = msgspec.structs.replace(ONE, unit=SAMPLES, turns=0)
    paths = [profiles.write(tmp_path, each)[1] for each in (ONE, OTHER, samples, Difference(before=ONE, after=OTHER))]
    directory = "profiles/event.record/core"
    assert profiles.made(tmp_path, "event.record") == [
        Made("core", ONE.cell, "", INSTRUCTIONS, f"{directory}/{ONE.cell}.svg"),
        Made("core", ONE.cell, "", SAMPLES, f"{directory}/{ONE.cell}-samples.svg"),
        Made("core", OTHER.cell, "", INSTRUCTIONS, f"{directory}/{OTHER.cell}.svg"),
        Made("core", OTHER.cell, ONE.cell, INSTRUCTIONS, f"{directory}/{ONE.cell}-against-{OTHER.cell}.svg"),
    ]
    for path in paths:
        ET.parse(path)
    paths[1].unlink()
    assert len(profiles.made(tmp_path, "event.record")) == 3
    assert profiles.made(tmp_path, "event.query") == []


def test_a_difference_compares_libraries_where_addresses_cannot_be() -> None:
    """Unnamed functions of a file that differs are one; those of a file that does not keep their address."""
    graph = profiles.compared(ONE, OTHER)
    assert [(row.amounts, row.function) for row in graph.rows] == [(("+20", "50", "70"), "unnamed (cuda.core._event)")]
    assert any(box.story.startswith("libx+0x10:") for box in graph.boxes)
    assert graph.subject.lines == (
        f"{OTHER.cell} (drawn) against {ONE.cell}",
        "155 instructions a turn before, 175 after: +20; null driver",
    )
    assert profiles.NOT_COMPARABLE in graph.notes
    assert profiles.NO_SYMBOLS in graph.notes


def test_the_graph_says_what_its_reader_has_to_know() -> None:
    """How it was counted; whether Python functions have names; what was outside; nothing that is beside the point."""
    graph = profiles.graph(ONE)
    assert graph.subject.title == "event.record, core"
    assert graph.subject.lines == (ONE.cell, "155 instructions a turn; 1,000 against 2,000 turns; null driver")
    assert graph.notes == (profiles.BYTECODES, profiles.NAMED_PYTHON, profiles.NO_SYMBOLS)
    old = msgspec.structs.replace(ONE, stacks={"f (CPython)": 10.0}, outside=5)
    assert profiles.graph(old).notes == (
        "5 instructions a turn outside the case's function are left out.",
        profiles.UNNAMED_PYTHON,
    )
    native = msgspec.structs.replace(ONE, variant="native", stacks={"f (library.so)": 10.0})
    assert profiles.graph(native).notes == ()
