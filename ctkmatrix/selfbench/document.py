"""The evidence as a document: docs/evidence/selfbench.md."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import pyperf

from ctkmatrix import machine
from ctkmatrix.selfbench import race
from ctkmatrix.selfbench.bench import ROOT
from ctkmatrix.selfbench.rows import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctkmatrix.model import Profile
    from ctkmatrix.selfbench.rows import Race, Row

DETAILS = """\
pyperf {version} measured {sampled}; its time for all {count} is that of each kind, scaled by their number.

ctkmatrix measured all {count} in {trials} trials, before, between and after pyperf's runs. A trial is a run of
{profile.processes} processes without a pause (timed values a benchmark in each: {profile.values}, of {milliseconds:g} ms), with
a stamp at each record. Its time is added up from these: starting the program and making ready, then the processes up to the one
after which the intervals are narrow enough (at least {least}; looking after every process favours ours a little), then the page.

- *No benchmark's interval wider*, by which the target is judged: a case is left out of further processes once its own intervals
  are narrow enough. Of the cases that pyperf did not measure as large a share goes on as of those of their kind that it did. A
  process's start counts as long as any case goes on; what pyperf did not measure might ask for more of them.
- *As wide in the geometric mean*: all cases of a kind go on until its benchmarks are, together, as narrow as pyperf's. With as
  many equally good processes on both sides, half of the intervals would be wider by chance alone.

Runs in `.ctkmatrix/selfbench`: {runs}.

Half of the 95 % interval over process medians, ns a turn (in brackets: pyperf's wall time). Ours is the trials' median after
{equal} processes, as many as pyperf's default takes; on the right are the processes up to pyperf's widths, trial by trial:

{table}"""


def page(rows: Sequence[Row], text: str, command: str) -> str:
    """Return the evidence in Markdown."""
    described, harness = machine.describe(), machine.harness(ROOT)
    commit = f"{harness['commit'][:12] or 'unknown'}{', with changes' if harness['dirty'] else ''}"
    where = f"{described['cpus']} CPUs of {described['cpu']}, governor {described['governor']}"
    return (
        "# ctkmatrix measured by itself\n\n"
        f"Made by `{command}` at {machine.now()}, commit {commit}, on {where}, load {described['load'][0]:.2f} at the end. "
        "The newest cell over the null driver.\n\n"
        f"{table(['what', 'measured', 'target', ''], [row.cells() for row in rows])}\n{text}"
    )


def details(found: Race, profile: Profile) -> str:
    """Return in Markdown what was measured how, and the widths and processes of each benchmark."""
    sampled = "; ".join(
        f"{len(stratum.chosen)} of the {len(stratum.benchmarks)} {stratum.name} benchmarks ({', '.join(stratum.sampled)})"
        for stratum in found.strata
    )
    return DETAILS.format(
        version=pyperf.__version__,
        sampled=sampled,
        count=sum(len(stratum.benchmarks) for stratum in found.strata),
        trials=len(found.trials),
        profile=profile,
        milliseconds=profile.seconds_per_value * 1e3,
        least=found.least,
        runs=", ".join(f"{trial.run} ({trial.fixed:.1f} s besides its processes)" for trial in found.trials),
        equal=_equal(found),
        table=table(_head(found), _rows(found)),
    )


def _equal(found: Race) -> int:
    """Return the number of pyperf's processes in its most exact form, or of ours where these are fewer."""
    theirs = max(len(one.points) for peer in found.peers for one in peer.measured.values())
    return min(theirs, *(len(trial.rounds) for trial in found.trials))


def _head(found: Race) -> list[str]:
    peers = [peer.name for peer in found.peers]
    return ["benchmark", "ours", *peers, *(f"ours up to {peer}" for peer in peers)]


def _rows(found: Race) -> Iterator[list[str]]:
    for benchmark in found.peers[0].measured:
        ours = statistics.median(trial.half(benchmark, _equal(found)) for trial in found.trials)
        yield [
            benchmark,
            f"± {ours * 1e9:.3f}",
            *(f"± {peer.halves[benchmark] * 1e9:.3f} ({peer.measured[benchmark].wall:.1f} s)" for peer in found.peers),
            *(", ".join(_processes(found, benchmark, peer.halves[benchmark])) for peer in found.peers),
        ]


def _processes(found: Race, benchmark: str, theirs: float) -> Iterator[str]:
    """Yield by trial the number of processes after which *benchmark*'s half-width is *theirs* or less."""
    for trial in found.trials:
        stop = race.first(trial, [benchmark], {benchmark: theirs}, max, found.least)
        yield str(stop) if stop else f"> {len(trial.rounds)}"
