"""Making environments, finding them again, and noticing when they are out of date."""

import json
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ctkmatrix import envcheck, envs, interpreters, locks
from ctkmatrix.errors import EnvironmentFailed
from ctkmatrix.model import Cell

THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
CELL = Cell("13.0", THIS, "13.0.3", "1.2.2")
DEV = locks.tools_lock("dev").read_text(encoding="utf-8")


def pinned(*packages: str) -> str:
    """Return the part of the development lock that pins *packages*."""
    entries = DEV.replace("\\\n", "\0").splitlines()
    kept = [entry for entry in entries if entry.partition("==")[0] in packages]
    assert len(kept) == len(packages)
    return "\n".join(kept).replace("\0", "\\\n") + "\n"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the lock of a tool called «small», which is quickly made: one package with a script, one without."""
    monkeypatch.setattr(locks, "LOCKS", tmp_path / "locks")
    (tmp_path / "locks").mkdir()
    lock = locks.tools_lock("small")
    lock.write_text(pinned("iniconfig", "markdown-it-py"), encoding="utf-8")
    return lock


def test_an_environment_holds_what_its_lock_says(small: Path, tmp_path: Path) -> None:
    """Exactly that, made from the interpreter that runs this, with byte code."""
    made = envs.ensure_tools("small", tmp_path)
    assert (made.name, made.reused) == ("small", False)
    assert made.python == tmp_path / "tools" / "small" / "bin" / "python"
    assert made.interpreter == Path(sys.executable).resolve()
    assert sorted(envs.hashes(made)) == ["iniconfig", "markdown-it-py"]
    assert list((made.site_packages / "iniconfig" / "__pycache__").glob("*.pyc"))
    assert made.seconds > 0


def test_a_second_call_runs_nothing(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither uv nor an interpreter: there is none left on this machine. Well under a tenth of a second."""
    made = envs.ensure_tools("small", tmp_path)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("UV", "/bin/false")
    again = envs.ensure_tools("small", tmp_path)
    assert again == replace(made, seconds=again.seconds, reused=True)
    assert again.seconds < 0.1


def drop_stamp(directory: Path, lock: Path) -> None:
    """Leave what an interruption leaves: packages are missing, and no stamp."""
    (directory / "ctkmatrix.json").unlink()
    next(directory.glob("lib/*/site-packages/iniconfig/__init__.py")).unlink()


def change_pin(directory: Path, lock: Path) -> None:
    """Take a package out of the lock."""
    lock.write_text(pinned("iniconfig"), encoding="utf-8")


def change_stamp(directory: Path, **changes: object) -> None:
    """Have the stamp tell of another interpreter."""
    stamp = json.loads((directory / "ctkmatrix.json").read_text(encoding="utf-8"))
    (directory / "ctkmatrix.json").write_text(json.dumps(stamp | changes), encoding="utf-8")


def lose_interpreter(directory: Path, lock: Path) -> None:
    """Have the environment be made from what is no longer there."""
    change_stamp(directory, interpreter=str(directory / "gone"))


def replace_interpreter(directory: Path, lock: Path) -> None:
    """Have the environment be made from what was there before an upgrade."""
    change_stamp(directory, state=[0, 0])


def spoil_stamp(directory: Path, lock: Path) -> None:
    """Leave half a stamp."""
    (directory / "ctkmatrix.json").write_text('{"schema": 1, "lo', encoding="utf-8")


def other_schema(directory: Path, lock: Path) -> None:
    """Leave the stamp of another version of this program."""
    change_stamp(directory, schema=0)


@pytest.mark.parametrize(
    "change", [drop_stamp, change_pin, lose_interpreter, replace_interpreter, spoil_stamp, other_schema], ids=lambda f: f.__name__
)
def test_what_is_out_of_date_is_made_anew(small: Path, tmp_path: Path, change: Callable[[Path, Path], None]) -> None:
    """A changed pin, another interpreter or none, an interruption: the environment is whole again, and then re-used."""
    made = envs.ensure_tools("small", tmp_path)
    change(tmp_path / "tools" / "small", small)
    anew = envs.ensure_tools("small", tmp_path)
    assert not anew.reused
    assert (anew.site_packages / "iniconfig" / "__init__.py").exists()
    assert (anew.site_packages / "markdown_it").exists() == ("markdown-it-py" in small.read_text(encoding="utf-8"))
    assert anew.interpreter == made.interpreter
    assert envs.ensure_tools("small", tmp_path).reused


def test_two_at_once_make_it_once(small: Path, tmp_path: Path) -> None:
    """The second waits for the first and finds what it made."""
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: envs.ensure_tools("small", tmp_path), range(2)))
    assert sorted(made.reused for made in both) == [False, True]


