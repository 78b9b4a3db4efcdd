"""Environments of two sides, by real uv: what is installed is the candidate, and nothing else differs."""

from __future__ import annotations

import platform
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import candidates, envs, matrix, sideplan, sides
from ctkmatrix.errors import MachineError
from ctkmatrix.model import Cell
from tests import wheel_factory

if TYPE_CHECKING:
    from pathlib import Path

    from ctkmatrix import job
    from ctkmatrix.model import Matrix
    from ctkmatrix.sideplan import PlannedPair

THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
CHANGED = "cuda/core/__init__.py"


@pytest.fixture(scope="module")
def newest(place: job.Place, default_matrix: Matrix) -> envs.Environment:
    """The newest cell of the Python that runs this: its packages are put into wheels again."""
    return envs.ensure(matrix.newest(cell for cell in default_matrix.cells if cell.python == THIS), place.build)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the environments of these tests are."""
    return tmp_path_factory.mktemp("validate")


def core(newest: envs.Environment, directory: Path, *, mark: str, needs: str = "", version: str = "") -> Path:
    """Write a wheel of cuda-core with *mark* in a Python file; *needs* is a further requirement. Returns its directory."""

    def change(name: str, content: bytes) -> bytes:
        if name == CHANGED:
            return content + f"\n# {mark}\n".encode()
        is_metadata = name.endswith(".dist-info/METADATA")
        return content.replace(b"Name: ", f"Requires-Dist: {needs}\nName: ".encode(), 1) if is_metadata and needs else content

    wheel_factory.again(newest.site_packages, "cuda-core", directory, change, version)
    return directory


def plan(default_matrix: Matrix, candidate: str, reference: str, toolkit: str | None = None, python: str = THIS) -> PlannedPair:
    """Return the pair of one Python."""
    asked = candidates.read([candidate], [reference], sideplan.pythons_of(default_matrix))
    assert isinstance(asked.reference, tuple)
    machine = platform.machine()
    (pair,) = sideplan.plan(default_matrix, asked.candidate, asked.reference, machine, toolkit=toolkit, pythons=[python])
    return pair


def last_line(side: sides.Side) -> str:
    """Return the end of the Python file that the tests change, as it is installed."""
    assert side.environment, side.reason
    return (side.environment.site_packages / CHANGED).read_text(encoding="utf-8").splitlines()[-1]


@pytest.mark.slow
def test_a_rebuild_with_the_same_version_and_name_is_installed(
    newest: envs.Environment, default_matrix: Matrix, root: Path, tmp_path: Path
) -> None:
    """Not what a cache has of its name; the other side stays as it is, and what is not rebuilt is found again."""
    word, released = f"cuda-core={tmp_path}", f"cuda-core=={newest_core(default_matrix)}"
    found: list[sides.Pair] = []
    for mark in ("one", "two", "two"):
        core(newest, tmp_path, mark=mark)
        found.append(sides.make(plan(default_matrix, word, released), root))
        assert last_line(found[-1].candidate) == f"# {mark}"
    one, two, again = found
    assert [pair.reason for pair in found] == ["", "", ""]
    assert [pair.differences for pair in found] == [(), (), ()]
    assert one.candidate.lock_hash != two.candidate.lock_hash == again.candidate.lock_hash
    assert one.candidate.wheels[0].file == two.candidate.wheels[0].file
    assert two.candidate.environment
    assert not two.candidate.environment.reused
    assert again.candidate.environment
    assert again.candidate.environment.reused
    assert two.reference.environment
    assert two.reference.environment.reused
    assert not last_line(two.reference).startswith("#")
    (origin,) = two.candidate.wheels
    assert origin.sha256 in (root / f"{two.candidate.cell.id}.txt").read_text(encoding="utf-8")
    assert two.reference.packages == two.candidate.packages == {**two.candidate.packages, "cuda-core": origin.version}


def newest_core(default_matrix: Matrix) -> str:
    """Return the newest cuda-core of the matrix."""
    return matrix.newest(default_matrix.cells).core or ""


@pytest.mark.slow
def test_what_was_changed_after_it_was_installed_is_made_anew(
    newest: envs.Environment, default_matrix: Matrix, root: Path, tmp_path: Path
) -> None:
    """Every file of the wheel is held against its RECORD each time."""
    pair = plan(default_matrix, f"cuda-core={core(newest, tmp_path, mark='mine')}", f"cuda-core=={newest_core(default_matrix)}")
    made = sides.make(pair, root).candidate.environment
    assert made
    file = made.site_packages / CHANGED
    file.unlink()  # never written to: it shares its inode with uv's cache
    file.write_text("# changed since\n", encoding="utf-8")
    again = sides.make(pair, root).candidate
    assert again.environment
    assert not again.environment.reused
    assert last_line(again) == "# mine"


@pytest.mark.slow
def test_a_spoilt_cache_is_told(newest: envs.Environment, default_matrix: Matrix, root: Path, tmp_path: Path) -> None:
    """A file of uv's cache was written to: the wheel has the right hash, and what is installed from it has not."""
    pair = plan(default_matrix, f"cuda-core={core(newest, tmp_path, mark='spoilt')}", f"cuda-core=={newest_core(default_matrix)}")
    made = sides.make(pair, root).candidate.environment
    assert made
    file = made.site_packages / CHANGED
    if file.stat().st_nlink == 1:
        pytest.fail("uv links nothing here, so that its cache cannot be reached through an environment")
    file.write_text("# spoilt\n", encoding="utf-8")
    again = sides.make(pair, root)
    assert f"what is installed is not what the wheel holds: {CHANGED}; uv's cache may be spoilt: `uv cache clean cuda-core`" in (
        again.reason
    )
    assert again.candidate.environment is again.reference.environment is None


