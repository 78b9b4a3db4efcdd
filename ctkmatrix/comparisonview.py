"""A comparison -> what its page is made of: words and small numbers, and the data of its chart. Pure."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from ctkmatrix.comparison import ORDER
from ctkmatrix.comparisonpage import AreaLine, ComparisonPage, DifferenceLine, Headline, LackingLine, Line
from ctkmatrix.missing import named
from ctkmatrix.model import Judgement, Metric
from ctkmatrix.page import Fact, Names
from ctkmatrix.provenance import UNKNOWN
from ctkmatrix.quantities import ELLIPSIS, THIN, counted, instructions, moment, nanoseconds, number, percent
from ctkmatrix.report import NULL_BANNER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctkmatrix.comparison import Comparison, Origin, Tally
    from ctkmatrix.comparisonpage import Decided
    from ctkmatrix.differences import Difference
    from ctkmatrix.judged import Lacking, Row

WORST = 5
"""So many of the greatest changes for the worse stand at the top of the page."""

WORDS = {
    Metric.TIME: {Judgement.SLOWER: "slower", Judgement.FASTER: "faster"},
    Metric.INSTRUCTIONS: {Judgement.SLOWER: "more", Judgement.FASTER: "fewer"},
}
"""What a judgement is called where the metric has words of its own."""

TITLES = {Metric.TIME: "Time", Metric.INSTRUCTIONS: "Instructions"}
UNITS = {Metric.TIME: "ns", Metric.INSTRUCTIONS: "instructions"}


STOPPED = {
    "complete": "",
    "incomplete": "is incomplete: some of what was planned did not run",
    "interrupted": "was interrupted",
}


def view(comparison: Comparison, decided: Decided | None = None) -> ComparisonPage:
    """Say all of a *comparison* in words, beside what was *decided* by it."""
    pairs = tuple(zip(comparison.reference.cells, comparison.candidate.cells, strict=True))
    told = [_line(row, alone=len(pairs) == 1) for row in comparison.rows]
    return ComparisonPage(
        title=decided.title if decided else "What changed",
        reference=_side(comparison.reference, [(axis.name, axis.reference) for axis in comparison.axes]),
        candidate=_side(comparison.candidate, [(axis.name, axis.candidate) for axis in comparison.axes]),
        banner=NULL_BANNER if comparison.candidate.device_kind == "null" else "",
        alerts=_alerts(comparison),
        headlines=tuple(_headlines(comparison)),
        head=_head(comparison),
        pairs=pairs,
        worst=_worst(told),
        quiet=_quiet(comparison),
        marks=_marks(comparison.rows),
        lines=tuple(told),
        areas=_areas(comparison),
        lacking=(*_lacking(comparison.lacking, len(pairs)), *_alone(comparison)),
        shares=", ".join(comparison.shares),
        differences=tuple(_differing(one, len(pairs)) for one in comparison.differences),
        metrics=tuple(TITLES[metric] for metric in comparison.metrics),
        unit=f"{' or '.join(UNITS[metric] for metric in comparison.metrics)} a turn",
        kinds=tuple((one.value, _words(comparison, one)) for one in ORDER),
        data=payload(comparison),
        decided=decided,
    )


def in_short(comparison: Comparison) -> tuple[str, ...]:
    """Say what each metric comes to, a line each."""
    return tuple(f"{one.title.lower()}: {one.verdict} {one.control}" for one in _headlines(comparison))


def payload(comparison: Comparison) -> dict[str, Any]:
    """Return what the page's script draws: a row for each of the comparison's, in its order, in per cent of the reference.

    A row is its metric, judgement, name and cell, each as an index into the lists beside, then change, interval and margin.
    """
    names = {name: index for index, name in enumerate(dict.fromkeys(map(_name, comparison.rows)))}
    cells = {cell: index for index, cell in enumerate(dict.fromkeys(comparison.candidate.cells))}
    return {
        "kinds": ORDER,
        "words": [[WORDS[metric].get(one, one) for one in ORDER] for metric in comparison.metrics],
        "names": list(names),
        "cells": list(cells),
        "rows": [
            [
                comparison.metrics.index(row.metric),
                ORDER.index(row.judgement),
                names[_name(row)],
                cells[row.candidate],
                *(_share(row, value) for value in (row.change, row.low, row.high, row.margin)),
            ]
            for row in comparison.rows
        ],
    }


def _name(row: Row) -> str:
    return f"{row.case} {row.variant}"


def word(row: Row) -> str:
    """Return what the row's metric calls its judgement."""
    return WORDS[row.metric].get(row.judgement, row.judgement.value)


