"""What was judged, what could not be, and waivers -> whether a candidate passes. Pure.

A regression counts once a second, fresh set of processes confirms it. What is missing is never a pass, and neither is it that
nothing was judged.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ctkmatrix.errors import Exit, UsageError, worst
from ctkmatrix.judged import Row  # noqa: TC001 -- msgspec reads the annotations
from ctkmatrix.model import Judgement, Metric, Waiver
from ctkmatrix.quantities import percent
from ctkmatrix.suggest import perhaps
from ctkmatrix.unjudged import Unjudged
from ctkmatrix.waivers import faults, waiver_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from ctkmatrix.waivers import Versions

UNCONFIRMED = "not confirmed by a second set of processes"


class Ruling(enum.StrEnum):
    """What a validation comes to."""

    PASSED = "passed"
    SLOWER = "slower"
    INCOMPLETE = "incomplete"
    INCONCLUSIVE = "inconclusive"
    WRONG_WAIVERS = "wrong waivers"


FAIL_ON = (Ruling.SLOWER, Ruling.INCOMPLETE, Ruling.INCONCLUSIVE)
"""What ``--fail-on`` takes."""

DEFAULT_FAIL_ON = (Ruling.SLOWER, Ruling.INCOMPLETE)

CODES = {
    Ruling.PASSED: Exit.PASSED,
    Ruling.SLOWER: Exit.REGRESSION,
    Ruling.INCOMPLETE: Exit.INCOMPLETE,
    Ruling.INCONCLUSIVE: Exit.INCONCLUSIVE,
    Ruling.WRONG_WAIVERS: Exit.USAGE,
}
_RULINGS = {code: ruling for ruling, code in CODES.items()}


@dataclass(frozen=True, slots=True)
class Regression:
    """A row that is slower, and the same again by a second set of processes."""

    row: Row
    again: Row


@dataclass(frozen=True, slots=True)
class Waived:
    """A row that is slower, and the waiver that accepts it; a second set of processes is not asked for it."""

    row: Row
    waiver: Waiver


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the candidate passes, and by what.

    ``exit`` is the status of the process, by what ``fail_on`` names; ``ruling`` says what was found whatever it names. ``rows``
    are all that were judged, regressions that were not confirmed among the inconclusive; ``unconfirmed`` are these alone.
    ``controls`` are rows of native twins that moved, which no Python package can do: they weaken the others and decide nothing.
    ``not_applicable`` is what only the candidate can run; ``faults`` are waivers that no longer hold or that nothing answers to.
    """

    rows: tuple[Row, ...]
    regressions: tuple[Regression, ...]
    waived: tuple[Waived, ...]
    unconfirmed: tuple[Row, ...]
    inconclusive: tuple[Row, ...]
    controls: tuple[Row, ...]
    incomplete: tuple[Unjudged, ...]
    not_applicable: tuple[Unjudged, ...]
    faults: tuple[str, ...]
    fail_on: tuple[Ruling, ...] = DEFAULT_FAIL_ON
    ruling: Ruling = Ruling.PASSED
    exit: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is decided by: the rows that were judged by ``metrics``, what a second set said ``again``, and what is missing.

    ``not_applicable`` is what only the candidate can run, which is told and decides nothing.
    """

    metrics: tuple[Metric, ...]
    rows: tuple[Row, ...]
    again: tuple[Row, ...] = ()
    incomplete: tuple[Unjudged, ...] = ()
    not_applicable: tuple[Unjudged, ...] = ()


@dataclass(frozen=True, slots=True)
class Terms:
    """By what is decided: ``versions`` are the candidate's, of each package under test, by which waivers hold.

    ``narrowed`` says that the words on the command line chose among the cases or cells: nothing need then answer to a waiver.
    """

    versions: Mapping[str, str]
    waivers: tuple[Waiver, ...] = ()
    fail_on: tuple[Ruling, ...] = DEFAULT_FAIL_ON
    narrowed: bool = False


def fail_on(text: str) -> tuple[Ruling, ...]:
    """Read the words after ``--fail-on``, separated by commas. Raises UsageError, with a suggestion."""
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in FAIL_ON:
            raise UsageError(f"--fail-on {text}: {word!r} is none of {', '.join(FAIL_ON)}{perhaps(word, FAIL_ON)}")
    return tuple(ruling for ruling in FAIL_ON if ruling in words)


def suspects(rows: Iterable[Row], waivers: Sequence[Waiver], versions: Versions) -> tuple[Row, ...]:
    """Return the rows that a second set of processes must judge: slower, of what a package can move, and not waived."""
    return tuple(row for row in rows if _suspect(row) and waiver_of(row, waivers, versions) is None)


def _suspect(row: Row) -> bool:
    return row.judgement is Judgement.SLOWER and not row.control


def confirm(row: Row, again: Row | None) -> Row:
    """Return *row* in view of the same from a second set of processes: slower only where both say so, else inconclusive."""
    if row.judgement is not Judgement.SLOWER or (again is not None and again.judgement is Judgement.SLOWER):
        return row
    return replace(row, judgement=Judgement.INCONCLUSIVE, reason=f"{UNCONFIRMED}: {_said(again)}")


def _said(again: Row | None) -> str:
    if again is None:
        return "it has no number of it"
    change = "" if again.relative is None else f" ({percent(again.relative)})"
    return f"{again.judgement}{change}{f', {again.reason}' if again.reason else ''}"


def decide(evidence: Evidence, terms: Terms) -> Decision:
    """Decide by the first set's rows, and by what a second set of processes said again of its ``suspects``."""
    first, second = evidence.rows, {_key(row): row for row in evidence.again}
    asked = {_key(row) for row in suspects(first, terms.waivers, terms.versions)}
    rows = tuple(confirm(row, second.get(_key(row))) if _key(row) in asked else row for row in first)
    unconfirmed = tuple(now for row, now in zip(first, rows, strict=True) if now is not row)
    waived = ((row, waiver_of(row, terms.waivers, terms.versions)) for row in rows if _suspect(row))
    return _ruled(
        Decision(
            fail_on=terms.fail_on,
            rows=rows,
            regressions=tuple(Regression(row, second[_key(row)]) for row in rows if _suspect(row) and _key(row) in asked),
            waived=tuple(Waived(row, waiver) for row, waiver in waived if waiver),
            unconfirmed=unconfirmed,
            inconclusive=tuple(row for row in rows if row.judgement is Judgement.INCONCLUSIVE and not row.control),
            controls=tuple(row for row in rows if row.control and row.judgement in {Judgement.SLOWER, Judgement.FASTER}),
            incomplete=(*evidence.incomplete, *_silent(unconfirmed, second), *_nothing(evidence)),
            not_applicable=evidence.not_applicable,
            faults=tuple(map(str, faults(terms.waivers, first, terms.versions, narrowed=terms.narrowed))),
        )
    )


