"""What a run has tried so far: which cases are given up, which variants failed, how many worker processes there were."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ctkmatrix import journal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctkmatrix.model import Cell
    from ctkmatrix.plan import Block


@dataclass
class Attempts:
    """What need not be tried again, and the number of the next process. Who times and who counts each have their own."""

    given_up: set[tuple[str, str]] = field(default_factory=set)
    """(cell id, case id) that crashed, hung, or left dirt: once is enough. The case is empty where no worker could open."""
    failed: set[tuple[str, str, str]] = field(default_factory=set)
    """(cell id, case id, variant) that raised, or that this version lacks."""
    processes: int = 0

    def recall(self, records: Iterable[journal.Record], kind: type[journal.Answered]) -> None:
        """Go on from *records*, those of a resumed run; of blocks, only of this *kind*: what cannot be counted may be timed."""
        for record in records:
            if isinstance(record, kind):
                self.learn(record)
            elif isinstance(record, journal.Lost):
                self.lose(record)
            elif isinstance(record, journal.Opened):
                self.processes = max(self.processes, record.process + 1)

    def learn(self, record: journal.Answered) -> None:
        """Remember what failed in a block, and whether it left dirt."""
        self.failed |= {(record.cell, record.case, variant) for variant in (*record.failures, *record.absent)}
        if record.dirt:
            self.given_up.add((record.cell, record.case))

    def lose(self, lost: journal.Lost) -> None:
        """Remember what a worker was lost at."""
        self.given_up.add((lost.cell, lost.case))

    def begin(self) -> int:
        """Return the number of a new process, unique within the run."""
        self.processes += 1
        return self.processes - 1

    def any_left(self, cell: Cell, blocks: Iterable[Block]) -> bool:
        """Whether a worker of *cell* would have something to do."""
        return (cell.id, "") not in self.given_up and any(self.left(cell, block) for block in blocks)

    def left(self, cell: Cell, block: Block) -> list[str]:
        """Return the variants of *block* that are worth trying in *cell*."""
        if (cell.id, block.case.id) in self.given_up:
            return []
        return [
            variant
            for variant in block.variants
            if (cell.id, block.case.id, variant) not in self.failed and (cell.core is not None or variant != "core")
        ]
