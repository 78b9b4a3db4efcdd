"""The matrix: axes, exclusions, odd cells, profiles, and every mistake in them."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from ctkmatrix import matrix
from ctkmatrix.errors import Exit, MatrixError
from ctkmatrix.model import Cell, Matrix, Profile, Waiver

SMALL = """\
pythons = ["3.12", "3.14"]
cores = ["1.2.2"]
exclude = [
]
cells = [
]
target_ns = 1000
[toolkits]
"12.9" = ["12.9.10", "12.9.4"]
"13.0" = ["13.0.3"]
[profiles]
quick = { processes = 4, values = 5, seconds_per_value = 0.004, block_limit = 60 }
standard = { processes = 12, values = 5, seconds_per_value = 0.01, block_limit = 60 }
"""


def load(tmp_path: Path, *changes: tuple[str, str]) -> Matrix:
    """Load the small matrix with some of its text changed."""
    text = SMALL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "matrix.toml"
    path.write_text(text, encoding="utf-8")
    return matrix.load(path)


def excluded(line: str) -> tuple[str, str]:
    """Return the change that adds an exclusion, on line 4."""
    return ("exclude = [\n", f"exclude = [\n{line},\n")


def by_hand(line: str) -> tuple[str, str]:
    """Return the change that adds an odd cell, on line 6."""
    return ("cells = [\n", f"cells = [\n{line},\n")


def test_the_default_matrix_holds_its_32_cells() -> None:
    """Seven toolkits, 12.9 with two bindings, on four Pythons; whoever adds a line breaks nothing here."""
    default = matrix.load(Path("matrix.toml"))
    bindings = {"12.9.4", "12.9.10", "13.0.3", "13.1.1", "13.2.0", "13.3.1", "13.4.4", "13.5.0"}
    wanted = {
        f"cu{version.rpartition('.')[0]}-py{python}-b{version}-c1.2.2"
        for version in bindings
        for python in ("3.11", "3.12", "3.13", "3.14")
    }
    assert len(wanted) == 32
    assert wanted <= {cell.id for cell in default.cells}
    processes = {profile.name: profile.processes for profile in default.profiles}
    assert processes.items() >= {"quick": 4, "standard": 12, "thorough": 30}.items()


def test_cells_are_in_version_order(tmp_path: Path) -> None:
    """By toolkit, then bindings, as versions: 12.9.4 comes before 12.9.10."""
    assert [cell.id for cell in load(tmp_path).cells] == [
        "cu12.9-py3.12-b12.9.4-c1.2.2",
        "cu12.9-py3.14-b12.9.4-c1.2.2",
        "cu12.9-py3.12-b12.9.10-c1.2.2",
        "cu12.9-py3.14-b12.9.10-c1.2.2",
        "cu13.0-py3.12-b13.0.3-c1.2.2",
        "cu13.0-py3.14-b13.0.3-c1.2.2",
    ]


def test_numbers_have_their_units(tmp_path: Path) -> None:
    """The target is in seconds inside; a profile is as it is written."""
    loaded = load(tmp_path)
    assert loaded.target == 1e-6
    assert loaded.profile("quick") == Profile(
        "quick", processes=4, values=5, seconds_per_value=0.004, block_limit=60.0, max_processes=4
    )


def test_an_exclusion_is_one_line_and_keeps_its_reason(tmp_path: Path) -> None:
    """The cells that it matches are not planned; each is listed with the reason."""
    loaded = load(tmp_path, excluded('{ bindings = "12.9.4", python = "3.14", reason = "no wheel" }'))
    assert loaded.excluded == ((Cell("12.9", "3.14", "12.9.4", "1.2.2"), "no wheel"),)
    assert len(loaded.cells) == 5


def test_the_first_exclusion_gives_the_reason(tmp_path: Path) -> None:
    """A cell that two lines exclude is listed once."""
    lines = '{ python = "3.14", reason = "one" },\n{ toolkit = "13.0", reason = "two" }'
    assert [reason for _, reason in load(tmp_path, excluded(lines)).excluded] == ["one", "one", "one", "two"]


def test_an_odd_cell_is_one_line(tmp_path: Path) -> None:
    """It may cross versions, lack cuda.core and be free-threaded, and takes its place in the order."""
    loaded = load(tmp_path, by_hand('{ toolkit = "13.0", python = "3.14t", bindings = "12.9.4", core = "none" }'))
    assert [cell.id for cell in loaded.cells][4] == "cu13.0-py3.14t-b12.9.4-cnone"


def test_an_odd_cell_may_bring_back_one_that_is_excluded(tmp_path: Path) -> None:
    """Exclusions are about the axes: what is asked for by hand is planned."""
    loaded = load(
        tmp_path,
        excluded('{ python = "3.14", reason = "later" }'),
        by_hand('{ toolkit = "13.0", python = "3.14", bindings = "13.0.3", core = "1.2.2" }'),
    )
    brought = Cell("13.0", "3.14", "13.0.3", "1.2.2")
    assert brought in loaded.cells
    assert brought not in [cell for cell, _ in loaded.excluded]


def test_a_core_of_none_gives_cells_without_it(tmp_path: Path) -> None:
    """Such a cell has no cuda.core and says so in its id; it comes before those that have."""
    loaded = load(tmp_path, ('cores = ["1.2.2"]', 'cores = ["1.2.2", "none"]'))
    assert loaded.cells[0] == Cell("12.9", "3.12", "12.9.4", None)
    assert loaded.cells[0].id.endswith("-cnone")


def test_cells_without_core_can_be_excluded(tmp_path: Path) -> None:
    """«none» names them, as in cores; it does not match everything."""
    loaded = load(tmp_path, ('["1.2.2"]', '["1.2.2", "none"]'), excluded('{ core = "none", toolkit = "13.0", reason = "x" }'))
    assert [cell.core for cell, _ in loaded.excluded] == [None, None]
    assert len(loaded.cells) == 10


def test_free_threaded_cells_are_cells_of_their_own(tmp_path: Path) -> None:
    """3.14t is another Python than 3.14: another id, another tag, matched by no exclusion of 3.14, and never the newest."""
    loaded = load(
        tmp_path,
        ('"3.14"]', '"3.14", "3.14t"]'),
        excluded('{ python = "3.14", toolkit = "12.9", reason = "x" }'),
    )
    plain, free = Cell("13.0", "3.14", "13.0.3", "1.2.2"), Cell("13.0", "3.14t", "13.0.3", "1.2.2")
    assert plain != free
    assert plain.id != free.id
    assert set(loaded.cells) >= {plain, free}
    assert "py3.14t" in matrix.tags(free)
    assert "py3.14" not in matrix.tags(free)
    assert [cell.python for cell in loaded.cells if cell.toolkit == "12.9"] == ["3.12", "3.14t"] * 2
    assert matrix.newest([plain, free]) == plain
    assert matrix.newest([Cell("12.9", "3.12", "12.9.4", None), free]).python == "3.12"
    assert matrix.newest([free]) == free


GROUPS = """\
[[groups.history]]
pythons = ["3.13", "3.12"]
cores = ["1.2.2"]
toolkits = { "13.1" = ["13.1.0"], "12.9" = ["12.9.0"] }
[[groups.history]]
pythons = ["3.12"]
cores = ["0.3.2", "1.2.2"]
[groups.history.toolkits]
"12.9" = ["12.9.0", "12.9.4"]
[[groups.free]]
pythons = ["3.14t"]
cores = ["none"]
toolkits = { "13.0" = ["13.0.3"] }
"""
"""From line 14 on."""


EXTRAS = 'cores = ["none"]\nextras = '
"""Of the last table, on line 26."""


def with_groups(tmp_path: Path, *changes: tuple[str, str]) -> Matrix:
    """Load the small matrix with two groups, with some of the text changed."""
    end = SMALL.splitlines()[-1]
    return load(tmp_path, (end, f"{end}\n{GROUPS}"), *changes)


def test_a_group_is_the_union_of_its_tables(tmp_path: Path) -> None:
    """In version order, each cell once, be it given by two tables or by the matrix too; toolkits of its own; in no plain run."""
    loaded = with_groups(tmp_path)
    groups = {name: [cell.id for cell in cells] for name, cells in loaded.groups}
    assert groups == {
        "history": [
            "cu12.9-py3.12-b12.9.0-c0.3.2",
            "cu12.9-py3.12-b12.9.0-c1.2.2",
            "cu12.9-py3.13-b12.9.0-c1.2.2",
            "cu12.9-py3.12-b12.9.4-c0.3.2",
            "cu12.9-py3.12-b12.9.4-c1.2.2",
            "cu13.1-py3.12-b13.1.0-c1.2.2",
            "cu13.1-py3.13-b13.1.0-c1.2.2",
        ],
        "free": ["cu13.0-py3.14t-b13.0.3-cnone"],
    }
    assert loaded.cells == load(tmp_path).cells
    assert len(loaded.all_cells) == len(set(loaded.all_cells)) == len(loaded.cells) + 7
    assert load(tmp_path).groups == ()


def test_extras_make_other_cells(tmp_path: Path) -> None:
    """By normalised name, in order, whatever is written; in the cells of that table alone; after the plain ones."""
    again = GROUPS.rpartition("[[")[2].replace('["3.14t"]', '["3.14t"]\nextras = ["Torch", "cupy_cuda13x"]')
    loaded = with_groups(tmp_path, (GROUPS[-30:], f"{GROUPS[-30:]}[[{again}"))
    plain, beside = dict(loaded.groups)["free"]
    assert (plain.id, plain.extras) == ("cu13.0-py3.14t-b13.0.3-cnone", ())
    assert (beside.id, beside.extras) == (f"{plain.id}+cupy-cuda13x+torch", ("cupy-cuda13x", "torch"))
    assert replace(beside, label="b").id == f"{beside.id}+b"
    assert replace(beside, extras=()) == plain


def test_the_peers_are_newest_releases_beside_cupy() -> None:
    """One of each major of CUDA, with that major's package; each beside a plain cell of the matrix."""
    loaded = matrix.load(Path("matrix.toml"))
    peers = dict(loaded.groups)["peers"]
    assert [(cell.toolkit, cell.extras) for cell in peers] == [("12.9", ("cupy-cuda12x",)), ("13.0", ("cupy-cuda13x",))]
    assert {replace(cell, extras=()) for cell in peers} <= set(loaded.cells)


