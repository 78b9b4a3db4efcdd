"""``python -m ctkmatrix.simulate``: estimators and verdicts on data whose truth is known, into docs/evidence/simulation.md."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy

from ctkmatrix import stats, verdicts
from ctkmatrix.estimators import ESTIMATORS
from ctkmatrix.flags import VERDICT_PROCESSES
from ctkmatrix.model import Judgement, Margin
from ctkmatrix.noises import NOISES
from ctkmatrix.quantities import number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctkmatrix.estimators import Array, Bounds
    from ctkmatrix.noises import Noise
    from ctkmatrix.verdicts import Comparison

    Estimator = Callable[[Array], Bounds]

EVIDENCE = Path(__file__).parent.parent / "docs" / "evidence" / "simulation.md"
SEED = 20260301
TRIALS = 10_000

COUNTS = (4, 8, 12, 20, 30)
VERDICT_COUNTS = (12, 30)
"""Processes."""

SECONDS = 1e-8
"""Of one unit of the noises, for verdicts: a turn takes 1 us, where a margin of 3 % is 30 ns."""

MARGIN = Margin(0.03, 10e-9)
FAMILY = 50
WHOLE = 1000
"""About as many as `nox -s validate` compares by time: every case, native controls too, on four Pythons."""

ALARMS = {Judgement.SLOWER, Judgement.FASTER}

INTERVALS = """## Intervals

A cell says: coverage of the 95 % interval · median of its width · 90th percentile of its width, in per cent of the time. n is
the number of processes. The truth is the undisturbed time; for skewed data it is what the estimator tends to with many processes.
"""

VERDICTS = f"""## Verdicts

By the code that judges real runs (`verdicts.py`): paired by round, a time of 1 µs, a margin of 3 %. The candidate takes the same
time, 5 % more, or 6 % more (twice the margin). An alarm is a verdict of slower or faster where nothing changed. A comparison
stands alone (a family of one), or among {FAMILY} of which no other has changed (Holm over all {FAMILY}), or among {WHOLE:,}:
about as many as `nox -s validate` compares by time with every case on four Pythons.
"""

VERDICT_HEADS = (
    "Noise",
    "n",
    "alarm, alone",
    f"alarm, each of {FAMILY}",
    f"alarm, any of {FAMILY}",
    "equivalent, alone",
    "+5 %: slower, alone",
    f"+5 %: slower, 1 of {FAMILY}",
    f"+5 %: slower, 1 of {WHOLE:,}",
    "+6 %: equivalent, alone",
)


@dataclass(frozen=True, slots=True)
class Quality:
    """What an estimator's 95 % interval does: how often it holds the truth; the median and 90th percentile of its width."""

    coverage: float
    width: float
    wide: float


def quality(estimator: Estimator, samples: Array, truth: float) -> Quality:
    """Return what *estimator* does on *samples*, one a row."""
    found = estimator(samples)
    widths = found.high - found.low
    coverage = np.mean((found.low <= truth) & (truth <= found.high))
    return Quality(float(coverage), float(np.median(widths)), float(np.quantile(widths, 0.9)))


def limit(estimator: Estimator, noise: Noise, seed: int) -> float:
    """Return the noise's truth, or what *estimator* tends to: the mean over 400 samples of 250."""
    if noise.truth is not None:
        return noise.truth
    random = np.random.default_rng(seed)
    return float(np.mean([estimator(noise.draw(random, 40, 250)).centre for _ in range(10)]))


def interval_rows(noise: Noise, trials: int, seed: int) -> Iterator[str]:
    """Yield a line for each estimator, with a column for each number of processes."""
    samples = [noise.draw(np.random.default_rng((seed, count)), trials, count) for count in COUNTS]
    for name, estimator in ESTIMATORS.items():
        truth = limit(estimator, noise, seed)
        found = [quality(estimator, drawn, truth) for drawn in samples]
        yield row(name, *(f"{one.coverage:.3f} · {number(one.width)} · {number(one.wide)}" for one in found))


def compared(noise: Noise, count: int, change: float, trials: int, random: np.random.Generator) -> list[Comparison]:
    """Compare *trials* times, paired, a reference with a candidate that takes 1 + *change* times as long."""
    subject = verdicts.Subject("reference", "candidate", noise.title, "simulated")
    sides = [noise.draw(random, trials, count) * SECONDS * factor for factor in (1, 1 + change)]
    return [
        verdicts.compare(dict(enumerate(reference)), dict(enumerate(candidate)), subject, MARGIN, paired=True)
        for reference, candidate in zip(*(side.tolist() for side in sides), strict=True)
    ]


def share(wanted: set[Judgement], families: Iterable[Sequence[Comparison]]) -> float:
    """Return how often the first comparison of a family is judged as one of *wanted*."""
    return float(np.mean([verdicts.judge(family)[0].judgement in wanted for family in families]))


def found_among(many: int, slower: Sequence[Comparison]) -> float:
    """Return how often one of *slower* is found, each the only change among *many*: Holm multiplies the least p by all."""
    changes = [(one.change, one.margin) for one in slower if one.change]
    return float(np.mean([change.value > margin and many * change.p() < verdicts.LEVEL for change, margin in changes]))


def alarms(family: Sequence[Comparison]) -> int:
    """Return how many of a family are judged slower or faster."""
    return sum(verdict.judgement in ALARMS for verdict in verdicts.judge(family))


