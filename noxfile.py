# /// script
# requires-python = ">=3.11"
# dependencies = ["nox>=2025.5.1"]
# ///
"""What can be run: `nox -l` lists it. Words after `--` narrow a run, such as `-- --case 'event.*' --quick`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import nox

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT))

from ctkmatrix import args, envs, locks, uv  # noqa: E402 -- found through the line above
from ctkmatrix import matrix as matrices  # noqa: E402
from ctkmatrix.errors import CtkmatrixError, EnvironmentFailed, Exit  # noqa: E402
from ctkmatrix.passthrough import run  # noqa: E402
from ctkmatrix.plaintext import harmless  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctkmatrix.model import Cell

BUILD = ROOT / ".ctkmatrix"
"""Environments, toolkits and whatever is compiled; safe to delete."""

nox.options.sessions = ["lint", "tests"]
nox.needs_version = ">=2025.5.1"


def give_up(error: CtkmatrixError) -> NoReturn:
    """Say what is wrong and leave nox with the failure's own exit code."""
    print(f"ctkmatrix: {harmless(str(error))}", file=sys.stderr)
    raise SystemExit(int(error.exit))


try:
    MATRIX = matrices.load(ROOT / "matrix.toml")
except CtkmatrixError as wrong:
    give_up(wrong)

prepared: list[str] = []
"""Ids of the cells whose sessions ran in this invocation, in order: what `measure` takes."""


def ctkmatrix(session: nox.Session, command: str, *words: str) -> None:
    """Run ``python -m ctkmatrix`` in the orchestrator's environment; a status other than 0 becomes nox's own."""
    try:
        python = envs.ensure_tools("orchestrator", BUILD).python
    except CtkmatrixError as error:
        give_up(error)
    status = run([str(python), "-m", "ctkmatrix", command, *words, "--", *session.posargs], ROOT)
    if status != Exit.PASSED:
        raise SystemExit(status)


def bench_cells(session: nox.Session, only: Sequence[str] = ()) -> None:
    """Say what will be done, then queue the sessions of the selected cells, among those whose ids are in *only*, or all."""
    try:
        asked = args.parse(session.posargs, [profile.name for profile in MATRIX.profiles])
        if asked.resume is None:
            args.select(args.among(MATRIX, asked, only), asked)  # wrong words are told before anything is made
    except CtkmatrixError as error:
        give_up(error)
    with tempfile.TemporaryDirectory() as directory:
        planned = Path(directory, "cells")
        ctkmatrix(session, "plan", f"--cells-to={planned}", *(f"--only={cell}" for cell in only))
        cells = planned.read_text(encoding="utf-8").split()
    if {cell.id for cell in MATRIX.cells}.issuperset(cells):
        for cell in cells:
            session.notify(f"bench-{cell}")
    else:  # cells of a group have no sessions: `measure`, which no session prepared anything for, makes the environments
        session.notify("measure")


def prepare_cell(session: nox.Session, cell: Cell) -> None:
    """Make the cell's environment; one that cannot be had is not run, says so in the report, and stops no other."""
    prepared.append(cell.id)
    session.notify("measure")
    try:
        made = envs.ensure(cell, BUILD)
    except EnvironmentFailed as error:
        session.warn(f"not run: {harmless(str(error))}")
    except CtkmatrixError as error:
        give_up(error)
    else:
        session.log(f"environment {'found' if made.reused else 'made'} in {made.seconds:.2f} s")


@nox.session(venv_backend="none", default=False)
def bench(session: nox.Session) -> None:
    """Measure the whole matrix, or one of its groups, and render it."""
    bench_cells(session)


def dev_tool(name: str) -> str:
    """Return the path of a program of the development environment."""
    try:
        return str(envs.ensure_tools("dev", BUILD).python.with_name(name))
    except CtkmatrixError as error:
        give_up(error)


def add_major(major: str) -> None:
    """Add ``bench-cu<major>``."""
    cell = matrices.newest(cell for cell in MATRIX.cells if cell.major == major)

    @nox.session(name=f"bench-cu{major}", venv_backend="none", default=False)
    def bench_major(session: nox.Session) -> None:
        bench_cells(session, [cell.id])

    bench_major.__doc__ = f"Measure the newest cell of CUDA {major}: {cell.id}."


