"""What the page of a comparison is made of: strings and small numbers, ready for a template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctkmatrix.page import Fact, Names


@dataclass(frozen=True, slots=True)
class Headline:
    """What one metric says: the count of each judgement, and what became of the native control."""

    title: str
    verdict: str
    control: str


@dataclass(frozen=True, slots=True)
class Line:
    """One judged row, in words. ``kind`` is the judgement's own name, ``word`` what the metric calls it."""

    kind: str
    word: str
    metric: str
    area: str
    case: str
    variant: str
    where: str
    control: bool
    before: str
    after: str
    change: str
    relative: str
    interval: str
    margin: str
    p: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AreaLine:
    """The geometric mean of one area: candidate over reference, less one."""

    metric: str
    area: str
    mean: str
    span: str
    fields: int


@dataclass(frozen=True, slots=True)
class LackingLine:
    """What cannot be compared for one reason. ``side`` says which side has no number."""

    side: str
    what: Names
    where: Names
    reason: str


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """One fact that is not the same on both sides, and for which cells."""

    group: str
    what: str
    reference: str
    candidate: str
    where: Names


@dataclass(frozen=True, slots=True)
class Section:
    """A table under a title; every row has as many texts as there are *heads*."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """What a validation came to. ``kind`` is the ruling, ``alerts`` what a reader must know besides."""

    title: str
    kind: str
    headline: str
    alerts: tuple[str, ...]
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """All that the template shows; ``data`` is what its script reads. ``decided`` is ``None`` where nothing had to be.

    ``quiet`` is what there is to say where nothing is among the ``worst``.
    """

    title: str
    reference: str
    candidate: str
    banner: str
    alerts: tuple[str, ...]
    headlines: tuple[Headline, ...]
    head: tuple[Fact, ...]
    pairs: tuple[tuple[str, str], ...]
    worst: tuple[Line, ...]
    quiet: str
    marks: tuple[tuple[str, Names], ...]
    lines: tuple[Line, ...]
    areas: tuple[AreaLine, ...]
    lacking: tuple[LackingLine, ...]
    shares: str
    differences: tuple[DifferenceLine, ...]
    metrics: tuple[str, ...]
    unit: str
    kinds: tuple[tuple[str, str], ...]
    data: dict[str, Any]
    decided: Decided | None = None
