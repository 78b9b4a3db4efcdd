"""Lines of TOML keys and items."""

import tomllib
from pathlib import Path

import pytest

from ctkmatrix.tomllines import lines

TEXT = '''# a comment with [brackets] and "quotes"
plain = 1

array = [  # opens here
    "one", "two",
    # between
    ["nested # no comment"],
    { key = "]", other = [
        1,
    ] },
]
"quoted key" = 'lit = "eral"'
text = """
not = "a key"
\\"""" # after
raw = \'\'\'
also = 'none'\'\'\'
dotted.key = 2.5

[table]
"12.9" = ["a"]
inline = { a = 1, b = { c = 1979-05-27 07:32:00 } }

[table."sub.table"]
x = true

[[many]]
y = 1

[many.below]
z = 2

[[many]]
y = 3
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("plain",), 2),
        (("array",), 4),
        (("array", 0), 5),
        (("array", 1), 5),
        (("array", 2), 7),
        (("array", 2, 0), 7),
        (("array", 3), 8),
        (("array", 3, "key"), 8),
        (("array", 3, "other", 0), 9),
        (("quoted key",), 12),
        (("text",), 13),
        (("raw",), 16),
        (("dotted",), 18),
        (("dotted", "key"), 18),
        (("table",), 20),
        (("table", "12.9"), 21),
        (("table", "12.9", 0), 21),
        (("table", "inline", "b", "c"), 22),
        (("table", "sub.table"), 24),
        (("table", "sub.table", "x"), 25),
        (("many", 0, "y"), 28),
        (("many", 0, "below", "z"), 31),
        (("many", 1), 33),
        (("many", 1, "y"), 34),
    ],
)
def test_each_thing_has_its_line(path: tuple[str | int, ...], line: int) -> None:
    """Whatever way TOML writes it, a key or an item is found where it begins."""
    assert lines(TEXT)[path] == line


def paths(value: object, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    """Return the path of everything below a parsed value."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = {path}
    for key, inner in below:
        found |= paths(inner, (*path, key))
    return found


@pytest.mark.parametrize("text", [TEXT, Path("matrix.toml").read_text(encoding="utf-8")])
def test_everything_that_tomllib_finds_has_a_line_and_nothing_else_has(text: str) -> None:
    """The index agrees with tomllib about what there is."""
    assert set(lines(text)) == paths(tomllib.loads(text)) - {()}


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "[[last]]", "[last]", "a = 1", "a = []"])
def test_a_text_may_end_anywhere(text: str) -> None:
    """No newline is needed at the end."""
    assert set(lines(text)) == paths(tomllib.loads(text)) - {()}
