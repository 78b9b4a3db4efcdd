"""The whole case set over the null driver: in every release that it is for, and what its variants really call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import caseset, compilers, locks
from ctkmatrix.model import Cell
from ctkmatrix.needs import NULL, lack
from tests.casetrace import Turner, tracing_driver, turner
from tests.conftest import ROOT, bench_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ctkmatrix.job import Place
    from ctkmatrix.model import Case, Variant
    from tests.conftest import Bench

pytestmark = pytest.mark.slow

CASES = caseset.load(ROOT, compilers.LIBRARY_FLAGS)
ROWS = [(case, variant) for case in CASES for variant in case.variants if not lack(variant.needs, NULL)]
NAMES = [f"{case.id}/{variant.name}" for case, variant in ROWS]

OTHERS = [(case, variant) for case in CASES for variant in case.variants if re.search(r"\bcu\.(cupy|torch)\b", variant.source)]
"""What takes another library than NVIDIA's."""

PEERS = Cell("13.0", "3.12", "13.0.3", "1.2.2", extras=("cupy-cuda13x",))

OLDEST, NEWEST = "3.11", "3.14"

PAIRS = (
    ("12.9", "12.9.10", "0.3.2"),
    ("12.9", "12.9.10", "0.4.0"),
    ("12.9", "12.9.10", "0.4.2"),
    ("12.9", "12.9.10", "0.5.1"),
    ("12.9", "12.9.10", "0.6.0"),
    ("12.9", "12.9.10", "0.7.0"),
    ("12.9", "12.9.10", "1.0.1"),
    ("12.9", "12.9.10", "1.1.1"),
    ("12.9", "12.9.0", "1.2.2"),
    ("13.0", "13.0.0", "1.2.2"),
    ("13.2", "13.2.0", "1.2.2"),
    ("13.5", "13.5.0", "1.2.2"),
)
"""Toolkit, cuda-bindings and cuda-core, spread over the releases."""

NO_WHEEL = {("12.9.10", "0.3.2"), ("12.9.0", "1.2.2"), ("13.0.0", "1.2.2")}
"""Of one of the two for the newest Python."""

RELEASES = (
    *(Cell(toolkit, OLDEST, bindings, core) for toolkit, bindings, core in PAIRS),
    *(Cell(toolkit, NEWEST, bindings, core) for toolkit, bindings, core in PAIRS if (bindings, core) not in NO_WHEEL),
    PEERS,
)

ALL_BUT_A_FEW = 0.75
"""Of the variants, so many at least are in every release: one in which nearly nothing is there was read wrongly."""


@pytest.fixture(scope="module")
def tracing(newest_bench: Bench, toolkit_13: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Turner]:
    """A worker of the newest cell over the driver that writes down what it is asked."""
    driver = tracing_driver(newest_bench, toolkit_13)
    with turner(newest_bench, str(driver), tmp_path_factory.mktemp("trace")) as worker:
        yield worker


@pytest.mark.parametrize("cell", RELEASES, ids=lambda cell: cell.id)
def test_every_case_runs_in_every_release(place: Place, cell: Cell, tmp_path: Path) -> None:
    """One turn of everything: it runs, or it is not in that version; nothing fails, nothing is left behind."""
    assert locks.lock_path(cell).exists()
    bench = bench_of(place, cell, newest=max((one.toolkit for one in RELEASES), key=float))
    absent, wrong = [], []
    with turner(bench, bench.libcuda, tmp_path) as worker:
        for case, variant in ROWS:
            turned = worker.turn(case.id, variant.name, 1)
            if turned.absent:
                absent.append(f"{case.id}/{variant.name}")
            elif turned.failure or turned.dirt:
                wrong.append(f"{case.id}/{variant.name}: {turned.failure or turned.dirt}")
    assert not wrong
    assert len(absent) < (1 - ALL_BUT_A_FEW) * len(ROWS), absent
    assert not [name for name in absent if name.endswith("/native")]


def test_without_another_library_what_takes_it_is_absent(tracing: Turner) -> None:
    """Nothing has been called yet, so that it is absent on a GPU too: not applicable, with the reason, and no failure."""
    turned = [tracing.turn(case.id, variant.name, 1) for case, variant in OTHERS]
    assert len(turned) > 8
    assert all(each.absent for each in turned)
    assert {each.failure for each in turned} == {"CuPy is not installed", "PyTorch is not installed"}


def test_beside_cupy_what_takes_it_lacks_a_genuine_driver_alone(place: Place, tmp_path: Path) -> None:
    """It is imported, and has all that bodies ask it for; then its cudart refuses the null driver."""
    bench = bench_of(place, PEERS, newest="13.5")
    with turner(bench, bench.libcuda, tmp_path) as worker:
        turned = {(case.id, variant.name): worker.turn(case.id, variant.name, 1) for case, variant in OTHERS}
    assert turned.pop(("view.torch", "core")).failure == "PyTorch is not installed"
    assert not [key for key, each in turned.items() if each.absent]
    assert not [each for each in turned.values() if not each.failure.startswith("CUDARuntimeError: ")]


@pytest.mark.parametrize(("case", "variant"), ROWS, ids=NAMES)
def test_a_turn_makes_the_calls_that_are_declared(tracing: Turner, case: Case, variant: Variant) -> None:
    """By name, as many as declared, in the newest cell."""
    names = [re.split(r"\W", line, maxsplit=1)[0] for line in tracing.calls(case.id, variant.name)]
    assert sorted(names) == sorted(variant.calls)


LIKE = [
    (case, variant)
    for case, variant in ROWS
    if not (variant.differs or case.without_native) and variant.name not in {"native", "python"}
]


@pytest.mark.parametrize(("case", "variant"), LIKE, ids=[f"{case.id}/{variant.name}" for case, variant in LIKE])
def test_like_for_like_is_alike(tracing: Turner, case: Case, variant: Variant) -> None:
    """A variant that does not say how it differs makes the native twin's calls, in its order, with its scalar arguments."""
    assert tracing.calls(case.id, variant.name) == tracing.calls(case.id, "native")