@pytest.mark.slow
def test_the_reference_follows_the_candidate(
    newest: envs.Environment, default_matrix: Matrix, root: Path, tmp_path: Path
) -> None:
    """It has the older package that the candidate asks for, though a newer one is out; a local version is a version."""
    wheels = core(newest, tmp_path, mark="", needs="cuda-pathfinder<1.9", version="1.2.9.dev0+gabc")
    pair = sides.make(plan(default_matrix, f"cuda-core={wheels}", f"cuda-core=={newest_core(default_matrix)}"), root)
    assert (pair.reason, pair.differences) == ("", ())
    assert pair.reference.packages["cuda-pathfinder"] == pair.candidate.packages["cuda-pathfinder"] < "1.9"
    assert pair.candidate.packages["cuda-core"] == "1.2.9.dev0+gabc"


@pytest.mark.slow
def test_where_the_reference_cannot_follow_the_differences_are_told(
    newest: envs.Environment, default_matrix: Matrix, root: Path, tmp_path: Path
) -> None:
    """Both ask for a package in versions that exclude each other."""
    new = core(newest, tmp_path / "new", mark="", needs="cuda-pathfinder<1.9")
    old = core(newest, tmp_path / "old", mark="", needs="cuda-pathfinder==1.9.1")
    pair = sides.make(plan(default_matrix, f"cuda-core={new}", f"cuda-core={old}"), root)
    assert pair.reason == ""
    assert [(one.what, one.reference) for one in pair.differences] == [("cuda-pathfinder", "1.9.1")]


@pytest.mark.slow
def test_a_release_without_a_wheel_for_a_python_is_missing(default_matrix: Matrix, tmp_path: Path) -> None:
    """With uv's own words; nothing is made."""
    pair = sides.make(plan(default_matrix, "cuda-core==0.3.2", "cuda-core==1.2.2", toolkit="12.9", python="3.14"), tmp_path)
    assert pair.reason.startswith("the candidate cannot be had for Python 3.14: `uv pip compile` failed with status 1:")
    assert "cuda-core" in pair.reason.partition("status 1:")[2]
    assert pair.candidate.environment is pair.reference.environment is None
    assert not (tmp_path / "envs").exists()


@pytest.mark.slow
def test_without_a_network_uv_s_cache_will_do(
    newest: envs.Environment, default_matrix: Matrix, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wheel that was never seen is installed; with an empty cache the error says what to check."""
    sides.make(
        plan(default_matrix, f"cuda-core={core(newest, tmp_path, mark='mine')}", f"cuda-core=={newest_core(default_matrix)}"),
        root,
    )
    for proxy in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(proxy, "http://127.0.0.1:9")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    pair = plan(
        default_matrix, f"cuda-core={core(newest, tmp_path, mark='offline')}", f"cuda-core=={newest_core(default_matrix)}"
    )
    assert last_line(sides.make(pair, root).candidate) == "# offline"
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "empty"))
    with pytest.raises(MachineError, match="a download failed: check the network"):
        sides.make(pair, tmp_path / "elsewhere")


@pytest.mark.slow
def test_beside_an_earlier_run_the_candidate_follows(newest: envs.Environment, root: Path, tmp_path: Path) -> None:
    """Nothing is made of the reference, and the candidate has what the run had."""
    cell = Cell("13.5", THIS, "13.5.0", "1.2.2")
    then = sideplan.Planned(cell, packages={"cuda-core": "1.2.2", "cuda-pathfinder": "1.8.0", "gone": "1"})
    wheels = candidates.read([f"cuda-core={core(newest, tmp_path, mark='')}"], ["r1"], [THIS]).candidate[0].wheels
    pair = sides.make(
        sideplan.PlannedPair(THIS, then, sideplan.Planned(replace(cell, label="candidate"), wheels), ("cuda-core",)), root
    )
    assert pair.reason == ""
    assert pair.reference.environment is None
    assert pair.candidate.packages["cuda-pathfinder"] == "1.8.0"
    assert [(one.what, one.candidate) for one in pair.differences if one.what == "gone"] == [("gone", "none")]


def test_a_wheel_that_changed_meanwhile_is_told(tmp_path: Path) -> None:
    """It was looked at, and rebuilt before it was installed: that is not the candidate, and nothing is made."""
    version = THIS.replace(".", "")
    wheel = wheel_factory.tiny(tmp_path, tag=f"cp{version}-cp{version}-linux_{platform.machine()}")
    asked = candidates.read([f"cuda-core={wheel}"], ["cuda-core==1.2.1"], [THIS])
    wheel.write_bytes(wheel.read_bytes() + b"\0")
    cell = Cell("13.5", THIS, "13.5.0", "1.2.2", label="candidate")
    now = sideplan.Planned(cell, asked.candidate[0].wheels)
    pair = sides.make(
        sideplan.PlannedPair(THIS, sideplan.Planned(replace(cell, label="reference")), now, ("cuda-core",)), tmp_path
    )
    assert pair.reason == (
        f"the candidate cannot be had for Python {THIS}: {wheel.name} was changed meanwhile: begin again when it is built"
    )


def test_what_is_planned_without_a_wheel_is_not_made(tmp_path: Path) -> None:
    """The reason stands on the side that lacks it."""
    cell = Cell("13.5", THIS, "13.5.0", "1.2.2", label="candidate")
    lacking = sideplan.Planned(cell, reason="no wheel")
    pair = sides.make(sideplan.PlannedPair(THIS, sideplan.Planned(replace(cell, label="reference")), lacking, ()), tmp_path)
    assert (pair.reason, pair.candidate.reason, pair.reference.reason) == ("no wheel", "no wheel", "")
    assert list(tmp_path.iterdir()) == []
