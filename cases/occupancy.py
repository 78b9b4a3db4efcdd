"""Occupancy: how many blocks of a kernel fit."""

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

active_blocks = case(
    "occupancy.max_active_blocks",
    "How many blocks of 128 threads a multiprocessor holds at once.",
    calls="cuOccupancyMaxActiveBlocksPerMultiprocessor",
    references="#1579 #1580",
)


@active_blocks("bindings")
def _(loop: Loop, cu: Subject) -> object:
    ask, kernel = cu.driver.cuOccupancyMaxActiveBlocksPerMultiprocessor, cu.driver.CUfunction(int(cu.kernel("empty")))
    out = None
    for _ in loop:
        out = ask(kernel, 128, 0)
    return out


@active_blocks("core")
def _(loop: Loop, cu: Subject) -> object:
    ask = cu.core_kernel("empty").occupancy.max_active_blocks_per_multiprocessor
    for _ in loop:
        ask(128, 0)
    return None


block_size = case(
    "occupancy.max_potential_block_size",
    "The size of a block that fills the device best, and how many of them do.",
    calls="cuOccupancyMaxPotentialBlockSize",
    references="#1579 #1580",
)


@block_size("bindings")
def _(loop: Loop, cu: Subject) -> object:
    ask, kernel = cu.driver.cuOccupancyMaxPotentialBlockSize, cu.driver.CUfunction(int(cu.kernel("empty")))
    out = None
    for _ in loop:
        out = ask(kernel, None, 0, 0)
    return out


@block_size("core")
def _(loop: Loop, cu: Subject) -> object:
    ask = cu.core_kernel("empty").occupancy.max_potential_block_size
    for _ in loop:
        ask(0, 0)
    return None
