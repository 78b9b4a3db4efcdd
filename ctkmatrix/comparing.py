"""``nox -s report``: what its words mean, and writing the page of a comparison."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from ctkmatrix import args, collected, comparison, comparisontext, comparisonview, matrix, pairing, render, verdicts
from ctkmatrix.errors import NotComparable, UsageError
from ctkmatrix.judged import Side
from ctkmatrix.model import Metric
from ctkmatrix.store import Store, replace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ctkmatrix.comparison import Comparison
    from ctkmatrix.comparisonpage import Decided
    from ctkmatrix.job import Place
    from ctkmatrix.model import Cell, Results
    from ctkmatrix.store import Run

SCRIPTS = ("numbers.js", "vendor/plot.js", "forest.js")
SIDE = "a run (latest, an id or its start), or RUN:GLOB, those of its cells whose ids match"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is rendered: the page of a run, or with *compare* that of two sides."""

    run: str = args.LATEST
    compare: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class _Group:
    """A run, and those of its cells that were asked for; *glob* is empty where all were."""

    run: Run
    results: Results
    glob: str
    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """The run's short id and the glob, as a part of a path."""
        return re.sub(r"[^\w.+-]+", "_", "-".join(filter(None, (self.run.id.rpartition("-")[2], self.glob))))


def parse(words: Sequence[str]) -> Asked:
    """Read *words*. Raises UsageError, with a suggestion; ``--help`` alone prints, and raises SystemExit(0)."""
    parser = args.Parser(
        prog="nox -s report --", allow_abbrev=False, description="Render the page of a run, or compare two sides."
    )
    parser.add_argument("run", nargs="?", metavar="RUN", help="the run to render again: an id or its start (latest)")
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"), help=f"compare candidate B with reference A: each is {SIDE}")
    found = parser.read(words)
    if found["compare"] and found["run"]:
        raise UsageError(f"after --: --compare takes two sides, and {found['run']!r} is a third")
    return Asked(found["run"] or args.LATEST, found["compare"])


def compare(place: Place, sides: tuple[str, str]) -> tuple[Comparison, Path]:
    """Compare two *sides*, as they are written on the command line; return what they come to and the page.

    Raises UsageError where a side, or what goes together, is not clear, and NotComparable where the runs may not be compared.
    """
    reference, candidate = (_group(Store(place.reports), text) for text in sides)
    if reference.run.id != candidate.run.id:
        verdicts.refuse(reference.results, candidate.results)
    else:
        pairing.see_apart(reference.cells, candidate.cells)
    named = reference.glob or candidate.glob
    paired = (pairing.by_axes if named else pairing.by_id)(reference.cells, candidate.cells)
    then = side(reference.run, reference.results)
    now = then if reference.run.id == candidate.run.id else side(candidate.run, candidate.results)
    margins = matrix.load(place.root / "matrix.toml").margins
    found = comparison.compare(then, now, paired, margins, common(reference.results, candidate.results))
    if not found.rows and not found.lacking:
        raise UsageError("--compare: there is nothing to compare: no case was measured, or planned, in cells of both sides")
    return found, write(found, place.reports / "comparisons" / f"{reference.name}--{candidate.name}")


def side(run: Run, found: Results) -> Side:
    """Return a *run*, with what its journal holds, as a side. Raises UsageError where that cannot be read."""
    return Side(found, partial(collected.by_round, collected.collect(run.earlier_records())))


def common(reference: Results, candidate: Results) -> Metric:
    """Return what both sides have numbers of. Raises NotComparable where there is nothing."""
    then, now = metrics(reference), metrics(candidate)
    if not then & now:
        had = [
            f"run {one.manifest.run} holds {' and '.join(sorted(own)) or 'no numbers'}"
            for one, own in ((reference, then), (candidate, now))
        ]
        raise NotComparable(f"--compare: {', and '.join(had)}: nothing can be compared")
    return Metric.BOTH if len(then & now) == 2 else (then & now).pop()


def write(found: Comparison, directory: Path, decided: Decided | None = None) -> Path:
    """Write ``index.html``, ``comparison.md`` and ``comparison.json`` into *directory*; return the page's path.

    Pages tell first what was *decided*, where something was. Raises MachineError where a file cannot be written.
    """
    page = comparisonview.view(found, decided)
    replace(directory / "comparison.json", msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    replace(directory / "comparison.md", comparisontext.markdown(page).encode())
    target = directory / "index.html"
    replace(target, render.html("comparison.html.j2", SCRIPTS, page.data, page=page).encode())
    return target


def _group(store: Store, text: str) -> _Group:
    """Read one side, RUN or RUN:GLOB."""
    name, _, glob = text.partition(":")
    run = store.find(name)
    found = run.results()
    return _Group(run, found, glob, pairing.chosen([one.cell for one in found.cells], glob or "*", f"run {run.id}"))


def metrics(found: Results) -> set[Metric]:
    """Return what *found* has numbers of."""
    timed, counted = any(one.time for one in found.fields), any(one.count for one in found.fields)
    return {metric for metric, there in ((Metric.TIME, timed), (Metric.INSTRUCTIONS, counted)) if there}
