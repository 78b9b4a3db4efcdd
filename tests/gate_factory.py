"""Rows and decisions of known content, for the tests of the gate alone: no number of it was measured."""

from __future__ import annotations

from ctkmatrix import gate
from ctkmatrix.differences import Difference
from ctkmatrix.gate import DEFAULT_FAIL_ON, Decision, Evidence, Ruling, Terms
from ctkmatrix.judged import Row
from ctkmatrix.model import Judgement, Metric, Waiver
from ctkmatrix.unjudged import Unjudged
from ctkmatrix.validation import Package, Validation, WheelFile
from tests.results_factory import HOSTILE

REFERENCE, CANDIDATE = (
    f"cu13.0-py3.12-b13.0.{patch}-c1.2.2+{side}" for patch, side in (("3", "reference"), ("4rc1", "candidate"))
)
VERSIONS = {"cuda-bindings": "13.0.4rc1"}
CHANGES = {Judgement.SLOWER: 0.25, Judgement.FASTER: -0.2, Judgement.EQUIVALENT: 0.001, Judgement.INCONCLUSIVE: 0.05}
NO_WHEEL = Unjudged("Python 3.14", "the candidate has no wheel of cuda-bindings for it")


def row(
    judgement: Judgement = Judgement.EQUIVALENT,
    case: str = "launch.empty",
    variant: str = "core",
    metric: Metric = Metric.TIME,
    candidate: str = CANDIDATE,
) -> Row:
    """Return a row of 400 ns, or instructions, that came to *judgement*."""
    unit = 1e-9 if metric is Metric.TIME else 1.0
    share = CHANGES[judgement]
    before, change, width, margin = 400 * unit, 400 * share * unit, 4 * unit, 12 * unit
    reason = "too few processes" if judgement is Judgement.INCONCLUSIVE else ""
    return Row(
        *(metric, REFERENCE, candidate, case, variant, judgement),
        *(before, before + change, change, change - width, change + width, share),
        margin=margin,
        reason=reason,
    )


def waiver(case: str = "launch.*", cell: str = "cu13.0-*", until: str = "13.0.4", package: str = "cuda-bindings") -> Waiver:
    """Return a waiver that stands in line 40."""
    return Waiver(case, cell, until, "known: issue 12", package, "*", 40)


def decide(
    *rows: Row,
    again: tuple[Row, ...] | None = None,
    incomplete: tuple[Unjudged, ...] = (),
    waivers: tuple[Waiver, ...] = (),
    fail_on: tuple[Ruling, ...] = DEFAULT_FAIL_ON,
) -> Decision:
    """Decide; the second set says the same as the first unless it is said what it says *again*."""
    evidence = Evidence((Metric.TIME,), rows, rows if again is None else again, incomplete)
    return gate.decide(evidence, Terms(VERSIONS, waivers, fail_on))


def validation() -> Validation:
    """Return a validation with some of everything, and names that would break a careless writer."""
    rows = (
        row(Judgement.SLOWER, "event.record"),
        row(Judgement.SLOWER, "launch.empty"),
        row(Judgement.SLOWER, "memory.alloc_free"),
        row(Judgement.SLOWER, "nvrtc.compile"),
        row(Judgement.INCONCLUSIVE, "stream.create_destroy"),
        row(Judgement.FASTER, "enum.construct", "bindings"),
        row(Judgement.FASTER, "launch.empty", "native"),
        row(Judgement.EQUIVALENT, "device.get", "bindings"),
        row(Judgement.EQUIVALENT, "event.record", metric=Metric.INSTRUCTIONS),
    )
    again = (rows[0], row(Judgement.EQUIVALENT, "memory.alloc_free"))
    lost = Unjudged(
        f"lost.case {HOSTILE}", f"it said \x1b[31m{HOSTILE}\x00", REFERENCE, CANDIDATE, "lost.case", HOSTILE, Metric.TIME
    )
    new = Unjudged("new.case core", "the reference: there is no such name", REFERENCE, CANDIDATE, "new.case", "core", Metric.TIME)
    evidence = Evidence((Metric.TIME, Metric.INSTRUCTIONS), rows, again, (NO_WHEEL, lost), (new,))
    return Validation(
        packages=(Package("cuda-bindings", "13.0.3", "13.0.4rc1", (WheelFile("candidate", "3.12", "a.whl", "ab" * 32),)),),
        metrics=evidence.metrics,
        device_kind="null",
        started="2026-03-01T12:00:00+00:00",
        runs=("20260301T120000Z-5f1c", "20260301T121000Z-77aa"),
        pairs=((REFERENCE, CANDIDATE),),
        decision=gate.decide(evidence, Terms(VERSIONS, (waiver(), waiver("gone.*")))),
        differences=(Difference("Packages", "numpy", "2.4.5", "2.4.6", (CANDIDATE,)),),
        warnings=("The interpreter is not built with PGO.",),
    )
