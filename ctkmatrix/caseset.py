"""The case set as the orchestrator sees it: plain data, and a version for each case."""

from __future__ import annotations

import fnmatch
import hashlib
from typing import TYPE_CHECKING

from ctkmatrix import model
from ctkmatrix.errors import UsageError
from ctkmatrix.probe import registry
from ctkmatrix.suggest import perhaps

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SHARED = (
    "ctkmatrix/probe/loop.py",
    "ctkmatrix/probe/block.py",
    "ctkmatrix/probe/subject.py",
    "native/loop.hpp",
    "native/cases.hpp",
    "native/driver.hpp",
    "native/driver.cpp",
    "native/abi.cpp",
    "native/kernels.cu",
)
"""What every case is made of besides its own files, relative to the checkout."""


def load(root: Path, flags: Sequence[str]) -> tuple[model.Case, ...]:
    """Return all cases of the checkout at *root*, in order of id; *flags* are the native compiler's."""
    return tuple(_plain(case, version(root, case.id, flags)) for case in registry.load(root / "cases").values())


def version(root: Path, case: str, flags: Sequence[str]) -> str:
    """Return the hash (16 hex digits) of the case's source, its native twins, the loop and the compile *flags*.

    The unit is the area's file: cases of a file share helpers, so a change of one may be a change of all.
    """
    area = case.partition(".")[0]
    own = [f"cases/{area}.py", f"native/{area}.cpp", f"native/runtime/{area}.cpp"]
    digest = hashlib.sha256("\0".join(flags).encode())
    for name in (*own, *SHARED):
        path = root / name
        digest.update(f"\0{name}\0".encode() + (path.read_bytes() if path.exists() else b""))
    return digest.hexdigest()[:16]


def select(cases: Sequence[model.Case], patterns: Sequence[str]) -> tuple[model.Case, ...]:
    """Return the cases whose id matches one of *patterns* (all, without patterns). Raises UsageError where one matches none."""
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(case.id, pattern) for case in cases):
            known = [case.id for case in cases] + sorted({f"{case.area}.*" for case in cases})
            raise UsageError(f"--case {pattern}: no such case{perhaps(pattern, known)}")
    if not patterns:
        return tuple(cases)
    return tuple(case for case in cases if any(fnmatch.fnmatchcase(case.id, pattern) for pattern in patterns))


def _plain(case: registry.Case, version: str) -> model.Case:
    return model.Case(
        id=case.id,
        title=case.title,
        variants=tuple(
            model.Variant(v.name, v.calls, v.differs, v.needs, v.source)
            for v in sorted(case.variants.values(), key=lambda v: registry.VARIANTS.index(v.name))
        ),
        references=case.references,
        calls_per_turn=case.calls_per_turn,
        isolated=case.isolated,
        asynchronous=case.asynchronous,
        seconds_per_turn=case.seconds_per_turn,
        without_native=case.without_native,
        version=version,
    )
