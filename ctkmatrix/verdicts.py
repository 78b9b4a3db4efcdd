"""Two cells, or two runs -> verdicts: slower, faster, equivalent or inconclusive. Pure; every command judges by this code.

What is compared is a variant's own time. The process is the unit; within a run processes are paired by round, so that what a
whole round suffered cancels. A verdict needs both: a change that chance does not explain, and one that matters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ctkmatrix import stats
from ctkmatrix.errors import NotComparable
from ctkmatrix.flags import VERDICT_PROCESSES
from ctkmatrix.model import Judgement, Verdict
from ctkmatrix.quantities import counted, nanoseconds, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctkmatrix.model import CellResult, Estimate, Margin, Results

    Points = Mapping[int, float]
    """A variant's own time by round, seconds a turn: one process a round."""

LEVEL = 0.05
"""A change counts below this p value, adjusted; equivalence is two one-sided tests at it: the interval at 1 - 2 * LEVEL."""

INTERPRETER = ("build", "optimised", "gil", "jit")
"""What makes two interpreters of one version differ in speed, by its key in a cell's provenance."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is compared: the ids of two cells (or whatever names two sides), a case and a variant."""

    reference: str
    candidate: str
    case: str
    variant: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison before it is judged among the others of its invocation. Times are seconds a turn.

    time
        The reference's.
    margin
        The change that does not matter.
    change
        Candidate minus reference; ``None`` where a side, or every pair, is missing.
    points
        The change in each round; empty where nothing is paired.
    reason
        Why this cannot be judged; empty where it can.
    """

    subject: Subject
    margin: float
    time: float | None = None
    change: stats.Mean | None = None
    points: tuple[float, ...] = field(default=(), repr=False)
    reason: str = ""


def margin_of(case: str, margins: Sequence[tuple[str, Margin]]) -> Margin:
    """Return the margin for *case*: the last of *margins* whose glob matches. Raises KeyError where none does."""
    found = [margin for glob, margin in margins if fnmatchcase(case, glob)]
    if not found:
        raise KeyError(case)
    return found[-1]


def compare(reference: Points, candidate: Points, subject: Subject, margin: Margin, *, paired: bool) -> Comparison:
    """Compare two sides: *paired* by round within one run, unpaired between two runs.

    Paired, the rounds that both have count, and the change is the trimmed mean of their differences; unpaired, it is the
    difference of the trimmed means, with Yuen's (1974) Welch test. With fewer than 12 a side the change is shown, not judged.
    """
    if missing := _missing(reference, candidate):
        return Comparison(subject, margin.absolute, reason=missing)
    if paired:
        return _paired(reference, candidate, subject, margin)
    time = stats.trimmed_mean(list(reference.values())).value
    change = stats.difference(list(reference.values()), list(candidate.values()))
    few = [_few(points, side) for points, side in ((reference, "of the reference"), (candidate, "of the candidate"))]
    return Comparison(subject, margin.at(time), time, change, reason="; ".join(filter(None, few)))


def _paired(reference: Points, candidate: Points, subject: Subject, margin: Margin) -> Comparison:
    both = sorted(reference.keys() & candidate.keys())
    if not both:
        return Comparison(subject, margin.absolute, reason="no samples: no round has both the reference and the candidate")
    points = tuple(candidate[number] - reference[number] for number in both)
    time = stats.trimmed_mean([reference[number] for number in both]).value
    change = stats.trimmed_mean(points)
    return Comparison(subject, margin.at(time), time, change, points, _few(both, "of each side share a round"))


def _missing(reference: Points, candidate: Points) -> str:
    sides = [side for points, side in ((reference, "reference"), (candidate, "candidate")) if not points]
    return f"no samples of the {' and of the '.join(sides)}" if sides else ""


def _few(points: Points | Sequence[int], which: str) -> str:
    count = len(points)
    if count >= VERDICT_PROCESSES:
        return ""
    return f"only {counted(count, 'process', 'processes')} {which}: a verdict needs {VERDICT_PROCESSES}"


def judge(comparisons: Sequence[Comparison]) -> tuple[Verdict, ...]:
    """Return the verdicts of one invocation, in order. All that can be judged is one family for Holm's adjustment."""
    tested = [one.change.p() for one in comparisons if one.change and not one.reason]
    adjusted = iter(holm(tested))
    return tuple(_verdict(one, next(adjusted) if one.change and not one.reason else None) for one in comparisons)


