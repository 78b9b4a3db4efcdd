"""Results -> the data block of the page: what its scripts draw charts, switch values and tell details from. Pure.

Keys are short, as a field has them ten thousand times. Times are in ns a turn; those of a case whose unit is ``share`` are parts
of 1. Numbers have 5 significant digits, those of an interval as many more as its halves need, and counts 7. Single processes are
drawn and never told: each is a place between the least and the most of its field, two letters (``packed``).

SIZES
"""

from __future__ import annotations

import itertools
import json
import math
import string
from typing import TYPE_CHECKING, Any

from ctkmatrix.countgrid import uncounted
from ctkmatrix.counts import refusal
from ctkmatrix.grid import INSTRUCTIONS, anchor, python_side, target_of
from ctkmatrix.model import Metric, Status
from ctkmatrix.quantities import NANO
from ctkmatrix.results import twin
from ctkmatrix.verdicts import margin_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctkmatrix.grid import Fields
    from ctkmatrix.model import Case, CellResult, Count, Estimate, Field, Results, Variant

MANY = 30_000
"""So many fields have their processes' points in the page."""

DIGITS, HALF_DIGITS, COUNT_DIGITS, MANY_DIGITS = 5, 3, 7, 9
"""Significant digits of a number; of an interval's half; of a count; and of what must be exact."""

LETTERS = {Status.FAILED: "f", Status.NOT_RUN: "n", Status.NOT_APPLICABLE: "a"}

ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
PLACES = tuple(map("".join, itertools.product(ALPHABET, repeat=2)))
"""The places of a process between the least and the most: 4,096 of them, where a chart has some hundred pixels."""

ESCAPES = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})
"""Signs that can stand in JSON's strings alone; escaped, nothing of the block can end it or be markup."""


class Pool(dict[Any, int]):
    """Numbers what is looked up in it, in order of first appearance; its keys are the list that the numbers point into."""

    def __missing__(self, key: object) -> int:
        """Number *key*."""
        self[key] = len(self)
        return self[key]


def payload(results: Results, fields: Fields) -> dict[str, Any]:
    """Return the data block of *results*, JSON-like.

    ``cells`` and ``fields`` are in the order of ``results.cells``. ``refusals`` says by the numbers of two interpreters, the
    reference's first, why counts are not compared, or nothing. A field has

    s, why
        unless measured, the letter of its status and the index of its reason.
    t, o, r
        time, overhead and ratio, each ``[value, low, high]``; the bounds are null with fewer than two processes.
    p, n
        the processes' own overheads, or times where there is no overhead, ``packed``; their number where they are left out.
    c, m, k, x
        the least and the most of a count; its two modes as ``[instructions, processes]``; the index of how it was counted,
        ``[processes, turns, settled]``; and where it was to be counted and is not, the index of the reason.
    f
        the indices of its flags.

    What is not there is left out.
    """
    made = _Maker(results, fields)
    cases = [made.case(case) for case in results.cases]  # first: they fill the pools
    interpreters, refusals = interpreted(results.cells)
    cells = [made.cell(result, number) for result, number in zip(results.cells, interpreters, strict=True)]
    return {
        "run": results.manifest.run,
        "device": results.manifest.device_kind,
        "metric": results.manifest.metric.value,
        "target": _rounded(results.target * NANO),
        "points": made.points,
        "cells": cells,
        "refusals": refusals,
        "flags": list(made.flags),
        "cases": cases,
        "reasons": list(made.reasons),
        "countings": list(made.countings),
    }


def block(data: dict[str, Any]) -> str:
    """Return *data* as JSON that can stand in an element as it is: no sign of it is markup."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(ESCAPES)


def interpreted(cells: Sequence[CellResult]) -> tuple[list[int], list[list[str]]]:
    """Number the interpreters of *cells*; return each cell's, and by two numbers why their counts are not compared."""
    first: list[CellResult] = []
    numbers = []
    for result in cells:
        same = next((place for place, other in enumerate(first) if not refusal(other, result)), len(first))
        first += [result] if same == len(first) else []
        numbers.append(same)
    return numbers, [[refusal(reference, candidate) for candidate in first] for reference in first]


