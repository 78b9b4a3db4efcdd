"""The locks: what is committed, and how it is renewed."""

import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from ctkmatrix import locks, matrix, uv, wheels
from ctkmatrix.errors import EnvironmentFailed, MachineError
from ctkmatrix.model import Cell

DEFAULT = matrix.load(Path("matrix.toml"))
COMMITTED = sorted(locks.LOCKS.glob("*.txt"))
CELL = Cell("13.0", "3.12", "13.0.3", "1.2.2")
OTHER = replace(CELL, bindings="13.0.0")
PEERS = replace(CELL, extras=("a", "cupy-cuda13x"))


def test_paths_are_readable_names() -> None:
    """A cell's lock names all but the Python, which it serves whatever it is."""
    assert locks.lock_path(CELL).name == "cu13.0-b13.0.3-c1.2.2.txt"
    assert locks.lock_path(replace(CELL, python="3.14t")) == locks.lock_path(CELL)
    assert locks.lock_path(replace(CELL, core=None)).name == "cu13.0-b13.0.3-cnone.txt"
    assert locks.lock_path(PEERS).name == "cu13.0-b13.0.3-c1.2.2+a+cupy-cuda13x.txt"
    assert locks.lock_path(replace(CELL, label="b")) == locks.lock_path(CELL)
    assert locks.toolkit_lock("13.0").name == "toolkit-13.0.txt"
    assert locks.tools_lock("dev").name == "dev.txt"


def test_a_cell_asks_for_exact_versions_and_its_toolkits_nvrtc() -> None:
    """cuda-toolkit pins NVRTC to the minor; without cuda.core nothing asks for it."""
    asked = locks.cell_requirements(CELL)
    assert asked[:3] == ("cuda-bindings==13.0.3", "cuda-core==1.2.2", "cuda-toolkit[nvrtc]==13.0.*")
    assert not any("cuda-core" in requirement for requirement in locks.cell_requirements(replace(CELL, core=None)))


def test_extras_are_asked_for_beside_what_every_cell_has() -> None:
    """By name: the lock pins them. What every cell has is all that they may not be."""
    assert locks.cell_requirements(PEERS) == (*locks.cell_requirements(CELL), "a", "cupy-cuda13x")
    assert tuple(Requirement(asked).name for asked in locks.cell_requirements(CELL)) == matrix.IN_EVERY_CELL


@pytest.mark.parametrize("cell", [cell for cell in DEFAULT.all_cells if cell.extras], ids=lambda cell: cell.id)
def test_a_lock_with_extras_is_the_plain_cells_and_no_more(cell: Cell) -> None:
    """So that what differs between the two cells is the extras alone."""
    plain, beside = (
        wheels.pins(locks.lock_path(one).read_text(encoding="utf-8"), cell.python, "x86_64")
        for one in (replace(cell, extras=()), cell)
    )
    assert set(cell.extras) <= beside.keys() - plain.keys()
    assert plain.items() <= beside.items()


def test_a_toolkit_12_has_no_nvcc_in_wheels() -> None:
    """Asking for it would bring a part of it that compiles nothing."""
    assert locks.toolkit_requirements("12.9") == ("cuda-toolkit[nvcc,cudart,nvrtc]==12.9.*",)
    assert "nvcc" in locks.toolkit_requirements("13.0")[0]


def test_the_committed_locks_are_those_of_the_default_matrix() -> None:
    """None is missing, none is left over; the groups' cells have theirs."""
    cells = DEFAULT.all_cells
    wanted = {locks.lock_path(cell) for cell in cells} | {locks.toolkit_lock(cell.toolkit) for cell in cells}
    assert set(COMMITTED) == wanted | {locks.tools_lock(name) for name in locks.TOOLS}


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_a_committed_lock_is_exact_and_has_hashes_alone(path: Path) -> None:
    """Its first line says what made it; each pin has a hash; no host and no path stands in it."""
    text = path.read_text(encoding="utf-8")
    first, *rest = text.replace("\\\n", "").splitlines()
    assert first.startswith("# Made by `nox -s lock` from: ")
    assert all(re.match(r"[a-z0-9-]+==[0-9][^ ]* .*--hash=sha256:[0-9a-f]{64}$", line) for line in rest)
    assert not re.search(r"://|--index|/home|/root|/tmp", text)


@pytest.mark.parametrize(
    "path", [path for path in COMMITTED if not path.stem.startswith(("toolkit", "profile"))], ids=lambda path: path.stem
)
def test_numpy_is_the_same_everywhere(path: Path) -> None:
    """In every cell and in the tools."""
    assert wheels.pins(path.read_text(encoding="utf-8"), "3.12", "x86_64")["numpy"] == locks.NUMPY