def verdict_row(noise: Noise, count: int, trials: int, seed: int) -> str:
    """Return the line of one noise and number of processes; families are a tenth of *trials*."""
    random = np.random.default_rng((seed, count))
    families = max(trials // 10, 1)
    same = compared(noise, count, 0.0, families * FAMILY, random)
    slower = compared(noise, count, 0.05, families, random)
    twice = compared(noise, count, 2 * MARGIN.relative, families, random)
    grouped = [same[first : first + FAMILY] for first in range(0, len(same), FAMILY)]
    found = np.array([alarms(family) for family in grouped])
    return row(
        noise.title,
        str(count),
        f"{share(ALARMS, ([one] for one in same)):.4f}",
        f"{found.mean() / FAMILY:.4f}",
        f"{(found > 0).mean():.3f}",
        f"{share({Judgement.EQUIVALENT}, ([one] for one in same)):.3f}",
        f"{share({Judgement.SLOWER}, ([one] for one in slower)):.3f}",
        f"{share({Judgement.SLOWER}, ([one, *others[1:]] for one, others in zip(slower, grouped, strict=True))):.3f}",
        f"{found_among(WHOLE, slower):.3f}",
        f"{share({Judgement.EQUIVALENT}, ([one] for one in twice)):.3f}",
    )


def familywise(
    residuals: Sequence[Sequence[float]], family: int, trials: int, seed: int, margins: Sequence[float] = ()
) -> tuple[float, float, float]:
    """Return how often a family without any change holds a verdict of slower or faster, and the rate's 95 % interval (Wilson).

    *residuals* are measured changes by round, seconds a turn, one series a comparison; each is centred on its own trimmed mean.
    A trial draws *family* series and swaps the two sides of each round or not, by a coin: the same rounds for all of them, so
    that what a round did to all cases stays together. (Drawing rounds with replacement would tie them, and ties alone make three
    times as many alarms at 12 rounds.) *margins*, one a series in seconds, are 0 where left out: then every significant change
    counts, and the rate is an upper bound. Raises ValueError on fewer than 12 rounds, which no verdict comes from.
    """
    if not residuals or min(map(len, residuals)) < VERDICT_PROCESSES:
        raise ValueError(f"residuals of at least {VERDICT_PROCESSES} rounds are needed")
    random = np.random.default_rng(seed)
    centred = [np.asarray(series) - stats.trimmed_mean(series).value for series in residuals]
    allowed = list(margins) or [0.0] * len(centred)
    found = sum(alarms(swapped(centred, allowed, family, random)) > 0 for _ in range(trials))
    interval = scipy.stats.binomtest(found, trials).proportion_ci(method="wilson")
    return found / trials, float(interval.low), float(interval.high)


def swapped(centred: Sequence[Array], margins: Sequence[float], family: int, random: np.random.Generator) -> list[Comparison]:
    """Return a family of comparisons drawn from *centred* residuals, the sides of some rounds swapped."""
    signs = random.choice((-1.0, 1.0), size=max(map(len, centred)))
    subject = verdicts.Subject("residuals", "residuals", "", "")
    return [
        verdicts.Comparison(
            subject, margins[one], change=stats.trimmed_mean((signs[: len(centred[one])] * centred[one]).tolist())
        )
        for one in random.integers(len(centred), size=family).tolist()
    ]


def document(trials: int, seed: int) -> str:
    """Return the whole page, Markdown."""
    uncertain = 1.96 * (0.95 * 0.05 / trials) ** 0.5
    lines = [
        "# Estimators and verdicts on data whose truth is known",
        "",
        "Made by `nox -s simulate`. Every number here is simulated; none was measured on a machine. What follows from them is in",
        "[estimator.md](../estimator.md).",
        "",
        f"Seed {seed}; {trials} samples (verdicts: {max(trials // 10, 1)} families of {FAMILY}); numpy {np.__version__},",
        f"scipy {scipy.__version__}. A coverage near 0.95 is uncertain by ±{uncertain:.4f}.",
        "",
        INTERVALS,
    ]
    for index, noise in enumerate(NOISES):
        lines += [f"### {noise.title}", "", *heading("Estimator", *(f"n = {count}" for count in COUNTS))]
        lines += [*interval_rows(noise, trials, seed + index), ""]
    lines += [VERDICTS, *heading(*VERDICT_HEADS)]
    lines += [verdict_row(noise, count, trials, seed + index) for index, noise in enumerate(NOISES) for count in VERDICT_COUNTS]
    return "\n".join(lines) + "\n"


def heading(*cells: str) -> list[str]:
    """Return a table's first two lines."""
    return [row(*cells), row("---", *["---:"] * (len(cells) - 1))]


def row(*cells: str) -> str:
    """Return one line of a table."""
    return f"| {' | '.join(cells)} |"


def main(words: Sequence[str]) -> None:
    """Write the page, by default where it belongs."""
    parser = argparse.ArgumentParser(prog="nox -s simulate --", description=__doc__, allow_abbrev=False)
    parser.add_argument("--trials", type=int, default=TRIALS, help="samples behind each number")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--to", type=Path, default=EVIDENCE, help="the file to write")
    asked = parser.parse_args(words)
    asked.to.parent.mkdir(parents=True, exist_ok=True)
    asked.to.write_text(document(asked.trials, asked.seed), encoding="utf-8")
    print(asked.to)


if __name__ == "__main__":
    main(sys.argv[1:])
