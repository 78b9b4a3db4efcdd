"""All that a validation comes to, and the files that it is told in: ``verdict.json``, ``summary.md``, ``junit.xml``. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from ctkmatrix.differences import Difference  # noqa: TC001 -- msgspec reads the annotations
from ctkmatrix.gate import Decision  # noqa: TC001 -- likewise
from ctkmatrix.model import Metric  # noqa: TC001 -- likewise

SCHEMA = 1
"""Version of ``verdict.json``."""


@dataclass(frozen=True, slots=True)
class WheelFile:
    """A wheel that was installed from a file: its name, the SHA-256 of the whole file, and the side and Python that had it."""

    side: str
    python: str
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Package:
    """A package under test: the versions of both sides. ``wheels`` are empty where both came from the index."""

    name: str
    reference: str
    candidate: str
    wheels: tuple[WheelFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Validation:
    """A candidate against a reference.

    runs
        The ids of the runs: the one that measured both sets of processes, and an earlier one where that is the reference.
    pairs
        The ids of the reference's and the candidate's cells that were compared.
    device_kind
        ``gpu`` or ``null``.
    differences
        In what the two sides differ besides the numbers.
    warnings
        What a reader must know besides, each a sentence.
    """

    packages: tuple[Package, ...]
    metrics: tuple[Metric, ...]
    device_kind: str
    started: str
    runs: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    decision: Decision
    differences: tuple[Difference, ...] = ()
    warnings: tuple[str, ...] = ()
    schema: int = SCHEMA

    @property
    def title(self) -> str:
        """What is compared: ``cuda-bindings 13.0.4rc1 against 13.0.3``."""
        return ", ".join(f"{one.name} {one.candidate} against {one.reference}" for one in self.packages)


def to_json(validation: Validation) -> bytes:
    """Return ``verdict.json``: seconds and instructions a turn, as ``docs/schema/verdict.schema.json`` says."""
    return msgspec.json.format(msgspec.json.encode(validation), indent=1) + b"\n"