def test_the_callers_environment_does_not_leak(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another active environment, another Python and a path full of traps change nothing."""
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / "sitecustomize.py").write_text("raise SystemExit(3)", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(trap))
    monkeypatch.setenv("VIRTUAL_ENV", str(trap))
    monkeypatch.setenv("UV_PYTHON", "3.99")
    made = envs.ensure_tools("small", tmp_path)
    assert made.interpreter == Path(sys.executable).resolve()
    assert list(trap.iterdir()) == [trap / "sitecustomize.py"]


def test_a_wheel_with_another_hash_is_refused(small: Path, tmp_path: Path) -> None:
    """The words of uv are shown, and nothing is left that would be taken for complete."""
    text = small.read_text(encoding="utf-8")
    small.write_text(re.sub(r"[0-9a-f]{64}", "0" * 64, text), encoding="utf-8")
    with pytest.raises(EnvironmentFailed, match="Hash mismatch"):
        envs.ensure_tools("small", tmp_path)
    small.write_text(text, encoding="utf-8")
    assert not envs.ensure_tools("small", tmp_path).reused


def test_a_missing_lock_says_how_to_make_it(small: Path, tmp_path: Path) -> None:
    """After a line is added to matrix.toml."""
    with pytest.raises(EnvironmentFailed, match=r"no lock locks/cu13\.0-b13\.0\.3-c1\.2\.2\.txt: run `nox -s lock`"):
        envs.ensure(CELL, tmp_path)


def test_a_failed_cell_is_remembered_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later step says why it did not run; another cell, such as that of 3.98 itself, is not touched."""
    monkeypatch.setenv("UV_PYTHON_DOWNLOADS", "never")
    interpreters._install.cache_clear()
    missing = replace(CELL, python="3.98t")
    assert envs.failure(missing, tmp_path) is None
    with pytest.raises(EnvironmentFailed, match=r"no interpreter for Python 3\.98t") as caught:
        envs.ensure(missing, tmp_path)
    assert envs.failure(missing, tmp_path) == str(caught.value)
    assert envs.failure(replace(missing, python="3.98"), tmp_path) is None


def test_hashes_are_those_of_the_wheels(small: Path, tmp_path: Path) -> None:
    """Two environments with the same wheels agree, although scripts name the environment; another payload differs."""
    one, other = (envs.ensure_tools("small", tmp_path / name) for name in ("one", "other"))
    records = [next(made.site_packages.glob("markdown_it_py-*/RECORD")).read_text(encoding="utf-8") for made in (one, other)]
    assert records[0] != records[1]
    assert envs.hashes(one) == envs.hashes(other)
    assert envs.payload_hash(records[0]) != envs.payload_hash(records[0].replace("markdown_it/__init__.py,sha256=", "x,sha256="))


def test_a_toolkit_is_unpacked_once(small: Path, tmp_path: Path) -> None:
    """Into a directory of its own; a changed lock replaces it whole."""
    lock = locks.toolkit_lock("9.9")
    lock.write_text(pinned("iniconfig"), encoding="utf-8")
    directory = envs.ensure_toolkit("9.9", tmp_path)
    (directory / "mark").touch()
    assert envs.ensure_toolkit("9.9", tmp_path) == directory == tmp_path / "toolkits" / "9.9"
    assert (directory / "mark").exists()
    assert (directory / "iniconfig").is_dir()
    lock.write_text(pinned("markdown-it-py"), encoding="utf-8")
    envs.ensure_toolkit("9.9", tmp_path)
    assert not (directory / "mark").exists()
    assert not (directory / "iniconfig").exists()
    assert (directory / "markdown_it").is_dir()


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, envs.Environment]:
    """Make the environment of a real cell, which an earlier attempt has failed to make."""
    root = tmp_path_factory.mktemp("root")
    envs.record_failure(CELL, root, "the network was down")
    return root, envs.ensure(CELL, root)


@pytest.mark.slow
def test_a_cells_environment_is_what_was_asked_for(cell: tuple[Path, envs.Environment]) -> None:
    """Its packages, one numpy, and no reason why it did not run; then it is re-used."""
    root, made = cell
    assert made.name == CELL.id
    assert {"cuda-bindings", "cuda-core", "numpy", "nvidia-cuda-nvrtc"} <= envs.hashes(made).keys()
    assert envs.failure(CELL, root) is None
    assert envs.ensure(CELL, root).reused


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (replace(CELL, python="3.14t"), f"Python 3.14t was asked for, and the environment has {THIS}"),
        (replace(CELL, toolkit="13.1"), "NVRTC 13.1 was asked for, and 13.0 is loaded"),
    ],
)
def test_another_cell_is_told_from_it(cell: tuple[Path, envs.Environment], asked: Cell, reason: str) -> None:
    """A check says what was asked for and what there is."""
    with pytest.raises(EnvironmentFailed) as caught:
        envcheck.cell(asked, cell[1].python, locks.lock_path(CELL))
    assert f"the environment of {asked.id} is not what was asked for: " in str(caught.value)
    assert reason in str(caught.value)


@pytest.mark.slow
def test_other_versions_than_asked_are_told(cell: tuple[Path, envs.Environment]) -> None:
    """Both versions are said."""
    with pytest.raises(EnvironmentFailed, match=r"cuda-bindings 13\.1\.1 was asked for, and 13\.0\.3 is installed"):
        envcheck.cell(CELL, cell[1].python, locks.lock_path(replace(CELL, toolkit="13.1", bindings="13.1.1")))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("numpy/__init__.py", "numpy does not work: "),
        ("cuda/core/__init__.py", "cuda.core does not work: "),
        ("nvidia/cu13/lib/libnvrtc-builtins.so.13.0", "NVRTC does not work: RuntimeError: NVRTC 13.0 compiles nothing"),
    ],
)
def test_a_broken_package_is_found_before_anything_is_timed(
    cell: tuple[Path, envs.Environment], broken: str, reason: str
) -> None:
    """Each is imported, and NVRTC compiles: a file that is missing or spoilt is told by the error that it gives."""
    path = cell[1].site_packages / broken
    aside = path.with_name(f"{path.name}.aside")
    path.rename(aside)  # never written to: it shares its inode with uv's cache
    try:
        path.write_text("raise OSError('spoilt')", encoding="utf-8")
        with pytest.raises(EnvironmentFailed) as caught:
            envcheck.cell(CELL, cell[1].python, locks.lock_path(CELL))
    finally:
        aside.replace(path)
    assert reason in str(caught.value)
