"""Everything that a cell is measured with, made before anything is timed: toolkit, baselines, kernels, null driver."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctkmatrix import envs, journal, nulldriver, toolkits
from ctkmatrix.errors import EnvironmentFailed
from ctkmatrix.measure import Setup
from ctkmatrix.probe.registry import NATIVE, NATIVE_RUNTIME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from ctkmatrix.device import Device
    from ctkmatrix.envs import Environment
    from ctkmatrix.model import Cell

COMPILERS = 2
"""Toolkits that are fetched and compiled with at the same time."""


@dataclass(frozen=True, slots=True)
class Baselines:
    """What a toolkit gives its cells. ``native`` maps variants to what was built, or to the ``reason`` why nothing was."""

    native: dict[str, dict[str, Any]]
    cubin: dict[str, Any]
    include: str = ""


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where things are made: the checkout, the build directory, and the device that they are made for."""

    root: Path
    build: Path
    device: Device
    say: Callable[[str], None]

    def baselines(self, versions: Iterable[str]) -> dict[str, Baselines]:
        """Return the baselines of each toolkit, fetched and built as needed. Raises MachineError."""
        wanted = sorted(set(versions))
        with ThreadPoolExecutor(COMPILERS) as pool:
            return dict(zip(wanted, pool.map(self._toolkit, wanted), strict=True))

    def _toolkit(self, version: str) -> Baselines:
        try:
            installed = toolkits.get(version, self.build)
        except EnvironmentFailed as error:
            self.say(f"toolkit {version}: {error}")
            missing = {"reason": str(error)}
            return Baselines({NATIVE: missing, NATIVE_RUNTIME: missing}, missing)
        native = self.root / "native"
        kinds = [(NATIVE, native, False)]
        if self.device.kind == "gpu":
            kinds.append((NATIVE_RUNTIME, native / "runtime", True))
        made = Baselines(
            {name: self._library(installed, directory, cudart=cudart) for name, directory, cudart in kinds},
            self._attempt(
                lambda: toolkits.compile_cubin(installed, native / "kernels.cu", self.device.architecture, self.build / "native")
            ),
            str(installed.include),
        )
        self.say(f"toolkit {version}: {made.native[NATIVE].get('how') or made.native[NATIVE]['reason']}")
        return made

    def _library(self, installed: toolkits.Installed, directory: Path, *, cudart: bool) -> dict[str, Any]:
        native = self.root / "native"
        sources = sorted({*directory.glob("*.cpp"), native / "abi.cpp"})
        headers = sorted({*native.glob("*.hpp"), *directory.glob("*.hpp")})
        return self._attempt(lambda: toolkits.compile_library(installed, sources, headers, self.build / "native", cudart=cudart))

    @staticmethod
    def _attempt(build: Callable[[], toolkits.Built]) -> dict[str, Any]:
        try:
            made = build()
        except EnvironmentFailed as error:
            return {"reason": str(error)}
        return {name: str(value) if name == "path" else value for name, value in dataclasses.asdict(made).items()}

    def null_driver(self, toolkit: str) -> Path:
        """Return the null driver, built from the headers of *toolkit*. Raises EnvironmentFailed or MachineError."""
        installed = toolkits.get(toolkit, self.build)
        return nulldriver.build(installed.include, self.build / "nulldriver", toolkits.host_compiler("cc"))

    def setup(self, cell: Cell, environment: Environment, baselines: Baselines, libcuda: str) -> Setup:
        """Return what a worker of *cell* is started with."""
        variables = {"CUDA_VISIBLE_DEVICES": self.device.visible} if self.device.visible else {}
        if self.device.kind == "null":
            major, _, minor = cell.toolkit.partition(".")
            variables = {"CTK_NULL_VERSION": f"{int(major) * 1000 + int(minor) * 10}"}
        return Setup(
            cell=cell,
            python=environment.python,
            cases=self.root / "cases",
            cubin=baselines.cubin.get("path", ""),
            native={
                variant: {key: built[key] for key in ("path", "reason") if key in built}
                for variant, built in baselines.native.items()
            },
            variables=variables,
            libcuda=libcuda,
        )


def record(cell: Cell, environment: Environment, baselines: Baselines) -> journal.Prepared:
    """Return what the journal keeps of a cell that can be measured."""
    return journal.Prepared(
        cell=cell.id,
        native=baselines.native,
        provenance={
            "lock": environment.lock_hash,
            "hashes": envs.hashes(environment),
            "interpreter": str(environment.interpreter),
            "native": baselines.native,
            "cubin": baselines.cubin,
        },
    )
