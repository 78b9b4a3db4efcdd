"""What a page is made of: strings and small numbers, ready for a template.

``report`` builds it from results, ``render`` turns it into HTML. Nothing here knows of seconds, samples or markup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and a value, a line of a definition list."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class FactGroup:
    """Facts under one heading."""

    title: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """Some names in a few words, ``8 cells``; ``items`` lists them where the words do not."""

    text: str
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Warned:
    """A flag's sentence and the cells or the fields that it weakens."""

    text: str
    where: Names


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the greatest overheads: the cell where a (case, variant) is furthest over its target, or nearest to it."""

    case: str
    variant: str
    row: str
    """Anchor of its row in the matrix."""
    cell: str
    overhead: str
    interval: str
    share: str
    """Of the target: ``58 %``."""
    heat: int


@dataclass(frozen=True, slots=True)
class AreaSummary:
    """The overheads of one area, a call, against the target.

    Of the ``certain`` ones, ``over`` are over the target; ``median`` and ``greatest``, by its share of the target, are of the
    same, and empty where there are none. ``unsure`` are the others.
    """

    name: str
    anchor: str
    median: str
    median_share: str
    greatest: str
    greatest_share: str
    greatest_heat: int
    greatest_where: str
    over: int
    certain: int
    unsure: int


@dataclass(frozen=True, slots=True)
class HeatStep:
    """One step of the colour scale; ``over`` says that it lies beyond the target."""

    heat: int
    text: str
    over: bool


@dataclass(frozen=True, slots=True)
class Span:
    """A head over ``width`` neighbouring columns."""

    text: str
    width: int


@dataclass(frozen=True, slots=True)
class Column:
    """The head of one cell's column.

    ``state`` is empty, or a short word such as ``not run``; ``starts`` opens a release; ``marks`` are those of ``Grid.marks``.
    """

    cell: str
    anchor: str
    """Anchor of the cell's details."""
    text: str
    starts: bool
    marks: str
    state: str
    detail: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One field of the matrix.

    ``kind`` is ``overhead``, ``time`` (there is nothing to set it against), ``count`` or ``mark`` (not measured: ``text`` says
    so in a word). ``interval`` is how far it is certain, the small line beneath. ``standing`` is that of an overhead against
    the target, in a word, or empty. ``heat`` is a step of the colour scale, ``None`` where there is no overhead or it is too
    uncertain to have a colour. ``flagged`` says that something weakens it. The whole story is told from ``Page.data``.
    """

    kind: str
    text: str
    interval: str
    heat: int | None
    standing: str
    flagged: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """A flame graph: its address from the page's directory, and the cell that it is of, in words."""

    href: str
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """One (case, variant) over all cells; ``leads`` marks the first variant of its case, whose own view is at ``about``."""

    case: str
    variant: str
    anchor: str
    about: str
    leads: bool
    detail: str
    graphs: tuple[Graph, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class RowGroup:
    """The rows of one area."""

    name: str
    anchor: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A matrix: three levels of heads over one column a cell, and rows by area.

    ``quantity`` is ``time`` or ``instructions``. ``marks`` are those that some column carries, each with its sentence;
    ``flagged`` says that some field carries the corner. ``scale`` is that of overheads.
    """

    quantity: str
    title: str
    toolkits: tuple[Span, ...]
    releases: tuple[Span, ...]
    columns: tuple[Column, ...]
    groups: tuple[RowGroup, ...]
    marks: tuple[Fact, ...]
    flagged: bool
    scale: tuple[HeatStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Missing:
    """What did not run for one reason; ``mark`` is the word that the matrix shows."""

    mark: str
    what: Names
    where: Names
    reason: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Case variants of one cell that have no number, and why; ``mark`` is the word that the matrix shows."""

    mark: str
    what: Names
    reason: str


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package; ``digest`` is empty where it installs nothing."""

    name: str
    version: str
    digest: str


@dataclass(frozen=True, slots=True)
class CellRow:
    """Where one cell's numbers come from: the short form for a table, and everything in ``details``."""

    id: str
    anchor: str
    state: str
    reason: str
    values: tuple[str, ...]
    """In the order of ``Page.cell_heads``."""
    flags: tuple[str, ...]
    details: tuple[FactGroup, ...]
    packages: tuple[Package, ...] = ()
    failures: tuple[Failure, ...] = ()
    log: str = ""
    """The end of what its workers printed, where something of it failed."""


@dataclass(frozen=True, slots=True)
class Link:
    """A text that leads somewhere."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that others have published, or a pilot of this project found; ``ours`` of the same variant beside it, in words."""

    value: str
    what: str
    variant: str
    package: str
    hardware: str
    said: tuple[Link, ...]
    """The issues that it stands in; empty where none is named."""
    note: str
    ours: str


@dataclass(frozen=True, slots=True)
class Way:
    """One variant of a case. ``beside`` says how it is like its native twin; ``source`` is empty where it was not recorded."""

    name: str
    row: str
    """Anchor of its row in the matrix; empty for one without a row."""
    beside: str
    calls: str
    needs: str
    source: str
    graphs: tuple[Graph, ...]


@dataclass(frozen=True, slots=True)
class CaseView:
    """All that is told of one case.

    ``span`` is by variant how its numbers lie over the cells, for who skims a list of cases. ``published`` are others' figures,
    ``pilot`` those of a pilot of this project.
    """

    id: str
    anchor: str
    area: str
    title: str
    span: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    references: tuple[Link, ...]
    ways: tuple[Way, ...]
    published: tuple[Published, ...]
    pilot: tuple[Published, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """All that the template shows.

    ``banner`` is empty over a real driver, ``alert`` where the run is complete, ``unsure`` where ``worst`` leaves nothing out,
    ``target`` where no time was to be measured, ``counted`` where no instructions were to be counted. ``of_areas`` says which
    overheads the ``areas`` speak of.
    """

    title: str
    run: str
    banner: str
    alert: str
    verdict: str
    target: str
    counted: str
    head: tuple[Fact, ...]
    worst_title: str
    worst: tuple[Worst, ...]
    unsure: str
    flags: tuple[Warned, ...]
    areas: tuple[AreaSummary, ...]
    of_areas: str
    grids: tuple[Grid, ...]
    missing: tuple[Missing, ...]
    cases: tuple[CaseView, ...]
    cells: tuple[CellRow, ...]
    cell_heads: tuple[str, ...]
    manifest: tuple[FactGroup, ...]
    data: dict[str, Any]
    """What the page's scripts read: ``pagedata.payload``."""
