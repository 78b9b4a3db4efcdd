"""The words after ``--`` on the command line of `nox -s validate`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctkmatrix import args, gate
from ctkmatrix.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctkmatrix.gate import Ruling

SIDE = "PACKAGE=PATH (a directory of wheels, or one wheel) or PACKAGE==VERSION"


@dataclass(frozen=True, slots=True)
class Words:
    """What was asked for. Empty tuples select everything; ``None`` was not said."""

    candidate: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    toolkit: str | None = None
    python: tuple[str, ...] = ()
    case: tuple[str, ...] = ()
    metric: str | None = None
    """Time where there is a GPU, instructions where there is none."""
    profile: str = "standard"
    device: str = "auto"
    seed: int | None = None
    fail_on: tuple[Ruling, ...] = gate.DEFAULT_FAIL_ON

    @property
    def narrowed(self) -> bool:
        """Whether less is judged than there is."""
        return bool(self.case or self.python or self.toolkit)


def parse(words: Sequence[str]) -> Words:
    """Read *words*.

    Raises UsageError, with a suggestion, for an unknown word or a bad value. ``--help`` alone prints, and raises SystemExit(0).
    """
    if any(word.partition("=")[0] == "--resume" for word in words):
        raise UsageError("after --: validate is not resumed: what was interrupted is begun again")
    return Words(**_parser().read(words))


def _parser() -> args.Parser:
    parser = args.Parser(
        prog="nox -s validate --",
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
        description="Say whether a candidate is slower than a reference. docs/before-you-tag.md tells how to read what it says.",
    )
    add = parser.add_argument
    add("--candidate", action="append", metavar="WHAT", help=f"what would be tagged: {SIDE} (repeatable)")
    add("--reference", action="append", metavar="WHAT", help="what it is compared with: the same, or an earlier run (repeatable)")
    add("--toolkit", metavar="X.Y", help="the CUDA toolkit of both (the one that fits)")
    args.add_common(parser, "time with a GPU, instructions without")
    rulings = ",".join(gate.DEFAULT_FAIL_ON)
    add("--fail-on", type=gate.fail_on, metavar="LIST", help=f"of {', '.join(gate.FAIL_ON)}: what fails ({rulings})")
    return parser
