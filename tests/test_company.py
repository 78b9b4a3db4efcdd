"""The validity of a process: a case gives the same alone and in company, with real workers of a real cell."""

from __future__ import annotations

import dataclasses
import statistics
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import caseset, compilers, device, journal
from ctkmatrix.measure import Measurer
from ctkmatrix.model import Case, Profile
from ctkmatrix.plan import rounds
from ctkmatrix.store import Store
from tests.conftest import ROOT, Bench

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

PROFILE = Profile("test", processes=4, values=3, seconds_per_value=0.002, block_limit=60)
CASES = caseset.load(ROOT, compilers.LIBRARY_FLAGS)


def measure(bench: Bench, directory: Path, cases: list[Case]) -> list[journal.Record]:
    """Measure *cases* of one cell and return the journal."""
    run = Store(directory).create()
    setup = bench.workshop.setup(bench.cell, bench.environment, bench.baselines, bench.libcuda)
    measurer = Measurer(run, device.NULL, PROFILE, {bench.cell.id: setup}, lambda _units, _what: None)
    for process in rounds([bench.cell], cases, PROFILE, device="null", seed=1, max_padding=4096):
        measurer.measure(process)
    return run.records()


def quickest(records: list[journal.Record]) -> dict[tuple[str, str], float]:
    """Return the least disturbed process's value of every (case, variant), seconds a turn."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for record in records:
        if isinstance(record, journal.Measured):
            for variant, values in record.results.items():
                found[record.case, variant].append(statistics.median(values.values))
    return {key: min(values) for key, values in found.items()}


def test_a_case_gives_the_same_alone_and_in_company(newest_bench: Bench, tmp_path: Path) -> None:
    """What ran before in a process changes no time: within a fifth and 15 ns, by the least disturbed of four to twelve processes.

    More are measured where a busy machine disturbed all of the first: what a case does to another is there each time.
    One case of each area alone, in the company of all that share a process; where a turn takes a millisecond nothing is seen.
    """
    sharing = [case for case in CASES if not case.isolated and not case.seconds_per_turn]
    first = {case.area: case for case in reversed(sharing)}
    lonely = [dataclasses.replace(case, isolated=True) for case in first.values()]
    assert len(first) > 12
    together: list[journal.Record] = []
    apart: list[journal.Record] = []
    differing: dict[tuple[str, str], tuple[float, float]] = {}
    for attempt in range(3):
        together += measure(newest_bench, tmp_path / f"company-{attempt}", sharing)
        apart += measure(newest_bench, tmp_path / f"alone-{attempt}", lonely)
        company, alone = quickest(together), quickest(apart)
        assert company.keys() >= alone.keys()
        differing = {
            key: (company[key], alone[key])
            for key in alone
            if abs(company[key] - alone[key]) > 0.2 * min(company[key], alone[key]) + 15e-9
        }
        if not differing:
            break
    assert not differing


def test_processes_differ_in_padding_and_in_order(newest_bench: Bench, tmp_path: Path) -> None:
    """What must be random is random, and recorded: the padding of the environment, and which case comes first."""
    records = measure(newest_bench, tmp_path, [case for case in CASES if case.area in {"loop", "event", "enum"}])
    opened = [one for one in records if isinstance(one, journal.Opened)]
    assert len({one.padding for one in opened}) == PROFILE.processes
    orders = defaultdict(list)
    for record in records:
        if isinstance(record, journal.Measured):
            orders[record.process].append(record.case)
    assert len({tuple(order) for order in orders.values()}) > 1


def test_an_isolated_case_has_a_process_of_its_own(newest_bench: Bench, tmp_path: Path) -> None:
    """Nothing else is measured in it."""
    cases = [case for case in CASES if case.area in {"loop", "event"}]
    records = measure(newest_bench, tmp_path, [dataclasses.replace(cases[0], isolated=True), *cases[1:]])
    blocks = [one for one in records if isinstance(one, journal.Measured)]
    own = {one.process for one in blocks if one.case == cases[0].id}
    assert len(own) == PROFILE.processes
    assert not own & {one.process for one in blocks if one.case != cases[0].id}
