"""A library of native baselines, through ctypes: one call runs a whole loop in C++ and brings back its seconds."""

from __future__ import annotations

import ctypes


class NativeError(RuntimeError):
    """A native baseline failed; the message is the CUDA error's name or what was missing."""


class NativeLibrary:
    """The cases of one shared library, by id. ``native/abi.cpp`` is the other side of this class.

    libcuda, libnvrtc
        Paths of the libraries that this process has loaded already; the baselines take their functions from these.
    cubin
        Path of the kernels.
    """

    def __init__(self, path: str, libcuda: str, libnvrtc: str, cubin: str) -> None:
        self._library = library = ctypes.CDLL(path)
        library.ctk_name.restype = ctypes.c_char_p
        library.ctk_open.restype = ctypes.c_char_p
        library.ctk_open.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p]
        library.ctk_run.restype = ctypes.c_char_p
        library.ctk_run.argtypes = [
            ctypes.c_int,
            ctypes.c_uint64,
            ctypes.c_uint64,
            ctypes.POINTER(ctypes.c_double),
        ]
        self._raise(library.ctk_open(libcuda.encode(), libnvrtc.encode(), cubin.encode()))
        self._cases = {library.ctk_name(index).decode(): index for index in range(library.ctk_count())}

    def run(self, case: str, turns: int, burst: int) -> float:
        """Run *turns* turns of *case*, drained after every *burst* (0: never); return seconds. Raises NativeError."""
        if case not in self._cases:
            raise NativeError(f"native/ has no CASE({case!r})")
        seconds = ctypes.c_double()
        self._raise(self._library.ctk_run(self._cases[case], turns, burst, ctypes.byref(seconds)))
        if not seconds.value > 0:
            raise NativeError(f"the loop took {seconds.value} s: no time at all")
        return seconds.value

    @property
    def cases(self) -> frozenset[str]:
        """The ids that this library has a baseline for."""
        return frozenset(self._cases)

    @staticmethod
    def _raise(error: bytes | None) -> None:
        if error:
            raise NativeError(error.decode())