def holm(ps: Sequence[float]) -> list[float]:
    """Return *ps* adjusted by Holm's (1979) step-down method, in their own order."""
    adjusted, highest = [1.0] * len(ps), 0.0
    for rank, index in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        highest = min(1.0, max(highest, (len(ps) - rank) * ps[index]))
        adjusted[index] = highest
    return adjusted


def _verdict(one: Comparison, p: float | None) -> Verdict:
    if one.change is None or p is None:
        judgement, reason = Judgement.INCONCLUSIVE, one.reason
    else:
        judgement, reason = _decide(one.change, p, one.margin)
    return Verdict(
        reference=one.subject.reference,
        candidate=one.subject.candidate,
        case=one.subject.case,
        variant=one.subject.variant,
        judgement=judgement,
        change=_described(one),
        relative=one.change.value / one.time if one.change and one.time else None,
        p=p,
        margin=one.margin,
        reason=reason,
    )


def _described(one: Comparison) -> Estimate | None:
    return stats.described(one.change, one.points) if one.change else None


def _decide(change: stats.Mean, p: float, margin: float) -> tuple[Judgement, str]:
    beyond = abs(change.value) > margin
    if beyond and p < LEVEL:
        return (Judgement.SLOWER if change.value > 0 else Judgement.FASTER), ""
    low, high = change.interval(1 - 2 * LEVEL)
    if -margin < low and high < margin:
        return Judgement.EQUIVALENT, ""
    return Judgement.INCONCLUSIVE, _doubt(change, p, margin, beyond=beyond)


def _doubt(change: stats.Mean, p: float, margin: float, *, beyond: bool) -> str:
    allowed = f"the margin of {nanoseconds(margin)} ns"
    if beyond:
        return f"the change is beyond {allowed}, and chance may explain it (adjusted p = {number(p, 2)})"
    low, high = change.interval(1 - 2 * LEVEL)
    spread = f"the 90 % interval, {nanoseconds(low)} to {nanoseconds(high)} ns, is not inside {allowed}"
    if p < LEVEL:
        return f"there is a change, and whether it matters is open: {spread}"
    return f"too noisy: {spread}"


def refuse(reference: Results, candidate: Results) -> None:
    """See that two runs may be compared. Raises NotComparable with every difference that forbids it.

    These are: the machine, the device, its driver, the version of any case that both have, or no such case.
    """
    then, now = _grounds(reference), _grounds(candidate)
    differences = [f"{what}: {then[what]} and {now[what]}" for what in then if then[what] != now[what]]
    differences += _versions(reference, candidate)
    if differences:
        runs = f"runs {reference.manifest.run} and {candidate.manifest.run}"
        raise NotComparable(f"{runs} cannot be compared. They differ in {'; '.join(differences)}. Measure both side by side.")


def _grounds(results: Results) -> dict[str, str]:
    manifest = results.manifest
    device = manifest.device
    return {
        "machine": _at(manifest.machine, "id"),
        "device": " ".join(filter(None, (manifest.device_kind, str(device.get("uuid", ""))))),
        "CUDA version of the driver": _at(device, "driver_cuda"),
        "driver": _at(device, "telemetry", "gpu", "driver"),
    }


def _versions(reference: Results, candidate: Results) -> list[str]:
    then = {case.id: case.version for case in reference.cases}
    now = {case.id: case.version for case in candidate.cases}
    shared = sorted(then.keys() & now.keys())
    if not shared:
        return ["their cases: they have none in common"]
    changed = [case for case in shared if then[case] != now[case]]
    return [f"the version of {counted(len(changed), 'case')}: {', '.join(changed)}"] if changed else []


def marks(reference: CellResult, candidate: CellResult) -> tuple[str, ...]:
    """Say in what the interpreters of two cells differ: such a comparison is made, and marked."""
    pairs = {key: tuple(_at(cell.provenance, "python", key) for cell in (reference, candidate)) for key in INTERPRETER}
    return tuple(f"interpreters differ in {key}: {then} and {now}" for key, (then, now) in pairs.items() if then != now)


def _at(tree: object, *keys: str) -> str:
    """Return what lies at *keys* in a JSON-like tree, as text; ``unknown`` where there is nothing."""
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return "unknown" if tree is None or tree == "" else str(tree)
