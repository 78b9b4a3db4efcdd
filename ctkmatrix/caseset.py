"""The case set as the orchestrator sees it: plain data, and a version for each case."""

from __future__ import annotations

import dataclasses
import fnmatch
import hashlib
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from ctkmatrix import model, snippets
from ctkmatrix.errors import UsageError
from ctkmatrix.probe import registry
from ctkmatrix.suggest import perhaps

if TYPE_CHECKING:
    from collections.abc import Sequence

SHARED = (
    "ctkmatrix/probe/*.py",
    "native/*.hpp",
    "native/abi.cpp",
    "native/driver.cpp",
    "native/kernels.cu",
    "native/runtime/runtime.*",
)
"""What every case is made of besides its own files: globs, relative to the checkout."""


def load(root: Path, flags: Sequence[str]) -> tuple[model.Case, ...]:
    """Return all cases of the checkout at *root*, in order of id; *flags* are the native compiler's.

    Raises UsageError, with file and line, where a file in ``cases/`` does not load.
    """
    try:
        found = registry.load(root / "cases")
    except (Exception, SystemExit) as error:
        raise UsageError(f"{_where(root, error)}: {type(error).__name__}: {error}") from error
    return tuple(_plain(root, case, version(root, case.id, flags)) for case in found.values())


def _where(root: Path, error: BaseException) -> str:
    """Return ``cases/FILE.py:LINE``, where *error* came from."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"cases/{Path(error.filename).name}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).parent == root / "cases"]
    return f"cases/{Path(own[-1].filename).name}:{own[-1].lineno}" if own else "cases/"


def version(root: Path, case: str, flags: Sequence[str]) -> str:
    """Return the hash (16 hex digits) of the case's source, its native twins, the loop and the compile *flags*.

    The unit is the area's file: cases of a file share helpers, so a change of one may be a change of all.
    """
    area = case.partition(".")[0]
    own = [f"cases/{area}.py", f"native/{area}.cpp", f"native/runtime/{area}.cpp"]
    digest = hashlib.sha256("\0".join(flags).encode())
    for path in sorted(path for pattern in (*own, *SHARED) for path in root.glob(pattern)):
        digest.update(f"\0{path.relative_to(root)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def aimed(cases: Sequence[model.Case], targets: Sequence[tuple[str, float]]) -> tuple[model.Case, ...]:
    """Return *cases*, each with the last of *targets*, (glob, seconds a call), that matches it.

    Raises UsageError where a glob matches none.
    """
    for glob, _ in targets:
        if not any(fnmatch.fnmatchcase(case.id, glob) for case in cases):
            raise UsageError(f"matrix.toml: [targets] {glob!r} matches no case{perhaps(glob, [case.id for case in cases])}")
    own = {case.id: target for glob, target in targets for case in cases if fnmatch.fnmatchcase(case.id, glob)}
    return tuple(dataclasses.replace(case, target=own.get(case.id, 0.0)) for case in cases)


def select(cases: Sequence[model.Case], patterns: Sequence[str]) -> tuple[model.Case, ...]:
    """Return the cases whose id matches one of *patterns* (all, without patterns). Raises UsageError where one matches none."""
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(case.id, pattern) for case in cases):
            known = [case.id for case in cases] + sorted({f"{case.area}.*" for case in cases})
            raise UsageError(f"--case {pattern}: no such case{perhaps(pattern, known)}")
    if not patterns:
        return tuple(cases)
    return tuple(case for case in cases if any(fnmatch.fnmatchcase(case.id, pattern) for pattern in patterns))


def _snippet(root: Path, case: str, variant: registry.Variant) -> str:
    """Return the text that a *variant* is told by; nothing where a native one has no file."""
    if variant.body is not None:
        return snippets.python(variant.body)
    directory = root / "native" / ("runtime" if variant.name == registry.NATIVE_RUNTIME else "")
    path = directory / f"{case.partition('.')[0]}.cpp"
    return snippets.native(path.read_text(encoding="utf-8"), case) if path.is_file() else ""


def _plain(root: Path, case: registry.Case, version: str) -> model.Case:
    return model.Case(
        id=case.id,
        title=case.title,
        variants=tuple(
            model.Variant(v.name, v.calls, v.differs, v.needs, _snippet(root, case.id, v))
            for v in sorted(case.variants.values(), key=lambda v: registry.VARIANTS.index(v.name))
        ),
        references=case.references,
        calls_per_turn=case.calls_per_turn,
        isolated=case.isolated,
        asynchronous=case.asynchronous,
        uncountable=case.uncountable,
        seconds_per_turn=case.seconds_per_turn,
        without_native=case.without_native,
        version=version,
        unit=case.unit,
    )
