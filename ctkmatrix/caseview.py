"""Results and published figures -> what the page tells of each case. Pure.

What others have published stands beside ours and enters no number of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctkmatrix import casewords, published
from ctkmatrix.grid import anchor, graph_links, python_side, target_of
from ctkmatrix.model import Metric
from ctkmatrix.page import CaseView, Fact, Link, Published, Way
from ctkmatrix.pagedata import row_anchor
from ctkmatrix.quantities import ELLIPSIS, THIN, counted, instructions, nanoseconds, number, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctkmatrix.grid import Fields
    from ctkmatrix.model import Case, Field, Results, Variant
    from ctkmatrix.page import Graph
    from ctkmatrix.profiles import Made
    from ctkmatrix.published import Figure

ISSUE = "https://github.com/NVIDIA/cuda-python/issues/"
"""Of pull requests too: GitHub leads on."""

NO_TIME = "not a time"
NOT_MEASURED = "not measured here"


@dataclass(frozen=True, slots=True)
class _Made:
    """What views of cases are made of."""

    results: Results
    fields: Fields
    figures: Sequence[Figure]
    graphs: Mapping[tuple[str, str], tuple[Graph, ...]]

    def of(self, case: str, variant: str) -> list[Field]:
        """Return the fields of one (case, variant) over all cells; none where the run has no such variant."""
        keys = ((result.cell.id, case, variant) for result in self.results.cells)
        return [self.fields[key] for key in keys if key in self.fields]


def views(
    results: Results, fields: Fields, figures: Sequence[Figure], graphs: Sequence[tuple[str, Made]] = ()
) -> tuple[CaseView, ...]:
    """Tell all cases of *results*, in their order; *fields* are its fields by key.

    figures
        All that others have published: each case takes its own.
    graphs
        Flame graphs to link to, each with its case's id.
    """
    made = _Made(results, fields, figures, graph_links(graphs))
    return tuple(_view(made, case) for case in results.cases)


def _view(made: _Made, case: Case) -> CaseView:
    figures = published.for_case(made.figures, case.id)
    return CaseView(
        id=case.id,
        anchor=anchor(f"case-{case.id}"),
        area=case.area,
        title=case.title,
        span=tuple(Fact(each.name, _span(case, made.of(case.id, each.name))) for each in python_side(case)),
        facts=tuple(fact for fact in _facts(made.results, case) if fact.value),
        references=_issues(" ".join(case.references)),
        ways=tuple(_way(made, case, variant) for variant in case.variants),
        published=tuple(_published(made, figure) for figure in figures if not figure.pilot),
        pilot=tuple(_published(made, figure) for figure in figures if figure.pilot),
    )


def _facts(results: Results, case: Case) -> tuple[Fact, ...]:
    """Say what a turn is; a fact without a value has nothing to say."""
    aimed = case.calls_per_turn > 1 and results.manifest.metric is not Metric.INSTRUCTIONS
    target = f", so its target is {nanoseconds(target_of(results, case))} ns" if aimed else ""
    how = casewords.how(case)
    return (
        Fact("A turn", f"counts for {casewords.counts_for(case)}{target}"),
        Fact("How it runs", "" if how == "plainly" else how),
        Fact("Unit", "a share, not a time" if case.unit == "share" else ""),
        Fact("Native twin", f"none: {case.without_native}" if case.without_native else ""),
    )


def _way(made: _Made, case: Case, variant: Variant) -> Way:
    return Way(
        name=variant.name,
        row=row_anchor(made.results.manifest.metric, case, variant) or "",
        beside=casewords.beside(case, variant),
        calls=casewords.calls(variant),
        needs=casewords.needs(variant),
        source=variant.source.strip(),
        graphs=made.graphs.get((case.id, variant.name), ()),
    )


def _span(case: Case, fields: Sequence[Field]) -> str:
    """Say how the numbers of a variant lie over the cells: overheads, where there are any, else times, else counts."""
    overheads = [field.overhead.value for field in fields if field.overhead]
    times = [field.time.value for field in fields if field.time]
    counts = [field.count.minimum for field in fields if field.count]
    if case.unit == "share" and times:
        return _between(percent(min(times)), percent(max(times)))
    if overheads:
        return f"{_between(nanoseconds(min(overheads)), nanoseconds(max(overheads)))} ns over native"
    if times:
        return f"{_between(nanoseconds(min(times)), nanoseconds(max(times)))} ns"
    if counts:
        return f"{_between(instructions(min(counts)), instructions(max(counts)))} instructions"
    return NOT_MEASURED


def _between(low: str, high: str) -> str:
    return low if low == high else f"{low} {ELLIPSIS} {high}"


def _published(made: _Made, figure: Figure) -> Published:
    return Published(
        value=casewords.value(figure).replace(" ", THIN),
        what=figure.operation,
        variant=figure.variant,
        package=casewords.package(figure),
        hardware=figure.hardware,
        said=_issues(figure.issue),
        note=figure.note,
        ours=_ours(figure, made.of(figure.case, figure.variant)),
    )


def _ours(figure: Figure, fields: Sequence[Field]) -> str:
    """Say what a turn of the same variant took here, over the cells, in the unit of *figure*."""
    unit = published.SECONDS.get(figure.unit)
    times = [field.time.value for field in fields if field.time]
    if unit is None:
        return NO_TIME
    if not times:
        return NOT_MEASURED
    low, high = (number(time / unit) for time in (min(times), max(times)))
    return f"{_between(low, high)} {figure.unit}, {counted(len(times), 'cell')}"


def _issues(text: str) -> tuple[Link, ...]:
    return tuple(Link(f"#{issue}", ISSUE + issue) for issue in re.findall(r"#(\d+)", text))
