"""The harness's proof: runs of one cell against itself -> false alarms, what is found, and the page that says so. Pure."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy import stats as scipy_stats

from ctkmatrix import collected, stats, verdicts
from ctkmatrix.model import Judgement
from ctkmatrix.simulate import familywise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctkmatrix.journal import Record
    from ctkmatrix.model import Margin, Verdict

    Margins = Sequence[tuple[str, Margin]]

ROUNDS = 12
"""Processes behind a verdict, as in the standard profile."""

BURNS = (0, 4, 10, 20)
"""Calls of ``abs`` added to every Python turn: none, about 20, 55 and 110 ns."""

FIRST_CASES = frozenset(
    [
        "device.by_ordinal",
        "device.compute_capability",
        "device.current",
        "device.set_current",
        "enum.construct",
        "enum.member",
        "event.create_destroy",
        "event.record",
        "launch.16_pointers",
        "launch.config",
        "launch.empty",
        "loop.empty",
        "memory.alloc_free",
        "nvrtc.compile",
        "nvrtc.create_program",
        "stream.create_destroy",
        "tensormap.encode_3",
    ]
)
"""The set that the harness began with, and that its targets name: all share a process, so that runs stay comparable."""

TOO_SLOW = "nvrtc.compile"
"""A turn takes 26 ms, beside which no burn of these sizes can be seen."""

PAIRS = (("a1", "b1"), ("a1", "b2"), ("a2", "b1"), ("a2", "b2"))
"""Labels across the two environments."""

TRIALS = 2000


@dataclass(frozen=True, slots=True)
class Rate:
    """So many *hits* among *trials*, with Wilson's 95 % interval."""

    hits: int
    trials: int

    def __str__(self) -> str:
        """Say it as «3 of 1,000: 0.3 % (0.1 to 0.9 %)»."""
        if not self.trials:
            return "0 of 0"
        found = scipy_stats.binomtest(self.hits, self.trials).proportion_ci(method="wilson")
        share = 100 * self.hits / self.trials
        return f"{self.hits:,} of {self.trials:,}: {share:.1f} % ({100 * found.low:.1f} to {100 * found.high:.1f} %)"


Times = dict[tuple[str, str, str], dict[int, float]]
"""By (label, case, variant): the time in each round, seconds a turn."""


def times(records: Sequence[Record]) -> Times:
    """Return all times of the Python variants."""
    found = collected.collect(records)
    labels = {cell.id: cell.label for cell in found.began.cells}
    return {
        (labels[cell], case, variant): collected.by_round(found, (cell, case, variant))
        for cell, case, variant in found.points
        if not variant.startswith("native")
    }


def families(found: Times, pairs: Iterable[tuple[str, str]], margins: Margins) -> list[tuple[Verdict, ...]]:
    """Return the verdicts of every pair of labels, by sets of 12 rounds: each set of a pair is one invocation."""
    rounds = sorted({number for by_round in found.values() for number in by_round})
    sets = [set(rounds[at : at + ROUNDS]) for at in range(0, len(rounds) - ROUNDS + 1, ROUNDS)]
    return [
        verdicts.judge([one for key in keys(found) if (one := comparison(found, key, pair, chosen, margins))])
        for pair in pairs
        for chosen in sets
    ]


def comparison(
    found: Times, key: tuple[str, str], pair: tuple[str, str], rounds: set[int], margins: Margins
) -> verdicts.Comparison | None:
    """Compare one (case, variant) between the labels of *pair* over *rounds*."""
    reference, candidate = (found.get((label, *key), {}) for label in pair)
    if not reference or not candidate:
        return None
    return verdicts.compare(
        {number: value for number, value in reference.items() if number in rounds},
        {number: value for number, value in candidate.items() if number in rounds},
        verdicts.Subject(*pair, *key),
        verdicts.margin_of(key[0], margins),
        paired=True,
    )


def keys(found: Times) -> list[tuple[str, str]]:
    """Return every (case, variant)."""
    return sorted({(case, variant) for _, case, variant in found})


