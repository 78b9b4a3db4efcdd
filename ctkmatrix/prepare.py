"""Everything that a cell is measured with, made before anything is timed: toolkit, baselines, kernels, null driver."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctkmatrix import compilers, envs, journal, nulldriver, toolkits
from ctkmatrix.errors import EnvironmentFailed, MachineError
from ctkmatrix.probe.registry import NATIVE, NATIVE_RUNTIME
from ctkmatrix.protocol import Setup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
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


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where things are made: the checkout, the build directory, and the device that they are made for."""

    root: Path
    build: Path
    device: Device
    say: Callable[[str], None]

    def baselines(self, environments: Mapping[str, Environment]) -> dict[str, Baselines]:
        """Return the baselines of each toolkit, fetched and built as needed. Raises MachineError.

        environments
            By toolkit, an environment of one of its cells.
        """
        with ThreadPoolExecutor(COMPILERS) as pool:
            return dict(zip(environments, pool.map(self._toolkit, environments.items()), strict=True))

    def _toolkit(self, wanted: tuple[str, Environment]) -> Baselines:
        version, environment = wanted
        try:
            installed = with_nvrtc_headers(self._installed(version), environment)
        except EnvironmentFailed as error:
            self.say(f"toolkit {version}: {error}")
            missing = {"reason": str(error)}
            return Baselines({NATIVE: missing, NATIVE_RUNTIME: missing}, missing)
        native, cache = self.root / "native", self.build / "native"
        libraries = {NATIVE: self._library(installed, native, cudart=False)}
        if self.device.kind == "gpu":
            libraries[NATIVE_RUNTIME] = self._library(installed, native / "runtime", cudart=True)
        architecture = f"sm_{self.device.architecture}"
        cubin = _attempt(installed, lambda: compilers.compile_cubin(installed, native / "kernels.cu", architecture, cache))
        self.say(f"toolkit {version}: {libraries[NATIVE].get('how') or libraries[NATIVE]['reason']}")
        return Baselines(libraries, cubin)

    def _installed(self, version: str) -> toolkits.Installed:
        """Return the toolkit from its wheels, or that of the machine where the wheels cannot be had (no network, say)."""
        try:
            return toolkits.find(version, envs.ensure_toolkit(version, self.build))
        except (EnvironmentFailed, MachineError) as error:
            try:
                return toolkits.find(version, None)
            except EnvironmentFailed:
                raise error from None

    def _library(self, installed: toolkits.Installed, directory: Path, *, cudart: bool) -> dict[str, Any]:
        native = self.root / "native"
        sources = sorted({*directory.glob("*.cpp"), native / "abi.cpp"})
        headers = sorted({*native.glob("*.hpp"), *directory.glob("*.hpp")})
        return _attempt(
            installed,
            lambda: compilers.compile_library(installed, sources, headers, self.build / "native", cudart=cudart),
        )

    def null_driver(self, toolkit: str) -> Path:
        """Return the null driver, built from the headers of *toolkit*. Raises MachineError: nothing can be measured without."""
        try:
            include = self._installed(toolkit).include
            return nulldriver.build(include, self.build / "nulldriver", compilers.host_compiler())
        except EnvironmentFailed as error:
            raise MachineError(f"the null driver cannot be built: {error}") from error

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


def with_nvrtc_headers(installed: toolkits.Installed, environment: Environment) -> toolkits.Installed:
    """Return *installed* with the headers of NVRTC: a system toolkit may lack them, and the cell's own NVRTC wheel has them."""
    if any((include / "nvrtc.h").is_file() for include in installed.includes):
        return installed
    found = sorted(header.parent for header in environment.site_packages.glob("nvidia/*/include/nvrtc.h"))
    return dataclasses.replace(installed, includes=(*installed.includes, *found))


def _attempt(installed: toolkits.Installed, build: Callable[[], compilers.Built]) -> dict[str, Any]:
    """Return what was built, for the journal, or the reason why it was not: the Python variants run all the same."""
    try:
        made = build()
    except EnvironmentFailed as error:
        return {"reason": str(error)}
    return {
        "path": str(made.path),
        "compiler": made.compiler,
        "flags": made.flags,
        "how": made.how,
        "nvcc": installed.nvcc is not None,
    }


def record(cell: Cell, environment: Environment, baselines: Baselines, libcuda: str) -> journal.Prepared:
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
            "libcuda": libcuda,
        },
    )
