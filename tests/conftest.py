"""What the end-to-end tests share: real environments, toolkits and null driver, made once in the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import device, envs, job, matrix, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from ctkmatrix.envs import Environment
    from ctkmatrix.model import Cell, Matrix

ROOT = Path(__file__).parent.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a GPU where there is none, and say so."""
    missing = None if _has_gpu() else pytest.mark.skip(reason="needs a genuine NVIDIA driver and GPU; there is none here")
    for item in items:
        if missing and item.get_closest_marker("gpu"):
            item.add_marker(missing)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI a skipped test, other than those marked ``gpu``, fails the run: what is skipped in silence is not tested."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") != "true" or reporter is None:
        return
    skipped = [one for one in reporter.stats.get("skipped", []) if "gpu" not in one.keywords]
    if skipped:
        reporter.write_line(f"CI: {len(skipped)} tests were skipped: {', '.join(one.nodeid for one in skipped)}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _has_gpu() -> bool:
    return shutil.which("nvidia-smi") is not None and not subprocess.run(["nvidia-smi", "-L"], check=False).returncode


@pytest.fixture(scope="session")
def place() -> job.Place:
    """This checkout."""
    return job.Place(ROOT)


@pytest.fixture(scope="session")
def default_matrix(place: job.Place) -> Matrix:
    """The checkout's matrix.toml."""
    return matrix.load(place.root / "matrix.toml")


@pytest.fixture(scope="session")
def toolkit_13(place: job.Place, default_matrix: Matrix) -> Path:
    """The unpacked wheels of the newest toolkit."""
    return envs.ensure_toolkit(matrix.newest(default_matrix.cells).toolkit, place.build)


@pytest.fixture(scope="session")
def toolkit_12(place: job.Place) -> Path:
    """The unpacked wheels of toolkit 12.9, which hold no nvcc."""
    return envs.ensure_toolkit("12.9", place.build)


@dataclass(frozen=True)
class Bench:
    """All that workers of one cell need, over the null driver."""

    cell: Cell
    environment: Environment
    baselines: prepare.Baselines
    workshop: prepare.Workshop
    libcuda: str


def bench_of(place: job.Place, cell: Cell, newest: str) -> Bench:
    """Make, or find, what *cell* is measured with over the null driver."""
    workshop = prepare.Workshop(place.root, place.build, device.NULL, print)
    environment = envs.ensure(cell, place.build)
    return Bench(
        cell,
        environment,
        workshop.baselines({cell.toolkit: environment})[cell.toolkit],
        workshop,
        str(workshop.null_driver(newest)),
    )


@pytest.fixture(scope="session")
def newest_bench(place: job.Place, default_matrix: Matrix) -> Bench:
    """The newest cell."""
    newest = matrix.newest(default_matrix.cells)
    return bench_of(place, newest, newest.toolkit)


@pytest.fixture(scope="session")
def oldest_bench(place: job.Place, default_matrix: Matrix) -> Bench:
    """The oldest cell: another major, the oldest Python and bindings, no nvcc in wheels."""
    return bench_of(place, default_matrix.cells[0], matrix.newest(default_matrix.cells).toolkit)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests, as two of Playwright's sessions cannot run at once."""
    from tests import browsing  # of use to few tests, and half a second to load

    with browsing.chromium() as started:
        yield started


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """Open an empty window as wide as a desk's, in which nothing may go wrong, and from which nothing may be fetched."""
    from tests import browsing

    with browsing.opened(browser) as made:
        yield made
