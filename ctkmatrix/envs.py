"""Makes environments from locks by uv, checks what came out, and finds them again in a few milliseconds.

Below the given root: ``envs/<cell id>/``, ``tools/<name>/`` and ``toolkits/<version>/``. A stamp, written last, says that one is
complete and what it was made of: after a change of its lock or its interpreter, or an interruption, it is made anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packaging.utils import canonicalize_name

from ctkmatrix import envcheck, interpreters, locks, uv
from ctkmatrix.errors import EnvironmentFailed, MachineError
from ctkmatrix.model import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ctkmatrix.model import Cell

_STAMP = "ctkmatrix.json"


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment that is complete and checked.

    ``name`` is the cell's id, or the tool's name; ``interpreter`` is what ``python`` was made from; ``lock_hash`` is the SHA-256
    of the lock; ``seconds`` is what it took this time.
    """

    name: str
    python: Path
    interpreter: Path
    lock_hash: str
    seconds: float
    reused: bool

    @property
    def site_packages(self) -> Path:
        """Where its packages are."""
        return next(self.python.parent.parent.glob("lib/python3*/site-packages"))


def ensure(cell: Cell, root: Path) -> Environment:
    """Return the environment of *cell* below *root*, made or found again.

    Raises EnvironmentFailed, and records it for ``failure``, where this cell cannot be had or is not what was asked for;
    MachineError for what concerns every cell: no uv, no network, no space.
    """
    lock, directory = locks.lock_path(cell), root / "envs" / cell.id
    try:
        made = make(directory, lock, lambda: interpreters.find(cell.python), lambda python: envcheck.cell(cell, python, lock))
    except EnvironmentFailed as error:
        record_failure(cell, root, str(error))
        raise
    _failure_path(cell, root).unlink(missing_ok=True)
    return made


def ensure_tools(name: str, root: Path, interpreter: Path | None = None) -> Environment:
    """Return the ``orchestrator`` or ``dev`` environment, made with *interpreter* or the one that runs this.

    Raises EnvironmentFailed or MachineError.
    """
    lock, base = locks.tools_lock(name), (interpreter or Path(sys.executable)).resolve()
    return make(root / "tools" / name, lock, lambda: base, lambda python: envcheck.tools(name, python, lock))


def make(directory: Path, lock: Path, find: Callable[[], Path], check: Callable[[Path], None]) -> Environment:
    """Return the environment of *lock* in *directory*, found again, or made with the interpreter that *find* gives.

    *check* looks at what was made, before it is stamped, and raises EnvironmentFailed; it is then made anew next time. Raises
    MachineError as well.
    """
    start, lock_hash = time.perf_counter(), _hash(lock)
    python = directory / "bin" / "python"
    with _locked(directory):
        stamp = _stamp(directory, lock_hash)
        reused = stamp is not None
        if stamp is None:
            interpreter = find()
            (directory / _STAMP).unlink(missing_ok=True)
            uv.run(["venv", "--no-project", "--clear", "--python", str(interpreter), str(directory)])
            _sync(lock, "--python", str(python), "--compile-bytecode")
            check(python)
            stamp = {
                "lock": lock_hash,
                "contents": _contents(directory),
                "interpreter": str(interpreter),
                "state": _state(interpreter),
            }
            _write(directory / _STAMP, stamp)
    seconds = time.perf_counter() - start
    return Environment(directory.name, python, Path(stamp["interpreter"]), lock_hash, seconds, reused)


def ensure_toolkit(version: str, root: Path) -> Path:
    """Return the directory into which the wheels of toolkit *version* are unpacked: nvcc where there is one, headers, libraries.

    Raises EnvironmentFailed or MachineError.
    """
    lock, directory = locks.toolkit_lock(version), root / "toolkits" / version
    lock_hash = _hash(lock)
    with _locked(directory):
        if _stamp(directory, lock_hash) is None:
            shutil.rmtree(directory, ignore_errors=True)
            _sync(lock, "--target", str(directory), "--python", sys.executable)
            _write(directory / _STAMP, {"lock": lock_hash, "contents": _contents(directory)})
    return directory


