"""How a file in ``cases/`` declares what it measures; and loading those files, with or without CUDA at hand."""

from __future__ import annotations

import importlib.util
import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from ctkmatrix.probe.loop import Loop
    from ctkmatrix.probe.subject import Subject

NATIVE = "native"
NATIVE_RUNTIME = "native-runtime"
UNITS = ("time", "share")
NEED = re.compile(r"gpu|sm_[1-9][0-9]+")
"""A genuine driver and its GPU, or the least compute capability that will do: ``sm_90`` is 9.0."""

VARIANTS = (NATIVE, NATIVE_RUNTIME, "bindings", "bindings-runtime", "core", "cupy", "python")


class Body(Protocol):
    """A variant: sets up, turns the loop, returns the last result (looked at when it holds a status), or a share."""

    def __call__(self, loop: Loop, cu: Subject, /) -> object:
        """Run the loop once."""


@dataclass(frozen=True)
class Variant:
    """One way to do the case's work. ``needs`` are words, as ``NEED`` has them; ``differs`` is empty for like for like."""

    name: str
    calls: tuple[str, ...]
    differs: str
    needs: str
    body: Body | None
    """``None`` for a native variant: its body is the ``CASE`` of the same id in ``native/``."""


@dataclass
class Case:
    """One thing that is measured; calling it with a variant's name decorates that variant's body."""

    id: str
    title: str
    calls: tuple[str, ...]
    references: tuple[str, ...]
    calls_per_turn: int
    isolated: bool
    asynchronous: bool
    uncountable: str
    seconds_per_turn: float
    without_native: str
    unit: str
    needs: tuple[str, ...]
    variants: dict[str, Variant] = field(default_factory=dict)

    def __call__(self, variant: str, *, calls: str | None = None, differs: str = "", needs: str = "") -> Callable[[Body], Body]:
        """Return the decorator that adds *variant*.

        *calls* are the driver calls of a turn where they are not the case's; *differs* then says how it is not like for like.
        *needs* are what it needs beside what the case does.
        """

        def add(body: Body) -> Body:
            self._add(variant, self.calls if calls is None else tuple(calls.split()), differs, needs, body)
            return body

        return add

    def native_runtime(self, *, differs: str = "") -> None:
        """Declare a twin in ``native/runtime/``: it holds a static cudart, which asks for a genuine driver."""
        self._add(NATIVE_RUNTIME, (), differs, "gpu", None)

    def _add(self, name: str, calls: tuple[str, ...], differs: str, needs: str, body: Body | None) -> None:
        if name not in VARIANTS:
            raise ValueError(f"{self.id}: no variant is called {name!r}; there are {', '.join(VARIANTS)}")
        if name in self.variants:
            raise ValueError(f"{self.id}: the variant {name!r} is there twice")
        wanted = dict.fromkeys((*self.needs, *_needs(self.id, needs)))
        self.variants[name] = Variant(name, calls, differs, " ".join(wanted), body)


CASES: dict[str, Case] = {}


def case(  # noqa: PLR0913 -- a declaration: one keyword per fact
    id: str,  # noqa: A002
    title: str,
    *,
    calls: str = "",
    references: str = "",
    calls_per_turn: int | None = None,
    isolated: bool = False,
    asynchronous: bool = False,
    uncountable: str = "",
    seconds_per_turn: float = 0.0,
    without_native: str = "",
    unit: str = "time",
    needs: str = "",
) -> Case:
    """Declare a case and return it, ready to decorate its variants.

    calls
        The driver calls that one turn makes, in order, separated by spaces.
    calls_per_turn
        How many calls the target is for; as many as *calls* names where it is not given, and at least one.
    references
        Where it was asked about: issue numbers of cuda-python such as ``#659``, separated by spaces.
    uncountable
        The reason why instructions of the worker say nothing of a turn: other threads or processes do what is measured.
    seconds_per_turn
        About how long a turn takes where that is longer than a value should: for the expected time alone.
    without_native
        The reason why there is no native twin; without it, ``native/`` must have a ``CASE`` of this id.
    unit
        ``time``, or ``share``: the bodies then turn their loop and return a number without a unit, and no time is kept.
    needs
        What every variant needs, the native twin too: ``gpu``, a genuine driver and its GPU; ``sm_90``, compute capability 9.0
        or higher where calls go to a GPU. Several are separated by spaces.

    Raises ValueError on an id that is there already or has no area, and on an unknown unit or need.
    """
    _refuse(id, unit)
    new = Case(
        id,
        title,
        tuple(calls.split()),
        tuple(references.split()),
        max(1, len(calls.split())) if calls_per_turn is None else calls_per_turn,
        isolated,
        asynchronous,
        uncountable,
        seconds_per_turn,
        without_native,
        unit,
        _needs(id, needs),
    )
    if not without_native:
        new._add(NATIVE, new.calls, "", "", None)  # noqa: SLF001 -- the same class's own step
    CASES[id] = new
    return new


def _refuse(case: str, unit: str) -> None:
    """Raise ValueError where the id *case* cannot be declared, or there is no such *unit*."""
    if case in CASES:
        raise ValueError(f"the case {case!r} is there twice")
    if "." not in case:
        raise ValueError(f"the case id {case!r} must read area.name")
    if unit not in UNITS:
        raise ValueError(f"{case}: no unit is called {unit!r}; there are {', '.join(UNITS)}")


def _needs(case: str, words: str) -> tuple[str, ...]:
    """Return the single *words*. Raises ValueError where one is none that can be needed."""
    for word in words.split():
        if not NEED.fullmatch(word):
            raise ValueError(f"{case}: it cannot need {word!r}; needs are gpu, or an architecture such as sm_90")
    return tuple(words.split())


def load(directory: Path, areas: Iterable[str] | None = None) -> dict[str, Case]:
    """Import the files of *directory* (all, or those of *areas*) and return all cases by id, in order of id.

    The files import nothing but this module at their top, so that a machine without CUDA can list them.
    """
    for path in sorted(directory.glob("*.py")):
        name = f"ctkmatrix_cases_{path.stem}"
        if name not in sys.modules and (areas is None or path.stem in areas):
            spec = importlib.util.spec_from_file_location(name, path)
            if spec is None or spec.loader is None:
                raise ImportError(f"{path} cannot be loaded")
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            try:
                spec.loader.exec_module(module)
            except BaseException:
                del sys.modules[name]
                raise
    return dict(sorted(CASES.items()))
