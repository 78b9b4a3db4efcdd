"""What is measured next: rounds of worker processes. Pure: the same seed gives the same plan."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from ctkmatrix.model import Profile
from ctkmatrix.needs import NULL, lack

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ctkmatrix.model import Case, Cell

STARTUP = 0.8
"""Seconds that a worker needs before its first block: imports, cuInit, the context. Seen on a 2-core virtual machine."""

OVERHEAD_VALUES = 2
"""What calibration, warm-up and checks cost, in values."""


COUNT = Profile("count", processes=5, values=1, seconds_per_value=0.02, block_limit=600)
"""How instructions are counted: five heaps. After ten minutes a case hangs; ``nvrtc.compile`` takes half a one."""

COUNT_STARTUP = 8.0
"""Seconds that a worker under callgrind needs before its first block. Seen on a 2-core virtual machine, as is the rest."""

COUNT_VARIANT = 0.1
COUNT_SLOWDOWN = 350.0
"""A turn under callgrind takes so many times its own time, blocks of one and of two turns together, as long ones have."""


class Block(msgspec.Struct, frozen=True, gc=False):
    """One request to a worker: the variants of a case, and the seed of their order.

    The garbage collector passes it by, as it holds no cycle: a large plan has millions.
    """

    case: Case
    variants: tuple[str, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class Process:
    """One worker process: its cell, its round, and its blocks in random order. ``padding`` is in bytes."""

    cell: Cell
    round: int
    blocks: tuple[Block, ...]
    padding: int


Done = tuple[str, int, str]
"""(cell id, round, case id): a block that a journal holds already."""


def variants_of(case: Case, device: str) -> tuple[str, ...]:
    """Return the names of the variants that run on *device*: ``null``, or a GPU's architecture, such as ``sm_90``."""
    return tuple(variant.name for variant in case.variants if not lack(variant.needs, device))


def rounds(  # noqa: PLR0913 -- a plan has as many facts
    cells: Sequence[Cell],
    cases: Sequence[Case],
    profile: Profile,
    *,
    device: str,
    seed: int,
    max_padding: int,
    done: Collection[Done] = (),
    only: Mapping[int, Collection[tuple[str, str]]] | None = None,
) -> Iterator[Process]:
    """Yield the processes of all rounds: a round measures every cell once, those of one toolkit next to each other.

    *only* plans other rounds than the profile's processes: by number, the (cell id, case id) that are measured in each.

    The order of toolkits, of cells within one, of cases within a process is random by *seed*. An isolated case gets a process
    of its own. What is *done* is left out, without changing the order of the rest.
    """
    variants, parts = {case.id: variants_of(case, device) for case in cases}, _parts(cases, device)
    for number in range(profile.processes) if only is None else only:
        order = random.Random(f"{seed}/{number}")  # noqa: S311 -- an order, not a secret
        for cell in neighbours_shuffled(cells, order):
            name = cell.id
            for group in _shuffled(parts, order):
                drawn = [(case, order.getrandbits(32)) for case in group]
                padding = order.randrange(max_padding)
                left = tuple(
                    Block(case, variants[case.id], own)
                    for case, own in drawn
                    if variants[case.id]
                    and not (done and (name, number, case.id) in done)
                    and (only is None or (name, case.id) in only[number])
                )
                if left:
                    yield Process(cell, number, left, padding)


def heaps(
    cells: Sequence[Cell],
    cases: Sequence[Case],
    processes: int,
    done: Collection[Done] = (),
    only: Mapping[int, Collection[tuple[str, str]]] | None = None,
) -> Iterator[Process]:
    """Yield the processes that count instructions: for each of *processes* heaps one of every cell, so that cells alternate.

    *only* plans other heaps than these: by number, the (cell id, case id) that are counted in each.

    The order of cases belongs to the heap, the same in every cell and every run: what a case finds in memory is left there by
    those before it. An isolated case gets a process of its own. What is *done* is left out, and so is what is not countable.
    """
    parts = _parts([case for case in cases if case.countable], NULL)
    for heap in range(processes) if only is None else only:
        groups = _shuffled(parts, random.Random(heap))  # noqa: S311 -- an order, not a secret
        for cell in cells:
            for group in groups:
                blocks = (
                    Block(case, variants_of(case, NULL), heap)
                    for case in group
                    if (cell.id, heap, case.id) not in done and (only is None or (cell.id, case.id) in only[heap])
                )
                if left := tuple(block for block in blocks if block.variants):
                    yield Process(cell, heap, left, 0)


def neighbours_shuffled(cells: Sequence[Cell], order: random.Random) -> list[Cell]:
    """Return *cells* in random order, those of one toolkit still next to each other; with labels, those of one Python."""

    def neighbourhood(cell: Cell) -> tuple[str, str]:
        return cell.toolkit, cell.python if cell.label else ""

    groups = [list(group) for _, group in groupby(sorted(cells, key=neighbourhood), neighbourhood)]
    order.shuffle(groups)
    for group in groups:
        order.shuffle(group)
    return [cell for group in groups for cell in group]


def _parts(cases: Sequence[Case], device: str) -> list[list[Case]]:
    """Return the cases of each process: all that can share one, and each of the others alone."""
    together = [case for case in cases if not _is_apart(case, device)]
    return ([together] if together else []) + [[case] for case in cases if _is_apart(case, device)]


def _shuffled(parts: Sequence[Sequence[Case]], order: random.Random) -> list[list[Case]]:
    groups = [list(part) for part in parts]
    order.shuffle(groups)
    for group in groups:
        order.shuffle(group)
    return groups


def _is_apart(case: Case, device: str) -> bool:
    """Whether *case* gets processes of its own on *device*. CuPy, where it is what calls for them, runs on a GPU alone."""
    return case.isolated and (device != NULL or all(variant.name != "cupy" for variant in case.variants))


def expected_seconds(processes: Sequence[Process], profile: Profile) -> float:
    """Return about how long *processes* will take, seconds of wall time, one after the other."""
    return sum(STARTUP + sum(_block_seconds(block, profile) for block in process.blocks) for process in processes)


def expected_count_seconds(processes: Sequence[Process], at_once: int) -> float:
    """Return about how long counting *processes* will take, *at_once* of them at a time, seconds of wall time."""
    variants = [block.case.seconds_per_turn for process in processes for block in process.blocks for _ in block.variants]
    return (COUNT_STARTUP * len(processes) + sum(COUNT_VARIANT + COUNT_SLOWDOWN * one for one in variants)) / at_once


def _block_seconds(block: Block, profile: Profile) -> float:
    value = max(profile.seconds_per_value, block.case.seconds_per_turn)
    return len(block.variants) * (profile.values + OVERHEAD_VALUES) * value
