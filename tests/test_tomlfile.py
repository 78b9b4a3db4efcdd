"""Values of TOML files by path and kind."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ctkmatrix.errors import Exit, MatrixError
from ctkmatrix.tomlfile import TomlFile

TEXT = """
word = "text"
number = 2
yes = true
zero = 0
huge = inf
items = [
    1,
    "two",
]
table = { key = 1, other = 2 }
"""


@pytest.fixture
def file(tmp_path: Path) -> TomlFile:
    """Give a file with one value of each kind."""
    path = tmp_path / "some.toml"
    path.write_text(TEXT, encoding="utf-8")
    return TomlFile(path)


def test_values_of_the_right_kind_are_returned(file: TomlFile) -> None:
    """Each kind is read as it stands; a whole number is a number, too."""
    assert (file.text(("word",)), file.count(("number",), 9), file.positive(("number",), 9)) == ("text", 2, 2.0)
    assert file.array(("items",)) == [("items", 0), ("items", 1)]
    assert file.table(("table",), ("key", "other"), required=("key",)) == ["key", "other"]
    assert file.has("table", "key")
    assert not file.has("table", "none")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda file: file.text(("number",)), 'some.toml:3: «number» must be text in quotes, not 2; write "2"'),
        (lambda file: file.text(("yes",)), "some.toml:4: «yes» must be text in quotes, not True"),
        (lambda file: file.text(("items", 0)), 'some.toml:8: «items[0]» must be text in quotes, not 1; write "1"'),
        (lambda file: file.count(("word",), 9), "some.toml:2: «word» must be a whole number, not 'text'"),
        (lambda file: file.count(("yes",), 9), "some.toml:4: «yes» must be a whole number, not True"),
        (lambda file: file.count(("zero",), 9), "some.toml:5: «zero» must be from 1 to 9"),
        (lambda file: file.positive(("word",), 9), "some.toml:2: «word» must be a number, not 'text'"),
        (lambda file: file.positive(("zero",), 9), "some.toml:5: «zero» must be from 1e-06 to 9"),
        (lambda file: file.positive(("huge",), 9), "some.toml:6: «huge» must be from 1e-06 to 9"),
        (lambda file: file.array(("word",)), "some.toml:2: «word» must be an array [...], not 'text'"),
        (lambda file: file.table(("word",)), "some.toml:2: «word» must be a table { key = value }, not 'text'"),
        (
            lambda file: file.table(("table",), ("keys", "other")),
            "some.toml:11: unknown key «key»; perhaps you meant «keys»; known: keys, other",
        ),
        (lambda file: file.table(("table",), required=("third",)), "some.toml:11: «third» is missing in «table»"),
        (lambda file: file.table((), required=("third",)), "some.toml:1: «third» is missing"),
    ],
)
def test_a_wrong_value_is_told_with_its_line(file: TomlFile, ask: Callable[[TomlFile], object], message: str) -> None:
    """The message says where, what is wrong, and what is right."""
    with pytest.raises(MatrixError) as caught:
        ask(file)
    assert str(caught.value) == message
    assert caught.value.exit is Exit.USAGE


@pytest.mark.parametrize(
    ("content", "beginning"),
    [
        (b"a = 1\nb = [1,\n", "some.toml:2: no valid TOML: "),
        (b'a = 1\nb = "x\n', "some.toml:2: no valid TOML at column 7: Illegal character"),
        (b"a = 1\na = 2\nb = 3\n", "some.toml:2: no valid TOML at column 6: Cannot overwrite a value"),
        (b"a = 1\nb = '\xff'\n", "some.toml:2: this is no UTF-8 text"),
    ],
)
def test_what_is_no_toml_is_told_with_its_line(tmp_path: Path, content: bytes, beginning: str) -> None:
    """A slip in the syntax or the encoding is found where it is."""
    path = tmp_path / "some.toml"
    path.write_bytes(content)
    with pytest.raises(MatrixError) as caught:
        TomlFile(path)
    assert str(caught.value).startswith(beginning)


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    """It is told like any other mistake in the file."""
    with pytest.raises(MatrixError, match=r"none\.toml:1: the file cannot be read: No such file"):
        TomlFile(tmp_path / "none.toml")
