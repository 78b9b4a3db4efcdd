"""What a variant needs of a device, and what of that a device lacks. Pure.

A variant's needs are words: ``gpu``, a genuine driver and its GPU; ``sm_90``, compute capability 9.0 or higher. A device is
``null`` or a GPU by its architecture, such as ``sm_80``. The null driver answers every call, whatever GPU a call is for: what it
lacks is the genuine driver alone.
"""

from __future__ import annotations

GPU, NULL = "gpu", "null"

NEEDS_GPU = "needs a GPU: a genuine driver is checked for"


def target(kind: str, architecture: str) -> str:
    """Name the device of *kind*, ``gpu`` or ``null``, and *architecture*, the digits of its compute capability (``80``)."""
    return NULL if kind == NULL else f"sm_{architecture}"


def lack(needs: str, device: str) -> str:
    """Say what of *needs* the *device* lacks, such as ``needs sm_90: this GPU is sm_80``; nothing where it lacks nothing."""
    wanted = needs.split()
    if device == NULL:
        return NEEDS_GPU if GPU in wanted else ""
    beyond = [need for need in wanted if need != GPU and _number(need) > _number(device)]
    return f"needs {max(beyond, key=_number)}: this GPU is {device}" if beyond else ""


def _number(architecture: str) -> int:
    """Return what architectures are ordered by: the minor version of a compute capability has one digit."""
    return int(architecture.removeprefix("sm_"))
