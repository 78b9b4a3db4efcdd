"""What a case is handed as ``cu``: the libraries under measurement, and the objects that cases share.

Names that differ between releases of cuda.core are reconciled here and nowhere else.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cached_property
from types import SimpleNamespace
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
    def core_name(self) -> str:
        """The name by which cuda.core is imported; the module's own ``__name__`` is that of one CUDA series in some wheels."""
        name: str = self.core.Device.__module__
        return name.rpartition(".")[0]

    @cached_property
    def binding_version(self) -> Any:
        """cuda.core's own function that tells and caches the version of cuda.bindings."""
        utilities = importlib.import_module(f"{self.core_name}._utils.cuda_utils")
        if hasattr(utilities, "get_binding_version"):
            return utilities.get_binding_version
        return importlib.import_module(f"{self.core_name}._utils.version").binding_version

    @cached_property
    def driver_version(self) -> Any:
        """cuda.core's public function that tells the driver's version. Raises NotInThisVersion."""
        for name in ("get_user_mode_driver_version", "get_driver_version"):
            if hasattr(self.core.system, name):
                return getattr(self.core.system, name)
        raise NotInThisVersion("cuda.core 0.5 makes it a function")

    @cached_property
    def cupy(self) -> Any:
        """CuPy. Raises NotInThisVersion where it is not installed."""
        return self._package("cupy", "CuPy")

    @cached_property
    def numpy(self) -> Any:
        """NumPy. Raises NotInThisVersion where it is not installed."""
        return self._package("numpy", "NumPy")

    @cached_property
    def torch(self) -> Any:
        """PyTorch. Raises NotInThisVersion where it is not installed."""
        return self._package("torch", "PyTorch")

    def _package(self, name: str, called: str) -> Any:
        if importlib.util.find_spec(name) is None:
            raise NotInThisVersion(f"{called} is not installed")
        return importlib.import_module(name)

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
    def timing_options(self) -> Any:
        """cuda.core's EventOptions of an event with timing."""
        options = self.core.EventOptions
        return options(**{"timing_enabled" if hasattr(options, "timing_enabled") else "enable_timing": True})

    def error_check(self, name: str) -> Callable[..., Any]:
        """Return a function of cuda.core's private module of error checks. Raises NotInThisVersion where it is not there."""
        package = self.core.Device.__module__.rpartition(".")[0]
        found: Callable[..., Any] | None = getattr(importlib.import_module(f"{package}._utils.cuda_utils"), name, None)
        if found is None:
            raise NotInThisVersion(f"this cuda.core has no {name}")
        return found

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
    def synchronous_resource(self) -> Any:
        """cuda.core's private resource over cuMemAlloc, which a device without memory pools gets."""
        memory = importlib.import_module(f"{self.core_name}._memory")
        if not hasattr(memory, "_SynchronousMemoryResource"):
            memory = importlib.import_module(f"{self.core_name}._memory._legacy")
        return memory._SynchronousMemoryResource(self.device.device_id)  # noqa: SLF001 -- no public name leads there

    def pinned_pool(self) -> Any:
        """Return a new resource over a pool of pinned host memory. Raises NotInThisVersion."""
        if not hasattr(self.core, "PinnedMemoryResource"):
            raise NotInThisVersion("cuda.core 0.5 brings PinnedMemoryResource")
        if not getattr(self.device.properties, "host_memory_pools_supported", True):
            raise NotInThisVersion("this cuda.core asks for pools of host memory, which CUDA 13 brings")
        return self.core.PinnedMemoryResource(self.core.PinnedMemoryResourceOptions())

    def view_from(self, protocol: str) -> Callable[[object, int], Any]:
        """``StridedMemoryView.from_PROTOCOL``, or the constructor, which finds the protocol itself, up to 0.4."""
        view = importlib.import_module(f"{self.core_name}.utils").StridedMemoryView
        make: Callable[[object, int], Any] = getattr(view, f"from_{protocol}", view)
        return make

    def array_on_device(self, shape: tuple[int, ...]) -> object:
        """An object that offers *shape* floats of ``buffer`` as a ``__cuda_array_interface__``, and nothing else."""
        data = (self.buffer, False)
        interface = {"version": 3, "shape": shape, "strides": None, "typestr": "<f4", "data": data, "stream": None}
        return SimpleNamespace(__cuda_array_interface__=interface)

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