def add_cell(cell: Cell) -> None:
    """Add ``bench-<cell id>``."""

    @nox.session(name=f"bench-{cell.id}", venv_backend="none", default=False, tags=list(matrices.tags(cell)))
    def bench_cell(session: nox.Session) -> None:
        prepare_cell(session, cell)

    core = f"cuda-core {cell.core}" if cell.core else "no cuda-core"
    bench_cell.__doc__ = f"Measure CUDA {cell.toolkit}, Python {cell.python}, cuda-bindings {cell.bindings}, {core}."


for one in sorted({cell.major for cell in MATRIX.cells}):
    add_major(one)
for each in MATRIX.cells:
    add_cell(each)


@nox.session(venv_backend="none", default=False)
def measure(session: nox.Session) -> None:
    """Measure the cells whose environments are there, in interleaved rounds, and render one report."""
    ctkmatrix(session, "measure", *(f"--only={cell}" for cell in prepared))


@nox.session(venv_backend="none", default=False)
def count(session: nox.Session) -> None:
    """Count instructions per call over the null driver, by valgrind: what a machine without a GPU can tell without noise."""
    ctkmatrix(session, "count")


@nox.session(venv_backend="none", default=False)
def report(session: nox.Session) -> None:
    """Render the page of a run again, the latest or `-- RUN`; or compare two runs or groups of cells, `-- --compare A B`."""
    ctkmatrix(session, "report")


@nox.session(venv_backend="none", default=False)
def validate(session: nox.Session) -> None:
    """Say whether a candidate is slower than a release, before it is tagged: `-- --candidate P=WHEELS --reference P==V`."""
    ctkmatrix(session, "validate")


@nox.session(venv_backend="none", default=False)
def profile(session: nox.Session) -> None:
    """Show where a case's instructions go, as a flame graph: `-- --case CASE --cell CELL`; with two cells, the difference."""
    ctkmatrix(session, "profile")


@nox.session(venv_backend="none", default=False)
def lock(session: nox.Session) -> None:
    """Renew the locks of every environment from matrix.toml."""
    try:
        locks.renew(MATRIX, uv.run)
    except CtkmatrixError as error:
        give_up(error)
    session.log(f"wrote {locks.LOCKS.relative_to(ROOT)}/")


def in_dev(session: nox.Session, module: str) -> None:
    """Run a module of ours with the development tools at hand; its status becomes nox's own."""
    status = run([dev_tool("python"), "-m", module, *session.posargs], ROOT)
    if status != Exit.PASSED:
        raise SystemExit(status)


@nox.session(venv_backend="none", default=False)
def simulate(session: nox.Session) -> None:
    """Make the table again by which the estimator was chosen: coverage and width on known distributions."""
    in_dev(session, "ctkmatrix.simulate")


@nox.session(venv_backend="none", default=False)
def history(session: nox.Session) -> None:
    """List what each release changed, from a run of `count -- --group history`: the latest, or `-- RUN`."""
    in_dev(session, "ctkmatrix.chronicle")


@nox.session(name="selftest-stats", venv_backend="none", default=False)
def selftest_stats(session: nox.Session) -> None:
    """Measure how often a verdict is wrong, and which slow-downs are found; half an hour."""
    in_dev(session, "ctkmatrix.selftest")


@nox.session(name="selftest-count", venv_backend="none", default=False)
def selftest_count(session: nox.Session) -> None:
    """Measure how far counts of equal things lie apart: the margin of `nox -s count`; twenty minutes."""
    in_dev(session, "ctkmatrix.selftest_count")


@nox.session(venv_backend="none", default=False)
def selfbench(session: nox.Session) -> None:
    """Measure the harness against its targets: pyperf's time, timed share, the loop, the planner."""
    in_dev(session, "ctkmatrix.selfbench")


@nox.session(venv_backend="none")
def lint(session: nox.Session) -> None:
    """Check style and types: ruff and mypy."""
    session.run(dev_tool("ruff"), "check", ".", external=True)
    session.run(dev_tool("ruff"), "format", "--check", ".", external=True)
    session.run(dev_tool("mypy"), external=True)


@nox.session(venv_backend="none")
def tests(session: nox.Session) -> None:
    """Run all tests, with real environments, a real nvcc and a real browser; needs no GPU."""
    session.run(dev_tool("python"), "-m", "pytest", *session.posargs, external=True)
