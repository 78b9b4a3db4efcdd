"""Things that are built once and kept by their content."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


_WHOLE = ".whole"
"""The list of what was built."""


def cached(root: Path, parts: Iterable[bytes | str | Path], build: Callable[[Path], None]) -> Path:
    """Return the directory below *root* that *build* fills from *parts*; built only where it is not there yet.

    The directory is named by a hash of the parts: a Path stands for the content of its file. *build* is given an empty directory
    beside the final one, which is renamed when all is there: what is found is always whole, whoever interrupts or builds the same
    at the same time. Raises what *build* raises, and OSError.
    """
    kept = root / _digest(parts)
    if _is_whole(kept):
        return kept
    shutil.rmtree(kept, ignore_errors=True)
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".building-", dir=root) as scratch:
        fresh = Path(scratch) / "content"
        fresh.mkdir()
        build(fresh)
        (fresh / _WHOLE).write_text("\n".join(sorted(path.name for path in fresh.iterdir())), encoding="utf-8")
        _move(fresh, kept)
    return kept


def _is_whole(kept: Path) -> bool:
    """Whether all that was built in *kept* is still there; somebody may have deleted a part."""
    try:
        return all((kept / name).exists() for name in (kept / _WHOLE).read_text(encoding="utf-8").split("\n"))
    except OSError:
        return False


def _digest(parts: Iterable[bytes | str | Path]) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(_content(part)).digest())
    return total.hexdigest()[:32]


def _content(part: bytes | str | Path) -> bytes:
    if isinstance(part, Path):
        return part.read_bytes()
    return part.encode() if isinstance(part, str) else part


def _move(fresh: Path, kept: Path) -> None:
    """Rename *fresh* to *kept*, unless another process was first: then its result, of the same parts, stays."""
    try:
        fresh.rename(kept)
    except OSError:
        if not _is_whole(kept):
            raise