@pytest.mark.parametrize("cell", DEFAULT.all_cells, ids=lambda cell: cell.id)
def test_a_committed_lock_pins_what_its_cell_asks_for(cell: Cell) -> None:
    """Bindings and core exactly, NVRTC to the toolkit's minor, on either machine."""
    text = locks.lock_path(cell).read_text(encoding="utf-8")
    for machine in ("x86_64", "aarch64"):
        pins = wheels.pins(text, cell.python, machine)
        assert (pins["cuda-bindings"], pins["cuda-core"]) == (cell.bindings, cell.core)
        (nvrtc,) = (version for name, version in pins.items() if name.startswith("nvidia-cuda-nvrtc"))
        assert nvrtc.startswith(f"{cell.toolkit}.")


def test_every_wheel_of_every_lock_has_a_size() -> None:
    """So that nothing is left out when the download is told: for the Pythons that a cell's lock serves, for all in the others."""
    sizes = wheels.Sizes(json.loads(locks.SIZES.read_text(encoding="utf-8")))
    served = {(locks.lock_path(cell), cell.python) for cell in DEFAULT.all_cells}
    others = set(COMMITTED) - {path for path, _ in served}
    served |= set(itertools.product(others, ("3.11", "3.12", "3.13", "3.14")))
    for (path, python), machine in itertools.product(sorted(served), ("x86_64", "aarch64")):
        text = path.read_text(encoding="utf-8")
        assert len(sizes.needed(text, python, machine)) == len(wheels.pins(text, python, machine)), path


def test_a_wheel_that_several_need_is_downloaded_once() -> None:
    """Two Pythons of a toolkit share NVRTC; asking twice for one adds nothing."""
    lock = locks.lock_path(CELL)
    one, other = (locks.download_bytes([(lock, python)], "x86_64") for python in ("3.11", "3.12"))
    both = locks.download_bytes([(lock, "3.11"), (lock, "3.12"), (lock, "3.11")], "x86_64")
    assert max(one, other) < both < one + other - 80e6


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give an empty directory for locks, of which no tool needs one."""
    monkeypatch.setattr(locks, "LOCKS", tmp_path / "locks")
    monkeypatch.setattr(locks, "SIZES", tmp_path / "locks" / "sizes.json")
    monkeypatch.setattr(locks, "TOOLS", {})
    return tmp_path / "locks"


def test_renewing_writes_what_the_matrix_needs_and_no_more(empty: Path) -> None:
    """With the real uv: a lock for each cell, a group's too, one for their toolkit, the sizes; one that is left over goes."""
    empty.mkdir()
    (empty / "cu11.8-b11.8.0-cnone.txt").write_text("# old\n", encoding="utf-8")
    small = replace(DEFAULT, cells=(CELL,), groups=(("same", (CELL, OTHER)),))
    locks.renew(small, uv.run)
    made = [locks.lock_path(CELL), locks.lock_path(OTHER), locks.SIZES, locks.toolkit_lock("13.0")]
    assert sorted(empty.iterdir()) == sorted(made)
    pins = wheels.pins(locks.lock_path(CELL).read_text(encoding="utf-8"), "3.12", "x86_64")
    assert (pins["cuda-bindings"], pins["numpy"]) == ("13.0.3", locks.NUMPY)
    assert locks.download_bytes([(locks.lock_path(CELL), "3.12")], "x86_64") > 80e6


def test_a_failed_renewal_leaves_the_locks_as_they_are(empty: Path) -> None:
    """A version that does not exist is told in uv's words."""
    empty.mkdir()
    (empty / "old.txt").write_text("# old\n", encoding="utf-8")
    with pytest.raises(EnvironmentFailed, match=r"cuda-bindings==13\.0\.99"):
        locks.renew(replace(DEFAULT, cells=(replace(CELL, bindings="13.0.99"),), groups=()), uv.run)
    assert [path.name for path in empty.iterdir()] == ["old.txt"]


def test_nvjitlink_is_the_toolkits_where_something_asks_for_it() -> None:
    """It would float to the newest otherwise; this is what ``cuda-bindings[all]`` pulls in."""
    text = locks._lock(["nvidia-nvjitlink"], "13.0", uv.run)
    assert wheels.pins(text, "3.12", "x86_64")["nvidia-nvjitlink"].startswith("13.0.")


def test_an_index_without_sizes_is_refused(empty: Path) -> None:
    """A size that is not known would make the told download too small."""

    def run(arguments: Sequence[str]) -> str:
        pylock = '[[packages]]\nname = "a"\nwheels = [{ url = "https://host.invalid/a-1-py3-none-any.whl" }]\n'
        return pylock if "--format=pylock.toml" in arguments else "a==1\n"

    with pytest.raises(MachineError, match="no file sizes"):
        locks.renew(replace(DEFAULT, cells=(CELL,), groups=()), run)
    assert not empty.exists()