def margin(found: Times, key: tuple[str, str], label: str, margins: Margins) -> float:
    """Return the change of a (case, variant) that does not matter, seconds."""
    return verdicts.margin_of(key[0], margins).at(statistics.median(found[label, *key].values()))


def is_alarm(verdict: Verdict) -> bool:
    """Whether it says that something changed."""
    return verdict.judgement in {Judgement.SLOWER, Judgement.FASTER}


def residuals(found: Times, pairs: Iterable[tuple[str, str]]) -> list[list[float]]:
    """Return the paired differences of each (case, variant), seconds a turn, over all pairs of labels."""
    return [
        [
            found[second, *key][number] - found[first, *key][number]
            for first, second in pairs
            for number in found.get((first, *key), {}).keys() & found.get((second, *key), {}).keys()
        ]
        for key in keys(found)
    ]


def burn_size(found: Times, label: str, base: str) -> float:
    """Return what a burn really adds to a turn, seconds: measured by the loop that does nothing else."""
    points = [
        found[label, "loop.empty", "python"][number] - value
        for number, value in found[base, "loop.empty", "python"].items()
        if number in found[label, "loop.empty", "python"]
    ]
    return stats.trimmed_mean(points).value


def judged(all_families: Sequence[tuple[Verdict, ...]]) -> dict[Judgement, int]:
    """Count the verdicts by what they say."""
    counts = dict.fromkeys(Judgement, 0)
    for family in all_families:
        for verdict in family:
            counts[verdict.judgement] += 1
    return counts


def false_alarms(all_families: Sequence[tuple[Verdict, ...]]) -> tuple[Rate, Rate]:
    """Return the rate of alarms per comparison, and of families with any."""
    single = [is_alarm(verdict) for family in all_families for verdict in family]
    return Rate(sum(single), len(single)), Rate(sum(map(any, alarms(all_families))), len(all_families))


def alarms(all_families: Sequence[tuple[Verdict, ...]]) -> list[list[bool]]:
    """Return whether each verdict of each family is an alarm."""
    return [[is_alarm(verdict) for verdict in family] for family in all_families]


def page(aa_records: Sequence[Record], burn_records: Sequence[Record], margins: Margins, command: str) -> str:
    """Return the evidence as Markdown, every row with the id of the run that it is from."""
    began, burn_run = collected.collect(aa_records).began, collected.collect(burn_records).began.run
    aa_run, cell = began.run, began.cells[0]
    aa, burn = times(aa_records), times(burn_records)
    aa_families = families(aa, PAIRS, margins)
    single, whole = false_alarms(aa_families)
    limits = [margin(aa, key, "a1", margins) for key in keys(aa)]
    rate, low, high = familywise(residuals(aa, PAIRS), len(keys(aa)), TRIALS, 1, limits)
    simulated = f"{100 * rate:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
    said = judged(aa_families)
    dirty = " (with changes)" if began.harness["dirty"] else ""
    lines = [
        "# How often a verdict is wrong, and what it finds",
        "",
        f"Made by `{command}` at {began.at}, harness {began.harness['commit'][:12]}{dirty}, over the null driver, on",
        f"{began.machine['cpu']} with {began.machine['cpus']} CPUs (governor {began.machine['governor']}), in the cell",
        f"{cell.id.partition('+')[0]}, by {len(began.cases)} cases: {', '.join(sorted(began.cases))}.",
        "",
        "## False alarms: two environments of one cell against each other",
        "",
        "Two environments of the same lock, built one after the other in directories of different length, each measured twice",
        f"a round. Every pair across the two, in sets of {ROUNDS} rounds, is an invocation of {len(keys(aa))} comparisons. Pairs",
        "share rounds, so the intervals (Wilson, 95 %) are a little too narrow.",
        "",
        "| what | rate | target | run |",
        "|---|---|---|---|",
        f"| comparisons called `slower` or `faster` | {single} | ≤ 1 % | {aa_run} |",
        f"| invocations with any | {whole} | - | {aa_run} |",
        f"| the same, simulated from the measured differences, {TRIALS:,} trials | {simulated} | ≤ 5 % | {aa_run} |",
        f"| comparisons called `equivalent` | {Rate(said[Judgement.EQUIVALENT], sum(said.values()))} | - | {aa_run} |",
        "",
        *detection(margins, burn, burn_run),
    ]
    return "\n".join(lines) + "\n"