def is_made(directory: Path) -> bool:
    """Whether something complete, if perhaps out of date, is in *directory*."""
    return (directory / _STAMP).exists()


def forget(directory: Path) -> None:
    """Have what is in *directory* be made anew next time."""
    (directory / _STAMP).unlink(missing_ok=True)


def record_failure(cell: Cell, root: Path, reason: str) -> None:
    """Keep why *cell* has no environment, until it has one."""
    _write(_failure_path(cell, root), {"reason": reason})


def failure(cell: Cell, root: Path) -> str | None:
    """Return why *cell* has no environment, or ``None`` if the last attempt went well or there was none."""
    found = _read(_failure_path(cell, root))
    return None if found is None else str(found["reason"])


def hashes(environment: Environment) -> dict[str, str]:
    """Return ``{package: payload hash}`` of all that is installed."""
    found = metadata.distributions(path=[str(environment.site_packages)])
    return {canonicalize_name(package.name): payload_hash(package.read_text("RECORD") or "") for package in found}


def payload_hash(record: str) -> str:
    """Return the SHA-256 of the lines of a wheel's RECORD that are the same wherever it is installed.

    Left out: its dist-info, to which installers add, and its scripts, which name the environment.
    """
    kept = sorted(line for line in record.splitlines() if line and ".dist-info/" not in line and not line.startswith("../"))
    return hashlib.sha256("\n".join(kept).encode()).hexdigest()


def _sync(lock: Path, *options: str) -> None:
    """Install exactly what *lock* says: wheels alone, each with its hash."""
    uv.run_or_do_offline(["pip", "sync", "--require-hashes", "--no-build", *options, str(lock)])


def _hash(lock: Path) -> str:
    try:
        return hashlib.sha256(lock.read_bytes()).hexdigest()
    except FileNotFoundError as error:
        raise EnvironmentFailed(f"there is no lock locks/{lock.name}: run `nox -s lock` after a change of matrix.toml") from error


def _stamp(directory: Path, lock_hash: str) -> dict[str, Any] | None:
    """Return the stamp of what is in *directory*, or ``None`` where that is incomplete or out of date."""
    stamp = _read(directory / _STAMP)
    if stamp is None or stamp.get("lock") != lock_hash:
        return None
    if not all((directory / path).exists() for path in stamp.get("contents", ())):
        return None
    if "interpreter" in stamp and stamp.get("state") != _state(Path(stamp["interpreter"])):
        return None
    return stamp


def _contents(directory: Path) -> list[str]:
    """Return the paths of all that is installed, two levels of it: enough to miss a package that somebody has deleted."""
    places = [directory / "bin", *directory.glob("lib/python3*/site-packages"), *directory.glob("nvidia/*/*")]
    found = [path for place in places if place.is_dir() for path in place.iterdir()]
    return sorted(str(path.relative_to(directory)) for path in found)


def _state(interpreter: Path) -> list[int]:
    """Return what changes when another interpreter takes this one's place; nothing when it is gone."""
    try:
        found = interpreter.stat()
    except OSError:
        return []
    return [found.st_mtime_ns, found.st_size]


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Keep other invocations from making *directory* at the same time; they wait."""
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        file = directory.with_name(f"{directory.name}.lock").open("w")
    except OSError as error:
        raise MachineError(f"{directory} cannot be made: {error.strerror}") from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _failure_path(cell: Cell, root: Path) -> Path:
    return root / "envs" / f"{cell.id}.failed.json"


def _write(path: Path, content: dict[str, Any]) -> None:
    """Write a file that is either whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_text(json.dumps({"schema": SCHEMA, **content}), encoding="utf-8")
    part.replace(path)


def _read(path: Path) -> dict[str, Any] | None:
    """Return what ``_write`` wrote; ``None`` where there is none, or one of another version of this program."""
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if content.get("schema") == SCHEMA else None
