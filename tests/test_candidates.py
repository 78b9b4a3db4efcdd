"""The words that name two sides, wheels as files, and the plan that comes of both."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ctkmatrix import candidates, sideplan, wheelfile
from ctkmatrix.candidates import EarlierRun, Given
from ctkmatrix.errors import UsageError
from ctkmatrix.model import Cell, CellResult, Matrix, Outcome, Status
from tests import wheel_factory

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PYTHONS = ("3.12", "3.13", "3.14", "3.14t")
X86 = "x86_64"
LAST = ("cuda-core==1.2.1",)
OF_BINDINGS = ("cuda-bindings==13.5.0",)
MATRIX = Matrix(
    cells=tuple(
        Cell(toolkit, python, bindings, core)
        for toolkit, bindings in (("12.9", "12.9.4"), ("12.9", "12.9.10"), ("13.0", "13.0.3"), ("13.5", "13.5.0"))
        for core in ("1.1.1", "1.2.2")
        for python in PYTHONS
    ),
    excluded=(),
    profiles=(),
    target=1e-6,
)


def read(*candidate: str, reference: Sequence[str] = LAST) -> candidates.Asked:
    """Read the words on a machine whose CPU is an x86_64."""
    return candidates.read(candidate, reference, PYTHONS, X86)


def refused(*candidate: str, reference: Sequence[str] = LAST) -> str:
    """Return what is said of words that will not do."""
    with pytest.raises(UsageError) as caught:
        read(*candidate, reference=reference)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.2.2", "1.2.2"),
        ("1.3.0RC1", "1.3.0rc1"),
        ("13.4.5.dev0+gABC", "13.4.5.dev0+gabc"),
        ("v1.2", "1.2"),
        ("1.2-1", "1.2.post1"),
    ],
)
def test_a_version_is_normalised(text: str, version: str) -> None:
    """Final, pre-releases, local ones; the name as well."""
    assert read(f"CUDA_Core=={text}").candidate == (Given("cuda-core", version),)


def test_both_packages_may_be_given(tmp_path: Path) -> None:
    """In whatever order; either as a release or as wheels."""
    wheel_factory.tiny(tmp_path)
    asked = read(f"cuda-core={tmp_path}", "cuda-bindings==13.6.0rc1", reference=("cuda-bindings==13.5.0", "cuda-core==1.2.1"))
    assert [(one.package, one.version, len(one.wheels)) for one in asked.candidate] == [
        ("cuda-bindings", "13.6.0rc1", 0),
        ("cuda-core", "1.2.2", 1),
    ]
    assert asked.reference == (Given("cuda-bindings", "13.5.0"), Given("cuda-core", "1.2.1"))


@pytest.mark.parametrize(
    ("word", "run"), [("latest", EarlierRun("latest")), ("20261130T01:cu13*", EarlierRun("20261130T01", "cu13*"))]
)
def test_a_reference_may_be_an_earlier_run(word: str, run: EarlierRun) -> None:
    """By its name, and a glob over its cells."""
    assert read("cuda-core==1.2.2", reference=(word,)).reference == run


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("cuda-bindngs==13.0.3", "cuda-bindngs cannot be validated; perhaps you meant «cuda-bindings»"),
        ("numpy==2.4.6", "numpy cannot be validated; cuda-bindings and cuda-core can"),
        ("cuda-core", "write PACKAGE==VERSION or PACKAGE=PATH"),
        ("cuda-core>=1.2", "write PACKAGE==VERSION or PACKAGE=PATH"),
        ("cuda-core==1.2.*", "'1.2.*' is no version: name one release"),
        ("cuda-core==.", "'.' is no version: for wheels, write cuda-core=."),
        ("cuda-core=1.2.2", "there is no file or directory 1.2.2; perhaps you meant cuda-core==1.2.2"),
        ("cuda-core=./dsit", "there is no file or directory ./dsit"),
    ],
)
def test_a_wrong_word_is_told(word: str, said: str) -> None:
    """What is wrong, beside the word, and what was perhaps meant."""
    assert refused(word).startswith(f"--candidate {word}: ")
    assert said in refused(word)


@pytest.mark.parametrize(
    ("candidate", "reference", "said"),
    [
        ((), LAST, "--candidate is missing"),
        (("cuda-core==1.2.2",), (), "--reference is missing: write for example --reference cuda-core==VERSION"),
        (("cuda-core==1.2.2", "cuda-core==1.2.1"), LAST, "cuda-core is given twice"),
        (("cuda-core==1.2.2",), OF_BINDINGS, "--reference cuda-bindings: --candidate does not say which cuda-bindings it has"),
        (("cuda-core==1.2.2",), (*LAST, "latest"), "--reference latest: a run is the whole reference"),
        (("cuda-core==1.2.2",), ("cuda-core",), "--reference cuda-core: write PACKAGE==VERSION"),
        (("cuda-core==1.2.2",), ("dist/x.whl",), "--reference dist/x.whl: write PACKAGE==VERSION or PACKAGE=PATH"),
    ],
)
def test_sides_that_do_not_go_together_are_told(candidate: Sequence[str], reference: Sequence[str], said: str) -> None:
    """A side that is missing, a package twice or on one side alone, a run beside packages."""
    assert said in refused(*candidate, reference=reference)


def test_a_directory_holds_one_wheel_a_python(tmp_path: Path) -> None:
    """What is for other packages, CPUs and Pythons is left out, each with its reason."""
    own = [wheel_factory.tiny(tmp_path, tag=f"{tag}-manylinux_2_28_x86_64") for tag in ("cp312-cp312", "cp314-cp314t")]
    wheel_factory.tiny(tmp_path, tag="cp312-cp312-manylinux_2_28_aarch64")
    wheel_factory.tiny(tmp_path, tag="cp312-cp312-win_amd64")
    wheel_factory.tiny(tmp_path, tag="cp310-cp310-manylinux_2_28_x86_64")
    wheel_factory.tiny(tmp_path, package="cuda-bindings")
    (given,) = read(f"cuda-core={tmp_path}").candidate
    assert [wheel.path for wheel in given.wheels] == own
    found = {python: given.wheel(python, X86) for python in PYTHONS}
    assert [python for python, wheel in found.items() if wheel] == ["3.12", "3.14t"]
    reasons = dict(given.left_out)
    assert len(reasons) == 4
    assert reasons["cuda_core-1.2.2-cp312-cp312-manylinux_2_28_aarch64.whl"] == (
        "is for manylinux_2_28_aarch64, and this machine is Linux on x86_64"
    )
    assert reasons["cuda_core-1.2.2-cp312-cp312-win_amd64.whl"].startswith("is for Windows (win_amd64)")
    assert (
        "is for cp310-cp310, and matrix.toml has Python 3.12" in reasons["cuda_core-1.2.2-cp310-cp310-manylinux_2_28_x86_64.whl"]
    )
    assert reasons["cuda_bindings-1.2.2-cp313-cp313-manylinux_2_28_x86_64.whl"] == "is a wheel of cuda-bindings"


def test_the_stable_abi_serves_later_pythons_where_nothing_is_closer(tmp_path: Path) -> None:
    """As an installer chooses; a free-threaded build has no stable ABI."""
    stable = wheel_factory.tiny(tmp_path, tag="cp311-abi3-manylinux_2_28_x86_64")
    closer = wheel_factory.tiny(tmp_path, tag="cp313-cp313-manylinux_2_28_x86_64")
    (given,) = read(f"cuda-core={tmp_path}").candidate
    taken = [wheel.path if (wheel := given.wheel(python, X86)) else None for python in PYTHONS]
    assert taken == [stable, closer, stable, None]


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"version": "1.2.3"}, "there are several versions: cuda_core-1.2.2-"),
        ({"build": "1"}, "for Python 3.13 there are cuda_core-1.2.2-1-cp313"),
        (
            {"tag": "cp313-cp313-linux_x86_64"},
            "for Python 3.13 there are cuda_core-1.2.2-cp313-cp313-linux_x86_64.whl and cuda_core",
        ),
    ],
)
def test_an_ambiguous_directory_is_told(tmp_path: Path, second: dict[str, Any], said: str) -> None:
    """Several versions, or two wheels for one Python: both are named."""
    wheel_factory.tiny(tmp_path)
    wheel_factory.tiny(tmp_path, **second)
    assert said in refused(f"cuda-core={tmp_path}")


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        (
            "cp313-cp313-musllinux_1_2_x86_64",
            "is for a Linux with musl, such as Alpine (musllinux_1_2_x86_64): take the wheel for",
        ),
        ("cp313-cp313-macosx_11_0_arm64", "is for macOS"),
        ("cp313-cp313-manylinux_2_28_aarch64", "is for manylinux_2_28_aarch64, and this machine is Linux on x86_64"),
        ("cp310-cp310-manylinux_2_28_x86_64", "is for cp310-cp310, and matrix.toml has Python 3.12, 3.13, 3.14, 3.14t"),
        ("cp313-cp313t-manylinux_2_28_x86_64", "is for cp313-cp313t, and matrix.toml has Python"),
    ],
)
def test_a_wheel_that_fits_nothing_here_is_told(tmp_path: Path, tag: str, said: str) -> None:
    """Alone, and in a directory where no other fits."""
    wheel = wheel_factory.tiny(tmp_path, tag=tag)
    assert f"{wheel.name} {said}" in refused(f"cuda-core={wheel}")
    assert f"none of the wheels there is of cuda-core for these Pythons and this machine: {wheel.name} {said}" in refused(
        f"cuda-core={tmp_path}"
    )


def test_a_wheel_of_another_package_is_told(tmp_path: Path) -> None:
    """With the word that it goes with."""
    wheel = wheel_factory.tiny(tmp_path, package="cuda-bindings")
    assert f"{wheel.name} is a wheel of cuda-bindings; write cuda-bindings=PATH" in refused(f"cuda-core={wheel}")


def test_an_unreadable_wheel_is_told(tmp_path: Path) -> None:
    """No archive, one cut off, one without METADATA, and a name that is none."""
    wheel = wheel_factory.tiny(tmp_path)
    whole = wheel.read_bytes()
    for content in (b"", b"no archive", whole[: len(whole) // 2]):
        wheel.write_bytes(content)
        assert "cannot be read as a wheel" in refused(f"cuda-core={wheel}")
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny.py", "")
    assert "a wheel has one .dist-info/METADATA, and this has 0" in refused(f"cuda-core={wheel}")
    wheel.rename(tmp_path / "core.whl")
    assert "core.whl: this is no wheel's file name" in refused(f"cuda-core={tmp_path}")


@pytest.mark.parametrize("inside", [("cuda-core", "1.2.1"), ("cuda-bindings", "1.2.2")])
def test_a_renamed_wheel_is_told(tmp_path: Path, inside: tuple[str, str]) -> None:
    """The file name and the METADATA must agree on package and version."""
    wheel = wheel_factory.tiny(tmp_path, inside=inside)
    said = f"the file name says cuda-core 1.2.2, and its METADATA {inside[0]} {inside[1]}"
    assert said in refused(f"cuda-core={wheel}")


def test_a_source_tree_is_out_of_scope(tmp_path: Path) -> None:
    """The answer says how wheels are built; where they are built already, where they are."""
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    said = refused(f"cuda-core={tmp_path}")
    assert "is a source tree. Sources are out of scope" in said
    assert "uv build --wheel" in said
    wheel_factory.tiny(tmp_path / "dist")
    assert f"perhaps you meant cuda-core={tmp_path / 'dist'}" in refused(f"cuda-core={tmp_path}")
    assert "pyproject.toml is no wheel. Sources are out of scope" in refused(f"cuda-core={tmp_path / 'pyproject.toml'}")


def test_an_empty_directory_is_told(tmp_path: Path) -> None:
    """It is no source tree either."""
    assert f"there are no wheels in {tmp_path}: give a directory of *.whl files" in refused(f"cuda-core={tmp_path}")


def test_what_is_installed_is_held_against_the_record(tmp_path: Path) -> None:
    """A file that is changed or missing is named, and the RECORD itself, which installers write anew, is not looked at."""
    wheel = wheel_factory.tiny(tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    record = wheelfile.record(wheel)
    assert wheelfile.spoilt(record, tmp_path / "site") == ()
    (tmp_path / "site" / "cuda_core-1.2.2.dist-info" / "RECORD").write_text("other", encoding="utf-8")
    (tmp_path / "site" / "tiny.py").write_text("#", encoding="utf-8")
    (tmp_path / "site" / "cuda_core-1.2.2.dist-info" / "WHEEL").unlink()
    assert wheelfile.spoilt(record, tmp_path / "site") == ("tiny.py", "cuda_core-1.2.2.dist-info/WHEEL")


def planned(
    *candidate: str, reference: Sequence[str], toolkit: str | None = None, pythons: Sequence[str] = ()
) -> list[list[str]]:
    """Return the reference's and the candidate's cell of each pair, by their ids, and why it cannot be compared."""
    asked = read(*candidate, reference=reference)
    assert isinstance(asked.reference, tuple)
    pairs = sideplan.plan(MATRIX, asked.candidate, asked.reference, X86, toolkit=toolkit, pythons=pythons)
    return [[pair.reference.cell.id, pair.candidate.cell.id, pair.reason] for pair in pairs]


def test_bindings_are_set_side_by_side_on_the_toolkit_of_their_own_version() -> None:
    """With the newest core of the matrix on both sides, for every Python of it: which have wheels, uv finds out."""
    pairs = planned("cuda-bindings==13.0.4.dev0+gabc", reference=("cuda-bindings==13.0.1",))
    assert pairs[0] == [
        "cu13.0-py3.12-b13.0.1-c1.2.2+reference",
        "cu13.0-py3.12-b13.0.4.dev0+gabc-c1.2.2+candidate",
        "",
    ]
    assert [pair[0].split("-")[1] for pair in pairs] == ["py3.12", "py3.13", "py3.14", "py3.14t"]


def test_core_alone_is_set_side_by_side_on_the_newest_toolkit() -> None:
    """Or the one that is asked for, with the newest bindings of it."""
    newest, older = (planned("cuda-core==1.3.0", reference=LAST, toolkit=toolkit, pythons=["3.13"]) for toolkit in (None, "12.9"))
    assert newest == [["cu13.5-py3.13-b13.5.0-c1.2.1+reference", "cu13.5-py3.13-b13.5.0-c1.3.0+candidate", ""]]
    assert older == [["cu12.9-py3.13-b12.9.10-c1.2.1+reference", "cu12.9-py3.13-b12.9.10-c1.3.0+candidate", ""]]


def test_a_python_without_a_wheel_on_one_side_is_missing(tmp_path: Path) -> None:
    """It says which side lacks what; a Python that neither has is no pair."""
    for side, tags in (("old", ("cp312", "cp313")), ("new", ("cp313", "cp314"))):
        for tag in tags:
            wheel_factory.tiny(tmp_path / side, version="1.2.2", tag=f"{tag}-{tag}-manylinux_2_28_x86_64")
    pairs = planned(f"cuda-core={tmp_path / 'new'}", reference=(f"cuda-core={tmp_path / 'old'}",))
    assert [pair[2] for pair in pairs] == [
        "the candidate has no wheel of cuda-core 1.2.2 for Python 3.12 on x86_64",
        "",
        "the reference has no wheel of cuda-core 1.2.2 for Python 3.14 on x86_64",
    ]


@pytest.mark.parametrize(
    ("candidate", "reference", "toolkit", "said"),
    [
        ("13.6.0rc1", "13.5.0", None, "cuda-bindings 13.6.0rc1 is of toolkit 13.6: matrix.toml has no such toolkit"),
        ("13.6.0rc1", "13.5.0", "13.7", "--toolkit 13.7: matrix.toml has no such toolkit"),
        ("13.0.3", "13.0.1", "12.9", "cuda-bindings 13.0.3 does not go with toolkit 12.9"),
        ("13.0.3", "12.9.4", None, "cuda-bindings 12.9.4 does not go with toolkit 13.0"),
    ],
)
def test_a_toolkit_that_does_not_fit_is_told(candidate: str, reference: str, toolkit: str | None, said: str) -> None:
    """Those that there are are named; another major version would load nothing."""
    with pytest.raises(UsageError) as caught:
        planned(f"cuda-bindings=={candidate}", reference=(f"cuda-bindings=={reference}",), toolkit=toolkit)
    assert said in str(caught.value)
    assert ("12.9, 13.0, 13.5" in str(caught.value)) == ("no such toolkit" in said)


def test_a_python_that_no_side_has_is_told() -> None:
    """With those that there are."""
    with pytest.raises(
        UsageError, match=r"--python 3\.11: neither side has it; perhaps you meant «3\.1[234]».* there are 3\.12, 3\.13"
    ):
        planned("cuda-core==1.3.0", reference=LAST, pythons=["3.11"])


def of_run(*cells: Cell) -> list[CellResult]:
    """Return the results of cells that had a pathfinder installed."""
    packages: dict[str, object] = {"packages": {"cuda_pathfinder": "1.9.1"}}
    return [CellResult(cell, Outcome(Status.MEASURED), provenance=packages) for cell in cells]


def test_beside_an_earlier_run_the_candidate_has_the_cells_of_it() -> None:
    """The package that is not given is the run's; a Python that the run has not is missing."""
    asked = read("cuda-bindings==13.0.4", reference=("r1",))
    assert isinstance(asked.reference, EarlierRun)
    cell = Cell("13.0", "3.13", "13.0.3", "1.1.1")
    run = of_run(cell, replace(cell, toolkit="12.9", bindings="12.9.4"))
    pairs = sideplan.plan_beside(MATRIX, asked.candidate, asked.reference, run, X86, pythons=["3.12", "3.13"])
    assert [pair.reason for pair in pairs] == ["run r1 has no cell of Python 3.12 with toolkit 13.0", ""]
    assert pairs[1].reference.cell == cell
    assert pairs[1].reference.packages == {"cuda-pathfinder": "1.9.1"}
    assert pairs[1].candidate.cell.id == "cu13.0-py3.13-b13.0.4-c1.1.1+candidate"
    assert pairs[1].candidate.packages is None