def test_exclusions_are_about_the_matrix_alone(tmp_path: Path) -> None:
    """A group keeps what a line excludes, and gives an exclusion nothing to match."""
    loaded = with_groups(tmp_path, excluded('{ python = "3.12", reason = "x" }'))
    assert Cell("12.9", "3.12", "12.9.4", "1.2.2") in dict(loaded.groups)["history"]
    assert {cell.python for cell in loaded.cells} == {"3.14"}
    with pytest.raises(MatrixError, match=r"matches no cell \(none has bindings 12.9.0"):
        with_groups(tmp_path, excluded('{ bindings = "12.9.0", reason = "x" }'))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('pythons = ["3.13"', 'pyhtons = ["3.13"'), "15: unknown key «pyhtons»; perhaps you meant «pythons»; known: pythons, "),
        (('cores = ["none"]\n', ""), "23: «cores» is missing in «groups.free[0]»"),
        (('cores = ["none"]', 'cores = ["none"]\nexclude = []'), "26: unknown key «exclude»"),
        (('"3.13", "3.12"', '"3.13", "py3.12"'), "15: «py3.12» is no Python version: write 3.N"),
        (('"3.13", "3.12"', '"3.13", 3.12'), '15: «groups.history[0].pythons[1]» must be text in quotes, not 3.12; write "3.12"'),
        (('"0.3.2", "1.2.2"', '"1.2.2", "1.2.2"'), "20: «1.2.2» is listed twice"),
        (('["12.9.0", "12.9.4"]', "[]"), "22: «12.9» is empty"),
        (('"12.9" = ["12.9.0", "12.9.4"]', '13.0 = ["13.0.3"]'), '22: a toolkit\'s version must stand in quotes, such as "13.0"'),
        (('{ "13.0" = ["13.0.3"] }', "{}"), "26: «toolkits» is empty"),
        (("[[groups.free]]", "[groups.free]"), "23: a group may have several tables: write [[groups.free]], in double brackets"),
        (("[[groups.free]]", "[groups]\nfuture = []\n[[groups.free]]"), "24: group «future» is empty: give it pythons, cores, "),
        (("[[groups.free]]", "[groups]\nfuture = 3\n[[groups.free]]"), "24: «groups.future» must be an array [...], not 3"),
        (('cores = ["none"]', EXTRAS + "[]"), "26: «extras» is empty: name at least one package, or remove the line"),
        (('cores = ["none"]', EXTRAS + '"torch"'), "26: «groups.free[0].extras» must be an array [...], not 'torch'"),
        (('cores = ["none"]', EXTRAS + "[13]"), "26: «groups.free[0].extras[0]» must be text in quotes, not 13"),
        (
            ('cores = ["none"]', EXTRAS + '["torch==2.9"]'),
            "26: «torch==2.9» is no package's name: write that alone; `nox",
        ),
        (('cores = ["none"]', EXTRAS + '["a-b",\n"A_b"]'), "27: «A_b» is listed twice"),
        (
            ('cores = ["none"]', EXTRAS + '["cuda-bindings"]'),
            "26: «cuda-bindings» is in every cell, in the release that the cell",
        ),
        (('cores = ["none"]', EXTRAS + '["cuda_core"]'), "26: «cuda_core» is in every cell"),
        (("cores = [", 'extras = ["torch"]\ncores = ['), "2: unknown key «extras»"),
        ((GROUPS, "[[groups]]\n"), "14: «groups» must be a table { key = value }"),
    ],
)
def test_a_mistake_in_a_group_is_told_with_its_line(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    """As all others are."""
    with pytest.raises(MatrixError) as caught:
        with_groups(tmp_path, change)
    assert str(caught.value).startswith(f"matrix.toml:{message}")


def test_the_history_is_of_every_bindings_and_of_cores_on_one() -> None:
    """Each cuda-bindings on the toolkit of its own X.Y; the other cores on one bindings; one Python."""
    history = dict(matrix.load(Path("matrix.toml")).groups)["history"]
    assert all(cell.bindings.startswith(f"{cell.toolkit}.") for cell in history)
    assert {cell.python for cell in history} == {"3.12"}
    bindings = [cell.bindings for cell in history if cell.core == "1.2.2"]
    assert len(bindings) == 25
    assert bindings[:: len(bindings) - 1] == ["12.9.0", "13.5.0"]
    cores = [cell.core for cell in history if cell.bindings == "12.9.10"]
    assert len(cores) == 11
    assert cores[:: len(cores) - 1] == ["0.3.2", "1.2.2"]
    assert len(history) == 35


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (Cell("13.5", "3.14", "13.5.0", "1.2.2"), Cell("13.10", "3.11", "12.9.4", None)),
        (Cell("12.9", "3.14", "12.9.4", "1.2.2"), Cell("12.9", "3.11", "12.9.10", None)),
        (Cell("12.9", "3.14", "12.9.4", None), Cell("12.9", "3.11", "12.9.4", "0.3.2")),
        (Cell("12.9", "3.14", "12.9.4", "1.2.2"), Cell("12.9", "3.11", "12.9.4", "1.10.0")),
        (Cell("12.9", "3.9", "12.9.4", "1.2.2"), Cell("12.9", "3.11", "12.9.4", "1.2.2")),
    ],
)
def test_the_newest_is_by_version_order(older: Cell, newer: Cell) -> None:
    """Toolkit counts first, then bindings, core, Python; 13.10 is newer than 13.5."""
    assert matrix.newest([older, newer]) == matrix.newest([newer, older]) == newer


