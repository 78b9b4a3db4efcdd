"""What a case is handed as ``cu``: the libraries under measurement, and the objects that cases share.

Names that differ between releases of cuda.core are reconciled here and nowhere else.
"""

from __future__ import annotations

import importlib
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class CaseFailed(Exception):
    """A call of a case returned an error; the message is the error's name."""


class NotInThisVersion(Exception):
    """This release lacks what the case measures: a result, not a failure."""


STATUS_TYPES = frozenset({"CUresult", "cudaError_t", "nvrtcResult"})


def check(result: object) -> Any:
    """Look at what a binding returned and give back what came after the status.

    *result* is the ``(status, …)`` tuple of cuda.bindings; anything else passes through. Raises CaseFailed by the error's name.
    """
    if not isinstance(result, tuple) or not result or type(result[0]).__name__ not in STATUS_TYPES:
        return result
    status, *values = result
    if int(status):
        raise CaseFailed(str(getattr(status, "name", status)))
    return None if not values else values[0] if len(values) == 1 else tuple(values)


class Subject:
    """The libraries and shared objects of one worker process; a primary context is current on its thread.

    Everything is made on first use, so that a case pays for what it touches alone and before its loop starts.
    """

    def __init__(self, cubin: str, architecture: str) -> None:
        self.cubin, self.architecture = cubin, architecture
        self.check = check
        self._kernels: dict[str, Any] = {}
        self._core_kernels: dict[str, Any] = {}

    @cached_property
    def driver(self) -> Any:
        """``cuda.bindings.driver``."""
        return importlib.import_module("cuda.bindings.driver")

    @cached_property
    def runtime(self) -> Any:
        """``cuda.bindings.runtime``; its static cudart asks for a genuine driver."""
        return importlib.import_module("cuda.bindings.runtime")

    @cached_property
    def nvrtc(self) -> Any:
        """``cuda.bindings.nvrtc``."""
        return importlib.import_module("cuda.bindings.nvrtc")

    @cached_property
    def core(self) -> Any:
        """``cuda.core``, or ``cuda.core.experimental`` up to 0.4."""
        module = importlib.import_module("cuda.core")
        return module if hasattr(module, "Device") else importlib.import_module("cuda.core.experimental")

    @cached_property
    def device(self) -> Any:
        """cuda.core's Device 0, current."""
        device = self.core.Device(0)
        device.set_current()
        return device

    @cached_property
    def stream(self) -> Any:
        """A non-blocking CUstream of cuda.bindings."""
        return check(self.driver.cuStreamCreate(self.driver.CUstream_flags.CU_STREAM_NON_BLOCKING))

    @cached_property
    def core_stream(self) -> Any:
        """A (non-blocking, by default) Stream of cuda.core."""
        return self.device.create_stream()

    @cached_property
    def buffer(self) -> int:
        """The address of 4 KiB of device memory."""
        return int(check(self.driver.cuMemAlloc(4096)))

    @cached_property
    def memory_resource(self) -> Any:
        """The device's default memory resource in cuda.core."""
        return self.device.memory_resource

    def kernel(self, name: str) -> Any:
        """A CUkernel of the shared cubin, by cuda.bindings."""
        if name not in self._kernels:
            self._kernels[name] = check(self.driver.cuLibraryGetKernel(self._library, name.encode()))
        return self._kernels[name]

    def core_kernel(self, name: str) -> Any:
        """The same kernel through cuda.core's ObjectCode."""
        if name not in self._core_kernels:
            self._core_kernels[name] = self._object_code.get_kernel(name)
        return self._core_kernels[name]

    @cached_property
    def allocate(self) -> Callable[..., Any]:
        """``allocate(size, stream=…)`` of the default memory resource."""
        allocate: Callable[..., Any] = self.memory_resource.allocate
        return allocate

    @cached_property
    def _library(self) -> Any:
        return check(self.driver.cuLibraryLoadFromFile(self.cubin.encode(), None, None, 0, None, None, 0))

    @cached_property
    def _object_code(self) -> Any:
        _ = self.device
        return self.core.ObjectCode.from_cubin(self.cubin)

    def drain(self) -> None:
        """Wait for the GPU: what follows a burst of an asynchronous case, untimed. Raises CaseFailed."""
        check(self.driver.cuCtxSynchronize())