def test_several_cells_of_a_run_are_ambiguous() -> None:
    """A glob chooses; one that matches nothing is told, and so is a toolkit that the run has not."""
    asked = read("cuda-bindings==13.0.4", reference=("r1",))
    run = of_run(Cell("13.0", "3.13", "13.0.3", "1.1.1"), Cell("13.0", "3.13", "13.0.3", "1.2.2"))
    for run_and_glob, said in (
        (EarlierRun("r1"), "several cells for Python 3.13: cu13.0-py3.13-b13.0.3-c1.1.1, cu13.0-"),
        (EarlierRun("r1", "cu12*"), "'cu12*' matches no cell of run r1; it has cu13.0-"),
    ):
        with pytest.raises(UsageError) as caught:
            sideplan.plan_beside(MATRIX, asked.candidate, run_and_glob, run, X86)
        assert said in str(caught.value)
    with pytest.raises(
        UsageError, match=r"cuda-bindings 13\.5\.1 is of toolkit 13\.5: run r1 has no such toolkit.* it has 13\.0"
    ):
        sideplan.plan_beside(MATRIX, read("cuda-bindings==13.5.1", reference=("r1",)).candidate, EarlierRun("r1"), run, X86)
    pairs = sideplan.plan_beside(MATRIX, asked.candidate, EarlierRun("r1", "*-c1.2.2"), run, X86, pythons=["3.13"])
    assert [pair.reference.cell for pair in pairs] == [run[1].cell]


def test_differences_are_those_beside_the_packages_under_test() -> None:
    """Other versions, and packages that one side alone has."""
    asked = read("cuda-core==1.3.0", reference=LAST)
    assert isinstance(asked.reference, tuple)
    (pair,) = sideplan.plan(MATRIX, asked.candidate, asked.reference, X86, pythons=["3.13"])
    reference = {"cuda-core": "1.2.1", "numpy": "2.4.6", "cuda-pathfinder": "1.9.0"}
    candidate = {"cuda-core": "1.3.0", "numpy": "2.4.6", "cuda-pathfinder": "1.9.1", "more": "1"}
    found = sideplan.differences(pair, reference, candidate)
    assert [(one.what, one.reference, one.candidate) for one in found] == [
        ("cuda-pathfinder", "1.9.0", "1.9.1"),
        ("more", "none", "1"),
    ]
    assert {one.cells for one in found} == {(pair.candidate.cell.id,)}
