"""Fields of two sides -> rows, each judged by one metric, and what one side has no number of. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from ctkmatrix import counts, verdicts
from ctkmatrix.model import Flag, Judgement, Metric, Status
from ctkmatrix.quantities import percent
from ctkmatrix.results import over_null

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctkmatrix.collected import Key
    from ctkmatrix.model import Case, CellResult, Count, Field, Margin, Results, Verdict
    from ctkmatrix.verdicts import Points

    Pair = tuple[CellResult, CellResult]
    Margins = Sequence[tuple[str, Margin]]
    """(glob over case ids, margin), as in matrix.toml; the last that matches counts."""

NOT_PLANNED = "not in this run"


@dataclass(frozen=True, slots=True)
class Side:
    """A run, and each process's own time of what it measured: by round where that is what pairs them. Seconds a turn."""

    results: Results
    points: Callable[[Key], Points]

    @property
    def run(self) -> str:
        """The id of the run."""
        return self.results.manifest.run


@dataclass(frozen=True, slots=True)
class Row:
    """One (pair of cells, case, variant), judged by one metric: seconds or instructions a turn.

    ``before`` and ``after`` are the two sides' own; ``change`` is the second less the first, ``low`` and ``high`` its 95 %
    interval; of counts, the least and the most by which two processes differ. ``margin`` is in the same unit, ``relative`` a
    part of ``before``; ``p`` is of times alone, adjusted for the whole comparison. ``marks`` and ``flags`` weaken the row.
    """

    metric: Metric
    reference: str
    candidate: str
    case: str
    variant: str
    judgement: Judgement
    before: float | None = None
    after: float | None = None
    change: float | None = None
    low: float | None = None
    high: float | None = None
    relative: float | None = None
    p: float | None = None
    margin: float = 0.0
    reason: str = ""
    marks: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()

    @property
    def control(self) -> bool:
        """Whether it is a native twin's, which only a compiler, the driver or the machine can move."""
        return self.variant.startswith("native")

    @property
    def area(self) -> str:
        """The first part of the case's id."""
        return self.case.partition(".")[0]

    @property
    def ratio(self) -> float | None:
        """Candidate over reference, where both are more than nothing."""
        return self.after / self.before if self.before and self.after and min(self.before, self.after) > 0 else None


@dataclass(frozen=True, slots=True)
class Lacking:
    """What cannot be compared, as one side or both have no number; each side's reason is empty where it has one."""

    metric: Metric
    reference: str
    candidate: str
    case: str
    variant: str
    reference_reason: str
    candidate_reason: str

    @property
    def lost(self) -> bool:
        """Whether the reference has it and the candidate does not."""
        return not self.reference_reason


