"""The words after ``--``."""

import pytest

from ctkmatrix import args
from ctkmatrix.args import Arguments
from ctkmatrix.errors import Exit, UsageError
from ctkmatrix.model import Cell, Matrix

PLAIN = Cell("13.0", "3.14", "13.0.3", "1.2.2")
FREE = Cell("13.0", "3.14t", "13.0.3", "1.2.2")
OLD = Cell("12.9", "3.12", "12.9.4", None)
CELLS = (OLD, PLAIN, FREE)


def test_no_words_ask_for_everything() -> None:
    """The defaults: all cells and cases, the standard profile, the device that is there."""
    assert args.parse([]) == Arguments()


def test_every_word_is_read() -> None:
    """Repeatable words keep their order; both ways of writing a value do."""
    words = ["--case", "event.*", "--case=loop.*", "--cell", "cu13.0-*", "--python", "3.14t", "--python", "3.11"]
    more = ["--group", "history", "--profile", "thorough", "--device", "gpu:1", "--resume", "20261130-abc", "--seed", "7"]
    assert args.parse([*words, *more]) == Arguments(
        case=("event.*", "loop.*"),
        cell=("cu13.0-*",),
        group="history",
        python=("3.14t", "3.11"),
        profile="thorough",
        device="gpu:1",
        resume="20261130-abc",
        seed=7,
    )


def test_quick_is_short_for_its_profile() -> None:
    """Both say the same."""
    assert args.parse(["--quick"]) == args.parse(["--profile", "quick"])


def test_resume_alone_means_the_latest_run() -> None:
    """The run need not be named."""
    assert args.parse(["--resume", "--seed", "1"]).resume == args.LATEST


def test_profiles_are_those_of_the_matrix() -> None:
    """A profile that matrix.toml adds can be asked for."""
    assert args.parse(["--profile", "night"], ["quick", "standard", "night"]).profile == "night"


@pytest.mark.parametrize(
    "device",
    ["auto", "null", "gpu", "gpu:0", "gpu:GPU-5a1b2c3d", "gpu:MIG-5a1b2c3d-0000-1111-2222-333344445555"],
)
def test_devices(device: str) -> None:
    """By kind, by index, by UUID as nvidia-smi writes it."""
    assert args.parse(["--device", device]).device == device


