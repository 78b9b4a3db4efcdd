"""Two sides, cell by cell -> every verdict, what one side lacks, and in what else they differ. Pure.

One invocation is one family of verdicts. Native variants are judged too, as a control: no Python package can move them.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctkmatrix import judged
from ctkmatrix.differences import Difference, differences
from ctkmatrix.model import SCHEMA, Judgement, Metric

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ctkmatrix.judged import Lacking, Margins, Pair, Row, Side
    from ctkmatrix.model import Results
    from ctkmatrix.pairing import Pairing

ORDER = (Judgement.SLOWER, Judgement.FASTER, Judgement.INCONCLUSIVE, Judgement.EQUIVALENT)
"""What is told first."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Which run a side is of. ``cells`` are the ids of those that are compared, in the order of the pairs."""

    run: str
    started: str
    status: str
    device_kind: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis on which the cells of every pair differ, with the values that each side has there."""

    name: str
    reference: tuple[str, ...]
    candidate: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many rows came to what, of Python variants or of the native *control*."""

    metric: Metric
    control: bool
    slower: int = 0
    faster: int = 0
    equivalent: int = 0
    inconclusive: int = 0

    @property
    def rows(self) -> int:
        """All of them."""
        return self.slower + self.faster + self.equivalent + self.inconclusive


@dataclass(frozen=True, slots=True)
class AreaMean:
    """The geometric mean of candidate over reference, of the Python variants of an area, with the least and the greatest."""

    metric: Metric
    area: str
    ratio: float
    least: float
    greatest: float
    fields: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that two sides come to; without ``axes``, cells of one id were compared.

    ``paired`` says that both were measured in the same rounds; ``alone`` are ids of cells without a partner, the reference's and
    the candidate's; ``shares`` are cases that are neither a time nor a count, which no margin is known for.
    """

    reference: Origin
    candidate: Origin
    metrics: tuple[Metric, ...]
    paired: bool
    axes: tuple[Axis, ...]
    rows: tuple[Row, ...]
    tallies: tuple[Tally, ...]
    lacking: tuple[Lacking, ...]
    alone: tuple[tuple[str, ...], tuple[str, ...]]
    shares: tuple[str, ...]
    areas: tuple[AreaMean, ...]
    differences: tuple[Difference, ...]
    schema: int = SCHEMA


def compare(reference: Side, candidate: Side, pairing: Pairing, margins: Margins, metric: Metric) -> Comparison:
    """Set the cells of a *pairing* against each other by *metric*; sides of one run are paired by round.

    Raises KeyError where there is no margin for a case.
    """
    metrics = (Metric.TIME, Metric.INSTRUCTIONS) if metric is Metric.BOTH else (metric,)
    pairs = _found(reference.results, candidate.results, pairing)
    places = list(judged.places(reference.results, candidate.results, pairs))
    rows: list[Row] = []
    lacking: list[Lacking] = []
    for one in metrics:
        both, without = judged.split(one, places)
        judge = judged.by_time if one is Metric.TIME else judged.by_count
        rows += judge(reference, candidate, both, margins)
        lacking += without
    return Comparison(
        reference=_origin(reference.results, (then.cell.id for then, _ in pairs)),
        candidate=_origin(candidate.results, (now.cell.id for _, now in pairs)),
        metrics=metrics,
        paired=reference.run == candidate.run,
        axes=tuple(Axis(axis, *_values(pairing, axis)) for axis in pairing.axes),
        rows=tuple(sorted(rows, key=_rank)),
        tallies=tuple(_tally(one, rows, control=control) for one in metrics for control in (False, True)),
        lacking=tuple(lacking),
        alone=(tuple(cell.id for cell in pairing.reference_alone), tuple(cell.id for cell in pairing.candidate_alone)),
        shares=tuple(sorted({place.case.id for place in places if place.case.unit == "share"})),
        areas=tuple(_area_means(rows)),
        differences=differences(reference.results, candidate.results, pairs),
    )


def _found(reference: Results, candidate: Results, pairing: Pairing) -> list[Pair]:
    then, now = ({result.cell: result for result in side.cells} for side in (reference, candidate))
    return [(then[one], now[other]) for one, other in pairing.pairs]


def _values(pairing: Pairing, axis: str) -> Iterator[tuple[str, ...]]:
    """Yield the values on an *axis* of the reference's cells, and those of the candidate's."""
    for cells in zip(*pairing.pairs, strict=True):
        values = dict.fromkeys(getattr(cell, axis) for cell in cells)
        yield tuple(" ".join(value) if isinstance(value, tuple) else str(value or "none") for value in values)


def _origin(results: Results, cells: Iterable[str]) -> Origin:
    manifest = results.manifest
    return Origin(manifest.run, manifest.started, manifest.status, manifest.device_kind, tuple(cells))


def _rank(row: Row) -> tuple[object, ...]:
    """Order rows: what was found first, and among alike the greater change."""
    return ORDER.index(row.judgement), -abs(row.relative or 0), row.case, row.variant, row.candidate


def _tally(metric: Metric, rows: Iterable[Row], *, control: bool) -> Tally:
    found: Mapping[Judgement, int] = Counter(row.judgement for row in rows if (row.metric, row.control) == (metric, control))
    return Tally(metric, control, **{judgement.value: found[judgement] for judgement in Judgement})


def _area_means(rows: Sequence[Row]) -> Iterator[AreaMean]:
    ratios: dict[tuple[Metric, str], list[float]] = {}
    for row in rows:
        if not row.control and row.ratio:
            ratios.setdefault((row.metric, row.area), []).append(row.ratio)
    for (metric, area), own in ratios.items():
        mean = math.exp(math.fsum(map(math.log, own)) / len(own))
        yield AreaMean(metric, area, mean, min(own), max(own), len(own))
