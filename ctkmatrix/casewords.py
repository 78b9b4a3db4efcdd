"""A case and its variants in words, for the page and for ``docs/cases.md``. Pure."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ctkmatrix.needs import GPU
from ctkmatrix.quantities import MINUS, THIN, TIMES, duration

if TYPE_CHECKING:
    from ctkmatrix.model import Case, Variant
    from ctkmatrix.published import Figure


def counts_for(case: Case) -> str:
    """Say how many calls a turn of *case* counts for: ``3 calls``."""
    return f"{case.calls_per_turn} call{'s' if case.calls_per_turn > 1 else ''}"


def how(case: Case) -> str:
    """Say how *case* runs; ``plainly`` where there is nothing to say."""
    said = [
        "asynchronous: in bursts, drained between them" if case.asynchronous else "",
        "isolated: in a process of its own" if case.isolated else "",
        f"instructions are not counted: {case.uncountable}" if case.uncountable else "",
        f"about {duration(case.seconds_per_turn)} a turn" if case.seconds_per_turn else "",
    ]
    return "; ".join(filter(None, said)) or "plainly"


def calls(variant: Variant) -> str:
    """Name the driver calls of a turn, neighbours that are alike once: ``cuTensorMapEncodeTiled x 3``."""
    each = [(name, len(list(those))) for name, those in groupby(variant.calls)]
    return ", ".join(f"{name} {TIMES} {times}" if times > 1 else name for name, times in each) or "none"


def beside(case: Case, variant: Variant) -> str:
    """Say how *variant* is like its native twin; nothing of a native one that differs from nothing."""
    if variant.differs:
        return variant.differs
    if variant.name.startswith("native"):
        return ""
    return "no twin" if case.without_native else "like for like"


def needs(variant: Variant) -> str:
    """Name what *variant* needs of a device."""
    return ", ".join("a GPU" if need == GPU else need for need in variant.needs.split()) or "nothing"


def value(figure: Figure) -> str:
    """Say a published number with its unit: the digits of its source, grouped like all numbers."""
    return f"{figure.value:,.6g} {figure.unit}".replace(",", THIN).replace("-", MINUS)


def package(figure: Figure) -> str:
    """Say with what a published number was measured."""
    return " ".join(filter(None, (figure.package, figure.version)))