def detection(margins: Margins, burn: Times, run: str) -> list[str]:
    """Return the lines on known slow-downs, standard profile."""
    lines = [
        "## Known slow-downs, standard profile",
        "",
        "Every Python turn also calls `abs` a number of times; what that adds is measured by the loop that does nothing else. A",
        "slow-down counts for a comparison where it is at least 5 % of its time and 20 ns: as much as the target asks for.",
        "",
        "| calls | adds, ns | of all comparisons called `slower` | of those where it is ≥ 5 % and ≥ 20 ns | run |",
        "|---|---|---|---|---|",
    ]
    base = f"b{BURNS[0]}"
    for calls in BURNS[1:]:
        label = f"b{calls}"
        size = burn_size(burn, label, base)
        found = [verdict for family in families(burn, [(base, label)], margins) for verdict in family]
        found = [verdict for verdict in found if verdict.case != "loop.empty"]
        asked = [verdict for verdict in found if size >= max(0.05 * reference(burn, base, verdict), 20e-9)]
        rates = [Rate(sum(one.judgement is Judgement.SLOWER for one in some), len(some)) for some in (found, asked)]
        lines.append(f"| {calls} | {size * 1e9:.1f} | {rates[0]} | {rates[1]} | {run} |")
    return [*lines, "", *effects(margins, burn, run)]


def reference(found: Times, base: str, verdict: Verdict) -> float:
    """Return the reference's time, seconds."""
    return statistics.median(found[base, verdict.case, verdict.variant].values())


def effects(margins: Margins, burn: Times, run: str) -> list[str]:
    """Return the smallest change that 12 processes would find with 80 % power, by case, from the spread of paired differences."""
    lines = [
        "## The smallest change that 12 processes find",
        "",
        "With 80 % power at the level that Holm's adjustment leaves the first of a family of this size; from the spread of the",
        "paired differences of the standard profile, and never less than the margin. In brackets: quartiles over sets and pairs.",
        "",
        "| case | variant | time, ns | smallest change, ns | of the time | run |",
        "|---|---|---|---|---|---|",
    ]
    pairs = [(f"b{first}", f"b{second}") for first in BURNS for second in BURNS if first < second]
    level = 0.05 / len(keys(burn))
    for key in keys(burn):
        errors = [error for pair in pairs for error in standard_errors(burn, key, pair)]
        if not errors:
            continue
        time_taken = statistics.median(burn["b0", *key].values())
        least = margin(burn, key, "b0", margins)
        freedom = ROUNDS - 2 * int(stats.TRIM * ROUNDS) - 1
        factor = float(scipy_stats.t.ppf(1 - level / 2, freedom) + scipy_stats.t.ppf(0.8, freedom))
        low, middle, high = (max(least, factor * error) for error in quartiles(errors))
        lines.append(
            f"| {key[0]} | {key[1]} | {time_taken * 1e9:,.0f} | {middle * 1e9:,.0f} ({low * 1e9:,.0f} to {high * 1e9:,.0f}) "
            f"| {100 * middle / time_taken:.0f} % | {run} |"
        )
    return lines


def standard_errors(found: Times, key: tuple[str, str], pair: tuple[str, str]) -> list[float]:
    """Return the standard error of each set of 12 paired differences."""
    first, second = (found.get((label, *key), {}) for label in pair)
    both = sorted(first.keys() & second.keys())
    differences = [second[number] - first[number] for number in both]
    return [stats.trimmed_mean(differences[at : at + ROUNDS]).error for at in range(0, len(differences) - ROUNDS + 1, ROUNDS)]


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the first quartile, the median and the third quartile."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4)
    return low, middle, high