class _Maker:
    """Makes the parts of a block, and collects the sentences that many of them share."""

    def __init__(self, results: Results, fields: Fields) -> None:
        self.results, self.fields = results, fields
        self.points = len(fields) <= MANY
        self.flags, self.reasons, self.countings = Pool(), Pool(), Pool()

    def cell(self, result: CellResult, interpreter: int) -> dict[str, Any]:
        cell = result.cell
        return {
            "id": cell.id,
            "toolkit": cell.toolkit,
            "python": cell.python,
            "bindings": cell.bindings,
            "core": cell.core,
            "extras": list(cell.extras),
            "anchor": anchor("cell", cell.id),
            "flags": [self.flags[flag.value] for flag in result.flags],
            "interpreter": interpreter,
        }

    def case(self, case: Case) -> dict[str, Any]:
        margin = margin_of(case.id, self.results.margins)
        aimed = case.unit == "time" and not case.without_native
        return {
            "id": case.id,
            "area": case.area,
            "title": case.title,
            "calls": case.calls_per_turn,
            "unit": case.unit,
            "alone": case.without_native,
            "target": _rounded(target_of(self.results, case) * NANO) if aimed else None,
            "margin": {"relative": margin.relative, "absolute": margin.absolute * NANO, "instructions": margin.instructions},
            "variants": [self.variant(case, variant) for variant in case.variants],
        }

    def variant(self, case: Case, variant: Variant) -> dict[str, Any]:
        names = [each.name for each in case.variants]
        native = twin(variant.name)
        own = [self.fields[result.cell.id, case.id, variant.name] for result in self.results.cells]
        return {
            "name": variant.name,
            "native": names.index(native) if native in names and native != variant.name else None,
            "anchor": row_anchor(self.results.manifest.metric, case, variant),
            "fields": [self.field(field, case, variant) for field in own],
        }

    def field(self, field: Field, case: Case, variant: Variant) -> dict[str, Any]:
        scale = NANO if case.unit == "time" else 1.0
        made: dict[str, Any] = {}
        if field.outcome.status is not Status.MEASURED:
            made |= {"s": LETTERS[field.outcome.status], "why": self.reasons[field.outcome.reason]}
        for key, estimate, unit in (("t", field.time, scale), ("o", field.overhead, scale), ("r", field.ratio, 1.0)):
            if estimate is not None and math.isfinite(estimate.value):
                made[key] = _estimate(estimate, unit)
        if field.time is not None:
            made |= self.processes(field.overhead or field.time, scale)
        if self.results.manifest.metric is not Metric.TIME:
            made |= self.count(field.count) if field.count else {"x": self.reasons[uncounted(self.results, variant, field)[1]]}
        if field.flags:
            made["f"] = [self.flags[flag.value] for flag in field.flags]
        return made

    def processes(self, estimate: Estimate, scale: float) -> dict[str, Any]:
        if not self.points:
            return {"n": len(estimate.points)}
        return {"p": packed([point * scale for point in estimate.points])}

    def count(self, count: Count) -> dict[str, Any]:
        least, most = _rounded(count.minimum, COUNT_DIGITS), _rounded(count.maximum, COUNT_DIGITS)
        modes = [[_rounded(mode.instructions, COUNT_DIGITS), mode.processes] for mode in count.modes]
        how = self.countings[len(count.points), count.turns, count.settled]
        return {"c": [least, most], "k": how} | ({"m": modes} if modes else {})


def packed(points: Sequence[float]) -> list[float | str]:
    """Return the least of *points*, the most, and in their order the place of each between them, two letters of ``PLACES``."""
    least, most = min(points), max(points)
    step = (most - least) / (len(PLACES) - 1) or 1.0
    return [_rounded(least), _rounded(most), "".join(PLACES[round((point - least) / step)] for point in points)]


def row_anchor(metric: Metric, case: Case, variant: Variant) -> str | None:
    """Return the anchor of a row in the page's first matrix that has one; ``None`` for a native twin where times alone are."""
    if metric is not Metric.INSTRUCTIONS and variant in python_side(case):
        return anchor(case.id, variant.name)
    return anchor(INSTRUCTIONS, case.id, variant.name) if metric is not Metric.TIME else None


def _estimate(estimate: Estimate, scale: float) -> list[float | None]:
    value = estimate.value * scale
    if estimate.low is None or estimate.high is None:
        return [_rounded(value), None, None]
    low, high = estimate.low * scale, estimate.high * scale
    digits = max(DIGITS, HALF_DIGITS + _magnitude(value) - _magnitude(max(high - value, value - low)))
    return [_rounded(each, digits) for each in (value, low, high)]


def _magnitude(value: float) -> int:
    return math.floor(math.log10(abs(value))) if value else 0


def _rounded(value: float, digits: int = DIGITS) -> float:
    """Round *value* to significant *digits*; a whole number is an int, which JSON writes shorter.

    What would then lie half-way between two numbers of three digits keeps its own digits: rounded again, to be shown, it must
    not become another number than it is.
    """
    text = f"{value:.{digits - 1}e}"
    if text.partition("e")[0].removeprefix("-")[4:].rstrip("0") == "5":
        text = f"{value:.{MANY_DIGITS - 1}e}"
    rounded = float(text)
    return int(rounded) if rounded.is_integer() else rounded