class Place(NamedTuple):
    """Where a row stands, and what both sides have there."""

    pair: Pair
    case: Case
    variant: str
    then: Field | None
    now: Field | None

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Reference's cell, candidate's, case and variant."""
        return self.pair[0].cell.id, self.pair[1].cell.id, self.case.id, self.variant


def places(reference: Results, candidate: Results, pairs: Iterable[Pair]) -> Iterator[Place]:
    """Yield every (pair, case, variant) that either side planned."""
    then, now = ({(field.cell, field.case, field.variant): field for field in side.fields} for side in (reference, candidate))
    cases = {case.id: case for side in (candidate, reference) for case in side.cases}
    names = dict.fromkeys((case.id, one.name) for side in (reference, candidate) for case in side.cases for one in case.variants)
    for pair in pairs:
        for case, variant in names:
            fields = (of.get((result.cell.id, case, variant)) for of, result in zip((then, now), pair, strict=True))
            yield Place(pair, cases[case], variant, *fields)


def split(metric: Metric, places: Iterable[Place]) -> tuple[list[Place], list[Lacking]]:
    """Part *places* into those that both sides have a number of, and what is lacking; what neither can run is neither."""
    both: list[Place] = []
    lacking: list[Lacking] = []
    for place in places:
        if not _planned(metric, place):
            continue
        sides = [_reason(metric, field) for field in (place.then, place.now)]
        if not any(sides):
            both.append(place)
        elif not all(field is None or field.outcome.status is Status.NOT_APPLICABLE for field in (place.then, place.now)):
            lacking.append(Lacking(metric, *place.key, *sides))
    return both, lacking


def _planned(metric: Metric, place: Place) -> bool:
    """Whether a run by *metric* has numbers of such a thing."""
    if metric is Metric.TIME:
        return place.case.unit == "time"
    return (place.case.id, place.variant) in over_null([place.case])


def _reason(metric: Metric, field: Field | None) -> str:
    """Say why a side has no number; empty where it has."""
    if field is None:
        return NOT_PLANNED
    if (field.time if metric is Metric.TIME else field.count) is not None:
        return ""
    return field.outcome.reason or f"no {'time' if metric is Metric.TIME else 'count'}: {field.outcome.status}"


def by_time(reference: Side, candidate: Side, places: Sequence[Place], margins: Margins) -> list[Row]:
    """Judge every place by its time, all as one family; *paired* by round where both sides are of one run."""
    paired = reference.run == candidate.run
    compared = [
        verdicts.compare(
            reference.points((place.pair[0].cell.id, place.case.id, place.variant)),
            candidate.points((place.pair[1].cell.id, place.case.id, place.variant)),
            verdicts.Subject(*place.key),
            verdicts.margin_of(place.case.id, margins),
            paired=paired,
        )
        for place in places
    ]
    return [_timed(*each) for each in zip(places, compared, verdicts.judge(compared), strict=True)]


def _timed(place: Place, compared: verdicts.Comparison, verdict: Verdict) -> Row:
    change, before = verdict.change, compared.time
    return _row(
        Metric.TIME,
        place,
        verdict.judgement,
        before=before,
        after=before + change.value if change and before is not None else None,
        change=change.value if change else None,
        low=change.low if change else None,
        high=change.high if change else None,
        relative=verdict.relative,
        p=verdict.p,
        margin=verdict.margin,
        reason=verdict.reason,
        flags=_flags(place),
    )


def _row(metric: Metric, place: Place, judgement: Judgement, **facts: object) -> Row:
    return replace(Row(metric, *place.key, judgement, marks=verdicts.marks(*place.pair)), **facts)  # type: ignore[arg-type]


def _flags(place: Place) -> tuple[Flag, ...]:
    raised = {flag for field in (place.then, place.now) if field for flag in field.flags}
    return tuple(flag for flag in Flag if flag in raised)


def by_count(reference: Side, candidate: Side, places: Iterable[Place], margins: Margins) -> list[Row]:
    """Judge every place by its count; counts by another valgrind, or of another interpreter, are refused."""
    then, now = (side.results.manifest.counter.get("valgrind", "unknown") for side in (reference, candidate))
    another = "" if then == now else f"counted by {then} and by {now}"
    return [
        _counted(place, place.then.count, place.now.count, margins, another or counts.refusal(*place.pair))
        for place in places
        if place.then and place.now and place.then.count and place.now.count
    ]


def _counted(place: Place, then: Count, now: Count, margins: Margins, refusal: str) -> Row:
    change = counts.Change(then, now, verdicts.margin_of(place.case.id, margins).instructions)
    judgement, reason = (Judgement.INCONCLUSIVE, f"not comparable: {refusal}") if refusal else _judged(change)
    unsettled = () if then.settled and now.settled else ("blocks of turns still differed when it was counted",)
    row = _row(
        Metric.INSTRUCTIONS,
        place,
        judgement,
        before=then.minimum,
        after=now.minimum,
        change=change.absolute,
        low=now.minimum - then.maximum,
        high=now.maximum - then.minimum,
        relative=change.relative,
        margin=change.margin * then.minimum,
        reason=reason,
    )
    return replace(row, marks=(*row.marks, *unsettled))


def _judged(change: counts.Change) -> tuple[Judgement, str]:
    """Judge a change of counts: beyond the margin while processes overlap, nothing can be said."""
    if change.matters:
        return (Judgement.SLOWER if change.absolute > 0 else Judgement.FASTER), ""
    if abs(change.relative) <= change.margin:
        return Judgement.EQUIVALENT, ""
    allowed = percent(change.margin)
    return Judgement.INCONCLUSIVE, f"the least is beyond the margin of {allowed}, and processes of the two sides overlap"