def _key(row: Row) -> tuple[str, ...]:
    return row.metric, row.reference, row.candidate, row.case, row.variant


def _silent(unconfirmed: Iterable[Row], second: Container[tuple[str, ...]]) -> tuple[Unjudged, ...]:
    """Return the rows that the second set of processes has no number of: a candidate that then breaks must not pass for it."""
    return tuple(
        Unjudged(
            f"{row.case} {row.variant}",
            "slower by the first set of processes, and the second has no number of it",
            *(row.reference, row.candidate, row.case, row.variant, row.metric),
        )
        for row in unconfirmed
        if _key(row) not in second
    )


def _nothing(evidence: Evidence) -> tuple[Unjudged, ...]:
    """Return the metrics that were asked for and that nothing of a package was judged by."""
    seen = {row.metric for row in evidence.rows if not row.control}
    return tuple(Unjudged(f"metric {one}", "nothing was judged by it") for one in evidence.metrics if one not in seen)


def _ruled(decision: Decision) -> Decision:
    """Return *decision* with its ruling and exit code, by what was found and what of that fails."""
    parts = (decision.regressions, decision.incomplete, decision.inconclusive, decision.faults)
    found = {ruling for ruling, there in zip((*FAIL_ON, Ruling.WRONG_WAIVERS), parts, strict=True) if there}
    failing = found & {*decision.fail_on, *_whatever(decision.rows)}
    ruling = _RULINGS[worst(CODES[one] for one in failing | found - {Ruling.INCONCLUSIVE})]
    return replace(decision, ruling=ruling, exit=int(worst(CODES[one] for one in failing)))


def _whatever(rows: Iterable[Row]) -> set[Ruling]:
    """Return what fails whatever ``--fail-on`` says: wrong waivers, and that there is no verdict at all."""
    own = [row.judgement for row in rows if not row.control]
    if not own:
        return {Ruling.WRONG_WAIVERS, Ruling.INCOMPLETE}
    return {Ruling.WRONG_WAIVERS} | ({Ruling.INCONCLUSIVE} if set(own) == {Judgement.INCONCLUSIVE} else set())