def signed(share: float | None) -> str:
    """Say a change in per cent with its sign: ``+12.3 %``."""
    if share is None:
        return UNKNOWN
    text = percent(share)
    return f"+{text}" if share > 0 and not text.startswith("0" + THIN) else text


def in_words(tally: Tally) -> str:
    """Say a tally: ``2 slower, 1 faster, 30 equivalent, 4 inconclusive of 37``."""
    words = WORDS[tally.metric]
    parts = [f"{number(getattr(tally, one.value), 9)} {words.get(one, one.value)}" for one in Judgement]
    return f"{', '.join(parts)} of {number(tally.rows, 9)}"


def _words(comparison: Comparison, judgement: Judgement) -> str:
    """Return what the metrics of a *comparison* call a judgement."""
    return " / ".join(dict.fromkeys(WORDS[metric].get(judgement, judgement.value) for metric in comparison.metrics))


def _share(row: Row, value: float | None) -> float | None:
    """*value* in per cent of the reference, to five digits."""
    return float(f"{100 * value / row.before:.5g}") if value is not None and row.before else None


def _side(origin: Origin, axes: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Name a side: its one cell, or what its cells have on the *axes* that set it apart."""
    apart = ", ".join(f"{name} {' and '.join(values)}" for name, values in axes)
    several = f"{apart}: {counted(len(origin.cells), 'cell')}" if apart else counted(len(origin.cells), "cell")
    cells = origin.cells[0] if len(origin.cells) == 1 else several
    return f"{cells} of run {origin.run}, {moment(origin.started)}"


def _alerts(comparison: Comparison) -> tuple[str, ...]:
    runs = dict.fromkeys((origin.run, origin.status) for origin in (comparison.reference, comparison.candidate))
    return tuple(f"Run {run} {STOPPED[status]}." for run, status in runs if STOPPED[status])


def _headlines(comparison: Comparison) -> Iterator[Headline]:
    controls = {tally.metric: tally for tally in comparison.tallies if tally.control}
    for tally in comparison.tallies:
        if not tally.control:
            control = controls[tally.metric]
            said = f"Native control: {in_words(control)}." if control.rows else "No native control was compared."
            yield Headline(TITLES[tally.metric], f"{in_words(tally)}.", said)


def _head(comparison: Comparison) -> tuple[Fact, ...]:
    return (
        Fact("Cells", counted(len(comparison.reference.cells), "pair")),
        Fact("They differ in", " and ".join(axis.name for axis in comparison.axes) or "nothing of their ids"),
        Fact("Measured", "in the same rounds, times paired by them" if comparison.paired else "in two runs, not paired"),
    )


def _line(row: Row, *, alone: bool) -> Line:
    say = nanoseconds if row.metric is Metric.TIME else instructions
    before, after, change = (UNKNOWN if value is None else say(value) for value in (row.before, row.after, row.change))
    low, high = (_share(row, value) for value in (row.low, row.high))
    return Line(
        kind=row.judgement.value,
        word=word(row),
        metric=TITLES[row.metric],
        area=row.area,
        case=row.case,
        variant=row.variant,
        where="" if alone else row.candidate,
        control=row.control,
        before=before,
        after=after,
        change=f"+{change}" if row.change and row.change > 0 and change != "0" else change,
        relative=signed(row.relative),
        interval="" if low is None or high is None else f"{number(low)} {ELLIPSIS} {number(high)}",
        margin=percent(row.margin / row.before) if row.before else UNKNOWN,
        p="" if row.p is None else _chance(row.p),
        notes=tuple(filter(None, (row.reason, *row.marks, *row.flags))),
    )


def _chance(p: float) -> str:
    return f"{p:.2g}" if p >= 0.001 else "<0.001"


def _worst(told: Iterable[Line]) -> tuple[Line, ...]:
    """Return the greatest changes for the worse: of each case variant the one in the cell where it is greatest."""
    found: dict[tuple[str, str, str], Line] = {}
    for line in told:
        if line.kind == Judgement.SLOWER and not line.control:
            found.setdefault((line.metric, line.case, line.variant), line)
    return tuple(found.values())[:WORST]


def _quiet(comparison: Comparison) -> str:
    """Say what it means that nothing was found to get worse: what could not be judged may have."""
    python = [tally for tally in comparison.tallies if not tally.control]
    rows, unsure = sum(tally.rows for tally in python), sum(tally.inconclusive for tally in python)
    if not unsure:
        return "Nothing got worse beyond its margin."
    return f"Nothing was found to get worse, but {number(unsure, 9)} of {number(rows, 9)} are inconclusive, which is no pass."


def _marks(rows: Iterable[Row]) -> tuple[tuple[str, Names], ...]:
    """Return each mark with the pairs of cells that carry it."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        for mark in row.marks:
            found[mark][row.candidate] = None
    return tuple((mark, named(cells, "cell")) for mark, cells in found.items())


def _areas(comparison: Comparison) -> tuple[AreaLine, ...]:
    return tuple(
        AreaLine(
            TITLES[mean.metric],
            mean.area,
            signed(mean.ratio - 1),
            f"{signed(mean.least - 1)} {ELLIPSIS} {signed(mean.greatest - 1)}" if mean.fields > 1 else "",
            mean.fields,
        )
        for mean in comparison.areas
    )


def _lacking(lacking: Iterable[Lacking], pairs: int) -> tuple[LackingLine, ...]:
    """Join the cells that lack a (case, variant) for one reason, then the (case, variant)s that share reason and cells."""
    reasons: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
    for one in lacking:
        side, reason = _side_of(one)
        reasons[side, reason, f"{one.case}/{one.variant}"][one.candidate] = None
    alike: dict[tuple[str, str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (side, reason, name), cells in reasons.items():
        alike[side, reason, tuple(cells)].append(name)
    return tuple(
        LackingLine(side, named(names, "case variant"), _of_all(cells, pairs), reason)
        for (side, reason, cells), names in sorted(alike.items(), key=lambda item: SIDES.index(item[0][0]))
    )


LOST, GAINED, NEITHER, ALONE = "lost by the candidate", "only in the candidate", "on neither side", "no partner"
SIDES = (LOST, GAINED, NEITHER)


def _side_of(one: Lacking) -> tuple[str, str]:
    if one.lost:
        return LOST, one.candidate_reason
    if not one.candidate_reason:
        return GAINED, f"the reference: {one.reference_reason}"
    same = one.reference_reason == one.candidate_reason
    both = one.candidate_reason if same else f"the reference: {one.reference_reason}; the candidate: {one.candidate_reason}"
    return NEITHER, both


def _alone(comparison: Comparison) -> Iterator[LackingLine]:
    for side, other, cells in zip(("reference", "candidate"), ("candidate", "reference"), comparison.alone, strict=True):
        if cells:
            yield LackingLine(
                ALONE, Names("the whole cell"), named(cells, "cell"), f"a cell of the {side}; the {other} has no such cell"
            )


def _differing(one: Difference, pairs: int) -> DifferenceLine:
    where = _of_all(one.cells, pairs) if one.cells else Names("the runs")
    return DifferenceLine(one.group, one.what, one.reference, one.candidate, where)


def _of_all(cells: Sequence[str], pairs: int) -> Names:
    return Names("all") if len(cells) == pairs > 1 else named(cells, "cell")
