"""What the orchestrator and a worker say to each other: how one is opened, that it is its cell, what its answers are worth."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from ctkmatrix import journal
from ctkmatrix.workers import WorkerLost

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ctkmatrix.device import Device
    from ctkmatrix.model import Cell
    from ctkmatrix.plan import Process
    from ctkmatrix.workers import WorkerProcess

Answered = TypeVar("Answered", bound=journal.Answered)


@dataclass(frozen=True, slots=True)
class Setup:
    """All that a worker of one cell needs. ``native`` maps variants to a ``path``, or to the ``reason`` why there is none."""

    cell: Cell
    python: Path
    cases: Path
    cubin: str
    native: dict[str, dict[str, str]]
    variables: dict[str, str]
    libcuda: str
    burn: int = 0
    """A known slow-down of every Python turn, see ``probe/loop.py``: for the harness's own proof."""


def opening(setup: Setup, device: Device) -> dict[str, Any]:
    """Return the request that makes a worker of *setup* ready, pinned to no CPU."""
    return {
        "op": "open",
        "libcuda": setup.libcuda,
        "cases": str(setup.cases),
        "cubin": setup.cubin,
        "architecture": device.architecture,
        "core": setup.cell.core is not None,
        "native": setup.native,
        "cpu": None,
    }


def open_worker(worker: WorkerProcess, setup: Setup, device: Device, limit: float, **more: Any) -> dict[str, Any]:
    """Make *worker* ready, told *more* than an opening says; return what it says of itself.

    Raises WorkerLost where it is not ready within *limit* seconds, and where it is not the cell of its *setup*.
    """
    identity = worker.ask(opening(setup, device) | more, limit)
    if mismatch := differences(setup.cell, identity):
        raise WorkerLost(mismatch)
    return identity


def differences(cell: Cell, identity: dict[str, Any]) -> str:
    """Return how the worker differs from what *cell* asks for, in words; empty where it is the cell."""
    packages = identity["packages"]
    asked = {
        "Python": (cell.python, identity["python"]["minor"]),
        "cuda-bindings": (cell.bindings, packages.get("cuda-bindings", "none")),
        "cuda-core": (cell.core or "none", packages.get("cuda-core", "none")),
        "NVRTC": (cell.toolkit, identity["libraries"]["nvrtc"]["version"]),
    }
    wrong = [f"{name} is {have} where {want} was asked for" for name, (want, have) in asked.items() if want != have]
    return "; ".join(wrong)


def block(kind: type[Answered], process: Process, number: int, case: str, answer: dict[str, Any]) -> Answered:
    """Return the *answer* to a block of process *number* as a record. Raises WorkerLost where it makes no sense."""
    with making_sense():
        absent, failures = answer["not_applicable"], answer["failures"]
        told = answer | {
            "cell": process.cell.id,
            "process": number,
            "round": process.round,
            "case": case,
            "failures": {variant: reason for variant, reason in failures.items() if variant not in absent},
            "absent": {variant: reason for variant, reason in failures.items() if variant in absent},
        }
        return msgspec.convert({name: told[name] for name in kind.__struct_fields__}, kind)  # none may be lacking


@contextmanager
def making_sense() -> Iterator[None]:
    """Take an answer that has not what it should have for a worker that is lost. Raises WorkerLost."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, msgspec.ValidationError) as error:
        raise WorkerLost(f"the worker's answer makes no sense: {error!r}") from error