@pytest.mark.parametrize(
    "arguments",
    [
        Arguments(),
        Arguments(case=("a.*", "b"), cell=("*",), python=("3.14t",), profile="quick", device="null", resume="latest", seed=0),
        Arguments(group="history"),
    ],
)
def test_words_and_arguments_are_inverse(arguments: Arguments) -> None:
    """What is written as words is read as the same."""
    assert args.parse(args.words(arguments)) == arguments


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cas", "x"], "unknown option --cas; perhaps you meant «--case»"),
        (["--cel=x"], "unknown option --cel; perhaps you meant «--cell»"),
        (["--zebra"], "unknown option --zebra; --help lists them"),
        (["event.*"], "unexpected word 'event.*'; perhaps you meant --case 'event.*'"),
        (["cu13.0-*"], "unexpected word 'cu13.0-*'; perhaps you meant --cell 'cu13.0-*'"),
        (["--profile", "quik"], "no profile 'quik'; perhaps you meant «quick»; there are quick, standard, thorough"),
        (["--device", "nul"], "'nul' is no device; perhaps you meant «null»"),
        (["--device", "gpu:x"], "'gpu:x' is no device"),
        (["--python", "py3.12"], "'py3.12' is no Python version: write 3.12"),
        (["--seed", "many"], "argument --seed: invalid int value: 'many'"),
        (["--case"], "argument --case: expected one argument"),
    ],
)
def test_a_wrong_word_is_a_usage_error(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is raised, with a suggestion, and nothing is printed."""
    with pytest.raises(UsageError) as caught:
        args.parse(words)
    assert message in str(caught.value)
    assert caught.value.exit is Exit.USAGE
    assert capsys.readouterr() == ("", "")


def test_help_prints_every_word(capsys: pytest.CaptureFixture[str]) -> None:
    """--help is the one word that prints and ends."""
    with pytest.raises(SystemExit) as caught:
        args.parse(["--help"])
    assert caught.value.code == 0
    said = capsys.readouterr().out
    assert all(f"--{name}" in said for name in (*Arguments.__dataclass_fields__, "quick"))


MATRIX = Matrix((PLAIN, FREE), (), (), 1e-6, groups=(("history", (OLD, PLAIN)), ("future", (FREE,))))


@pytest.mark.parametrize(
    ("group", "only", "cells"),
    [
        (None, (), (PLAIN, FREE)),
        (None, (FREE.id,), (FREE,)),
        ("history", (), (OLD, PLAIN)),
        ("history", (PLAIN.id, FREE.id), (PLAIN,)),
    ],
)
def test_a_group_stands_in_for_the_matrix(group: str | None, only: tuple[str, ...], cells: tuple[Cell, ...]) -> None:
    """Its cells are chosen from, and no others; a session's own cells narrow either."""
    assert args.among(MATRIX, Arguments(group=group), only) == cells


def test_words_narrow_within_a_group() -> None:
    """--python and --cell know the group's cells and no others."""
    asked = Arguments(group="history", python=("3.12",))
    assert args.select(args.among(MATRIX, asked), asked) == (OLD,)
    beyond = Arguments(group="history", cell=(FREE.id,))
    with pytest.raises(UsageError, match="matches no cell; the closest are"):
        args.select(args.among(MATRIX, beyond), beyond)


@pytest.mark.parametrize(
    ("group", "only", "message"),
    [
        ("histroy", (), "--group: there is no group 'histroy'; perhaps you meant «history»; there are history, future"),
        ("future", (PLAIN.id,), f"no cell is selected: group «future» has none of {PLAIN.id}; `nox -s bench` takes any"),
        (None, (OLD.id,), f"no cell is selected: matrix.toml has none of {OLD.id}"),
    ],
)
def test_a_group_that_gives_nothing_is_a_usage_error(group: str | None, only: tuple[str, ...], message: str) -> None:
    """One that there is not, or one without any cell of the session."""
    with pytest.raises(UsageError) as caught:
        args.among(MATRIX, Arguments(group=group), only)
    assert message in str(caught.value)


def test_a_matrix_without_groups_says_so() -> None:
    """There is nothing to suggest."""
    with pytest.raises(UsageError, match="there is no group 'history'; there are none"):
        args.among(Matrix((PLAIN,), (), (), 1e-6), Arguments(group="history"))


@pytest.mark.parametrize(
    ("arguments", "chosen"),
    [
        (Arguments(), CELLS),
        (Arguments(cell=("cu13.0-*",)), (PLAIN, FREE)),
        (Arguments(cell=("*-cnone", FREE.id)), (OLD, FREE)),
        (Arguments(python=("3.14",)), (PLAIN,)),
        (Arguments(python=("3.14t",)), (FREE,)),
        (Arguments(cell=("cu*",), python=("3.12", "3.14")), (OLD, PLAIN)),
    ],
)
def test_cells_are_selected_by_id_and_python(arguments: Arguments, chosen: tuple[Cell, ...]) -> None:
    """Several globs add up, both words narrow, the order stays; 3.14 does not select 3.14t."""
    assert args.select(CELLS, arguments) == chosen


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            Arguments(cell=("cu13.0-py3.14-b13.0.4-*",)),
            "--cell 'cu13.0-py3.14-b13.0.4-*' matches no cell; the closest are cu13.0-py3.14",
        ),
        (Arguments(cell=("cu13.0-*", "cu14*")), "--cell 'cu14*' matches no cell"),
        (Arguments(python=("3.13",)), "--python 3.13 matches no cell; there are 3.12, 3.14, 3.14t"),
        (Arguments(cell=("cu13*",), python=("3.12",)), "none is both cu13* and Python 3.12; `nox -l` lists the cells"),
        (Arguments(group="x", cell=("cu13*",), python=("3.12",)), "and Python 3.12; matrix.toml lists the cells"),
    ],
)
def test_what_selects_nothing_is_a_usage_error(arguments: Arguments, message: str) -> None:
    """Each word must answer to some cell, and the words together, too."""
    with pytest.raises(UsageError) as caught:
        args.select(CELLS, arguments)
    assert message in str(caught.value)