def test_tags_select_by_every_part() -> None:
    """A cell has one tag for its major and one for each part of its id."""
    assert matrix.tags(Cell("13.0", "3.12", "13.0.3", "1.2.2")) == ("cu13", "cu13.0", "py3.12", "b13.0.3", "c1.2.2")
    assert matrix.tags(Cell("13.0", "3.12", "13.0.3", None))[-1] == "cnone"


ODD = '{ toolkit = "13.0", python = "3.12", bindings = "13.0.3", core = "1.2.2" }'


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("pythons =", "pyhtons ="), "1: unknown key «pyhtons»; perhaps you meant «pythons»; known: pythons, cores, "),
        (("cores = [", "# ["), "1: «cores» is missing"),
        (('"3.12", ', "3.12, "), '1: «pythons[0]» must be text in quotes, not 3.12; write "3.12"'),
        (('["3.12", "3.14"]', '"3.12"'), "1: «pythons» must be an array [...], not '3.12'"),
        (('["3.12", "3.14"]', "[]"), "1: «pythons» is empty"),
        (('cores = ["1.2.2"]', "cores = []"), "2: «cores» is empty"),
        (('["13.0.3"]', "[]"), "10: «13.0» is empty"),
        (('"12.9" = ["12.9.10", "12.9.4"]\n"13.0" = ["13.0.3"]\n', ""), "8: «toolkits» is empty"),
        (('"3.14"]', '"3.12"]'), "1: «3.12» is listed twice"),
        (('"12.9.10", "12.9.4"', '"12.9.4",\n"12.9.4"'), "10: «12.9.4» is listed twice"),
        (('"3.12"', '"3"'), "1: «3» is no Python version: write 3.N"),
        (('"3.12"', '"py3.12"'), "1: «py3.12» is no Python version"),
        (('"3.12"', '"3.9"'), "1: Python 3.9 is too old: the oldest that is measured is 3.11"),
        (('["1.2.2"]', '["1.2"]'), "2: «1.2» is no exact final release: write X.Y.Z"),
        (('["13.0.3"]', '["13.0.x"]'), "10: «13.0.x» is no version"),
        (('["13.0.3"]', '["13.0.3rc1"]'), "10: «13.0.3rc1» is no exact final release"),
        (('["13.0.3"]', '["v13.0.3"]'), "10: «v13.0.3» is no exact final release"),
        (('["13.0.3"]', '["none"]'), "10: «none» is no version"),
        (('"13.0" =', '"13" ='), "10: «13» is no toolkit version: write X.Y"),
        (('"13.0" =', "13.0 ="), '10: a toolkit\'s version must stand in quotes, such as "13.0"'),
        (excluded('{ python = "3.14" }'), '4: an exclusion needs its reason, which the report shows: add reason = "…"'),
        (excluded('{ python = "3.14", reason = " " }'), "4: an exclusion needs its reason"),
        (excluded('{ reason = "all" }'), "4: this would exclude every cell"),
        (excluded('{ pyton = "3.14", reason = "x" }'), "4: unknown key «pyton»; perhaps you meant «python»"),
        (excluded('{ python = 3.14, reason = "x" }'), '4: «exclude[0].python» must be text in quotes, not 3.14; write "3.14"'),
        (
            excluded('{ bindings = "13.0.4", reason = "x" }'),
            "4: this exclusion matches no cell (none has bindings 13.0.4; perhaps you meant «13.0.3»)",
        ),
        (
            excluded('{ toolkit = "13.0", bindings = "12.9.4", reason = "x" }'),
            "4: this exclusion matches no cell: correct or remove it",
        ),
        (excluded('{ core = "none", reason = "x" }'), "4: this exclusion matches no cell (none has core none)"),
        (
            excluded('{ toolkit = "13.1", reason = "x" }'),
            "4: toolkit «13.1» is not listed under [toolkits]; perhaps you meant «13.0»; listed: 12.9, 13.0",
        ),
        (
            excluded('{ toolkit = "12.9", reason = "x" },\n{ toolkit = "13.0", reason = "x" }'),
            "3: every cell is excluded: nothing is left to measure",
        ),
        (by_hand('{ toolkit = "13.0", python = "3.12", bindings = "13.0.3" }'), "6: «core» is missing in «cells[0]»"),
        (by_hand(ODD.replace("13.0", "14.0", 1)), "6: toolkit «14.0» is not listed under [toolkits]"),
        (by_hand(ODD.replace('"3.12"', "3.12")), "6: «cells[0].python» must be text in quotes"),
        (by_hand(ODD), "6: cu13.0-py3.12-b13.0.3-c1.2.2 is there twice"),
        (by_hand(ODD.replace("3.12", "3.13") + ",\n" + ODD.replace("3.12", "3.13")), "7: cu13.0-py3.13-b13.0.3-c1.2.2 is there"),
        (("cells = [\n]", "cells = 3"), "5: «cells» must be an array [...], not 3"),
        (("target_ns = 1000", 'target_ns = "1000"'), "7: «target_ns» must be a number, not '1000'"),
        (("target_ns = 1000", "target_ns = 0"), "7: «target_ns» must be from 1e-06 to 1e+09"),
        (("quick =", "quik ="), "11: «quick» is missing in «profiles»"),
        (("processes = 12", "proceses = 12"), "13: unknown key «proceses»; perhaps you meant «processes»"),
        (("processes = 12", "processes = 1.5"), "13: «profiles.standard.processes» must be a whole number, not 1.5"),
        (("values = 5, seconds_per_value = 0.01", "values = 5"), "13: «seconds_per_value» is missing in «profiles.standard»"),
        (("[toolkits]", "[toolkits"), "8: no valid TOML at column"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_a_suggestion(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    """``matrix.toml:LINE:`` first; then what is wrong and what to do; exit 2."""
    with pytest.raises(MatrixError) as caught:
        load(tmp_path, change)
    assert str(caught.value).startswith(f"matrix.toml:{message}")
    assert caught.value.exit is Exit.USAGE


def profile(text: str) -> Profile:
    """Return the standard profile of a matrix in which its line is *text*."""
    return matrix_of(f"standard = {{ {text} }}").profile("standard")


def matrix_of(standard: str, margins: str = "") -> Matrix:
    """Return the default matrix with another standard profile, and other margins where they are given."""
    lines = Path("matrix.toml").read_text(encoding="utf-8").splitlines()
    text = "\n".join(standard if line.startswith("standard = ") else line for line in lines)
    if margins:
        text = text.partition("[margins]")[0] + "[margins]\n" + margins
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "matrix.toml")
        path.write_text(text, encoding="utf-8")
        return matrix.load(path)


NUMBERS = "processes = 12, values = 5, seconds_per_value = 0.01, block_limit = 60"


def test_a_profile_without_max_processes_measures_no_more() -> None:
    """Stopping is for who asks for it."""
    assert profile(NUMBERS).max_processes == 12


def test_a_profile_says_when_to_stop() -> None:
    """Widths in ns and shares, as people write them."""
    found = profile(f"{NUMBERS}, max_processes = 24, relative = 0.01, absolute_ns = 3, seconds_limit = 90")
    assert (found.max_processes, found.relative, found.seconds_limit) == (24, 0.01, 90)
    assert found.absolute == pytest.approx(3e-9)


def test_fewer_processes_at_most_than_at_least_is_a_mistake() -> None:
    """With its line."""
    with pytest.raises(MatrixError, match=r"matrix\.toml:\d+: «max_processes» is 4, and «processes» is 12 already"):
        profile(f"{NUMBERS}, max_processes = 4")


def test_targets_are_by_case() -> None:
    """In seconds a call, in the order of the file; none unless said; what is no time is refused."""
    standard, margins = f"standard = {{ {NUMBERS} }}", '"*" = { relative = 0.03, absolute_ns = 10 }'
    assert matrix_of(standard).targets == ()
    ((glob, target),) = matrix_of(standard, f'{margins}\n[targets]\n"program.*" = 100_000\n').targets
    assert glob == "program.*"
    assert target == pytest.approx(1e-4)
    with pytest.raises(MatrixError, match=r"matrix\.toml:[0-9]+"):
        matrix_of(standard, f'{margins}\n[targets]\n"program.*" = "long"\n')


def test_margins_are_by_case() -> None:
    """In the order of the file; there is always one for all cases."""
    found = matrix_of(
        f"standard = {{ {NUMBERS} }}",
        '"*" = { relative = 0.03, absolute_ns = 10 }\n"nvrtc.*" = { relative = 0.05, absolute_ns = 1000 }',
    )
    assert [(glob, margin.relative) for glob, margin in found.margins] == [("*", 0.03), ("nvrtc.*", 0.05)]
    assert found.margins[1][1].absolute == pytest.approx(1e-6)
    with pytest.raises(MatrixError, match="«\\*» is missing"):
        matrix_of(f"standard = {{ {NUMBERS} }}", '"nvrtc.*" = { relative = 0.05, absolute_ns = 1000 }')


WAIVER = """\
[[waive]]
case = "launch.*"
cell = "cu13.0-*"
until = "13.0.4"
reason = "known: issue 12"
"""


def waived(text: str = WAIVER) -> tuple[str, str]:
    """Return the change that adds waivers at the end, from line 14 on."""
    end = SMALL.splitlines(keepends=True)[-1]
    return (end, end + text)


def test_a_waiver_is_a_table_that_keeps_its_line(tmp_path: Path) -> None:
    """It is of cuda-bindings and every variant unless it says otherwise; versions are normalised."""
    more = WAIVER.replace("13.0.4", "1.3.0rc01") + 'package = "cuda-core"\nvariant = "core"\n'
    assert load(tmp_path, waived(WAIVER + more)).waivers == (
        Waiver("launch.*", "cu13.0-*", "13.0.4", "known: issue 12", "cuda-bindings", "*", 14),
        Waiver("launch.*", "cu13.0-*", "1.3.0rc1", "known: issue 12", "cuda-core", "core", 19),
    )
    assert load(tmp_path).waivers == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (WAIVER.replace("[[waive]]", "[waive]"), "14: there may be several waivers: write [[waive]], in double brackets"),
        (
            WAIVER.replace("cell =", "cel ="),
            "16: unknown key «cel»; perhaps you meant «cell»; known: case, cell, until, reason, ",
        ),
        (
            WAIVER.replace('reason = "known: issue 12"\n', ""),
            "14: a waiver needs its reason, why it is accepted, which every report",
        ),
        (WAIVER.replace('until = "13.0.4"\n', ""), "14: a waiver needs its until, the first version in which it no longer holds"),
        (WAIVER.replace('"known: issue 12"', '" "'), "18: «reason» of a waiver is empty"),
        (WAIVER.replace('"launch.*"', '""'), "15: «case» of a waiver is empty"),
        (WAIVER.replace('"13.0.4"', '"next"'), "17: «next» is no version: write the first that must be as fast again"),
        (WAIVER.replace('"13.0.4"', "13.0"), '17: «waive[0].until» must be text in quotes, not 13.0; write "13.0"'),
        (WAIVER + 'package = "cuda-bindigs"\n', "19: «cuda-bindigs» is not validated; perhaps you meant «cuda-bindings»; "),
        (WAIVER + WAIVER.replace("13.0.4", "13.0.5"), "19: this waiver stands in line 14 already: remove one"),
    ],
)
def test_a_mistake_in_a_waiver_names_its_line(tmp_path: Path, text: str, message: str) -> None:
    """As every other in the file."""
    with pytest.raises(MatrixError) as caught:
        load(tmp_path, waived(text))
    assert str(caught.value).startswith(f"matrix.toml:{message}")
