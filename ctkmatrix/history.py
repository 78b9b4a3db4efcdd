"""Counts of many releases -> the steps between neighbours, beside what was published about them. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from packaging.version import Version

from ctkmatrix import counts
from ctkmatrix.model import Status
from ctkmatrix.quantities import duration
from ctkmatrix.results import over_null

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ctkmatrix.counts import Change
    from ctkmatrix.model import Cell, Field, Results

BINDINGS, CORE = "cuda-bindings", "cuda-core"


@dataclass(frozen=True, slots=True)
class Step:
    """One (case, variant) in two neighbouring releases of *package*, all else but the toolkit of a bindings release equal."""

    package: str
    before: Cell
    after: Cell
    case: str
    variant: str
    change: Change

    @property
    def version(self) -> str:
        """The release that brought it."""
        return _release(self.package, self.after)


@dataclass(frozen=True, slots=True)
class Published:
    """What was said about releases of a package; ``case`` and ``variant`` are empty where no case measures it."""

    package: str
    versions: tuple[str, ...]
    said: str
    source: str
    case: str = ""
    variant: str = ""

    def about(self, step: Step) -> bool:
        """Whether *step* is what was published."""
        same = (self.package, self.case, self.variant) == (step.package, step.case, step.variant)
        return same and step.version in self.versions


@dataclass(frozen=True, slots=True)
class History:
    """``steps`` are all comparisons of neighbours, whether they matter or not; ``absent`` are fields that a release lacks."""

    chains: tuple[tuple[str, tuple[Cell, ...]], ...]
    steps: tuple[Step, ...]
    absent: tuple[Field, ...]
    failed: tuple[Field, ...]

    @property
    def found(self) -> tuple[Step, ...]:
        """The steps that matter, but for those of native twins, which only another compiler can move."""
        return tuple(step for step in self.steps if step.change.matters and not step.variant.startswith("native"))

    @property
    def native(self) -> tuple[Step, ...]:
        """The steps of native twins that matter: what they show is the noise of the method, or a compiler."""
        return tuple(step for step in self.steps if step.change.matters and step.variant.startswith("native"))


def history(results: Results, margin: Callable[[str, str], float]) -> History:
    """Return the history in *results*, whose cells are releases; *margin* gives that of a (case, variant), relative.

    Only cells of one interpreter are set against each other.
    """
    fields = {(field.cell, field.case, field.variant): field for field in results.fields}
    of = {result.cell.id: result for result in results.cells}
    lines = chains([result.cell for result in results.cells])
    steps = [
        Step(package, before, after, case.id, variant.name, counts.Change(then.count, now.count, margin(case.id, variant.name)))
        for package, cells in lines
        for before, after in pairwise(cells)
        if not counts.refusal(of[before.id], of[after.id])
        for case in results.cases
        for variant in case.variants
        if (then := fields[before.id, case.id, variant.name]).count and (now := fields[after.id, case.id, variant.name]).count
    ]
    these = over_null(results.cases)
    without_gpu = [field for field in results.fields if (field.case, field.variant) in these]
    return History(
        lines,
        tuple(steps),
        tuple(field for field in without_gpu if field.outcome.status is Status.NOT_APPLICABLE),
        tuple(field for field in without_gpu if field.outcome.status in {Status.FAILED, Status.NOT_RUN}),
    )


def chains(cells: Iterable[Cell]) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
    """Return, by package, the cells that are one release after the other of it: of bindings within one major of CUDA."""
    by_bindings: dict[tuple[object, ...], list[Cell]] = defaultdict(list)
    by_core: dict[tuple[object, ...], list[Cell]] = defaultdict(list)
    for cell in cells:
        by_bindings[cell.major, cell.python, cell.core, cell.extras].append(cell)
        by_core[cell.toolkit, cell.python, cell.bindings, cell.extras].append(cell)
    return (
        *((BINDINGS, _in_order(BINDINGS, line)) for line in by_bindings.values() if len(line) > 1),
        *((CORE, _in_order(CORE, line)) for line in by_core.values() if len(line) > 1),
    )


def _in_order(package: str, cells: Iterable[Cell]) -> tuple[Cell, ...]:
    return tuple(sorted(cells, key=lambda cell: Version(_release(package, cell) or "0")))


def _release(package: str, cell: Cell) -> str:
    return cell.bindings if package == BINDINGS else cell.core or ""


def page(results: Results, told: History, published: Sequence[Published], command: str) -> str:
    """Return the history as Markdown: what was found, and what was published, beside each other."""
    manifest = results.manifest
    commit = f"{str(manifest.harness['commit'])[:12]}{' (with changes)' if manifest.harness['dirty'] else ''}"
    native = ", ".join(f"{step.case} in {step.version}" for step in told.native) or "none"
    lines = [
        "# What each release changed, in instructions a call",
        "",
        f"Made by `{command}` from run {manifest.run} of {manifest.started}, harness {commit},",
        f"{manifest.counter.get('valgrind', '')}, over the null driver. {len(results.cells)} cells of {len(results.cases)} cases",
        f"took {duration(manifest.wall_seconds)}, environments included.",
        "",
        "A step is a change of the minimum over five heaps, against the release before it in the group, beyond the margin of the",
        "case (1 % where `matrix.toml` says no more) and beyond the overlap of the two. Bindings are compared within one major",
        "of CUDA, each on the toolkit of its own version. Counts tell nothing of the driver, nor of waiting: an instruction is",
        "not always as long.",
        "",
        "## Found",
        "",
        *_table(
            ("release", "case", "variant", "before", "after", "change", "spread before, after", "published"),
            [(*_row(step), "; ".join(_said(one) for one in published if one.about(step)) or "no") for step in told.found],
        ),
        "",
        f"Of {len(told.steps)} comparisons of neighbours. Steps of native twins, which only a compiler can move: {native}.",
        "",
        "## Published",
        "",
        *_table(
            ("release", "what was said", "where", "found here"),
            [(f"{one.package} {', '.join(one.versions)}", one.said, one.source, _verdict(told, one)) for one in published],
        ),
        "",
        "## Not in these releases",
        "",
        *(_table(("case", "variant", "why", "cells"), _gathered(told.absent)) if told.absent else ["Everything ran everywhere."]),
        *(["", "## Failed", "", *_table(("case", "variant", "why", "cells"), _gathered(told.failed))] if told.failed else []),
        "",
    ]
    return "\n".join(lines)


def _row(step: Step) -> tuple[str, ...]:
    then, now = step.change.reference, step.change.candidate
    return (
        f"{step.package} {step.version}",
        step.case,
        step.variant,
        f"{then.minimum:,.0f}",
        f"{now.minimum:,.0f}",
        f"{step.change.relative:+.1%}",
        f"{then.spread:.1%}, {now.spread:.1%}",
    )


def _said(one: Published) -> str:
    return f"{one.said} ({one.source})"


def _verdict(told: History, one: Published) -> str:
    """Say what became of something published: found, measured and not found, or why it cannot be seen here."""
    if not one.case:
        return "no case measures it"
    reached = [
        step
        for step in told.steps
        if (step.package, step.case, step.variant) == (one.package, one.case, one.variant) and step.version in one.versions
    ]
    if not reached:
        counted = any((step.case, step.variant) == (one.case, one.variant) for step in told.steps)
        return f"not counted: {'no neighbour before it in the group' if counted else f'the run has no counts of {one.case}'}"
    changes = [
        ("" if step.change.matters else "not found: ", f"{step.change.relative:+.1%} in {step.version}") for step in reached
    ]
    return "; ".join(word + change for word, change in changes)


def _gathered(fields: Iterable[Field]) -> list[tuple[str, ...]]:
    cells: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for field in fields:
        cells[field.case, field.variant, field.outcome.reason].append(field.cell)
    return [(*key, f"{len(where)}: {where[0]}{f' to {where[-1]}' if len(where) > 1 else ''}") for key, where in cells.items()]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
