"""The driver's interface as data: what a toolkit's ``cuda.h`` and ``cudaTypedefs.h`` declare. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctkmatrix.errors import CtkmatrixError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_INTEGERS_OF_64_BITS = frozenset({"unsigned long long", "unsigned long int"})
_INTEGERS = _INTEGERS_OF_64_BITS | {"int", "unsigned", "unsigned int", "unsigned short", "unsigned char", "long long"}

OTHER_CALLS = {"cuProfilerStart": 4000, "cuProfilerStop": 4000}
"""Calls without arguments that another header declares (cudaProfiler.h, which not every toolkit package holds)."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: ``type`` without the name, blanks single and none before ``*``."""

    type: str
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """One version of a driver call, under the name that libcuda exports."""

    name: str
    parameters: tuple[Parameter, ...]

    @property
    def signature(self) -> str:
        """The parameter list, as C writes it."""
        return ", ".join(f"{p.type} {p.name}" for p in self.parameters) or "void"

    @property
    def arguments(self) -> str:
        """The parameters' names, as a call passes them on."""
        return ", ".join(p.name for p in self.parameters)


@dataclass(frozen=True, slots=True)
class Types:
    """Names of types: what stands for an object of the driver, and what is a plain number."""

    handles: frozenset[str]
    numbers: frozenset[str]


def calls_of(preprocessed: str) -> dict[str, Call]:
    """Return the calls that a preprocessed ``cuda.h`` declares, by name."""
    found = re.findall(r"CUresult\s+(cu\w+)\s*\(([^()]*)\)\s*;", preprocessed)
    calls = {name: Call(name, tuple(_parameters(text))) for name, text in found}
    return calls | {name: Call(name, ()) for name in OTHER_CALLS}


def _parameters(text: str) -> Iterator[Parameter]:
    for part in filter(None, (part.strip() for part in text.split(","))):
        if (match := re.fullmatch(r"(.*?[\s*])(\w+)(\[\w*\])?", part)) is not None:
            kind = re.sub(r"\s*\*", "*", " ".join(match[1].split()))
            yield Parameter(kind + ("*" if match[3] else ""), match[2])


def types_of(preprocessed: str) -> Types:
    """Return the types that a preprocessed ``cuda.h`` declares: a ``CU…`` of 64 bits stands for an object, as pointers do."""
    pointers = re.findall(r"typedef\s+struct\s+\w+\s*\*\s*(CU\w+);", preprocessed)
    enums = re.findall(r"\}\s*(CU\w+);", "".join(re.findall(r"typedef enum[^;]*;", preprocessed)))
    aliases = {new: old for old, new in re.findall(r"typedef\s+(\w+(?: \w+)*)\s+(\w+);", preprocessed)}
    bases = {name: _base(name, aliases) for name in aliases if name.lower().startswith("cu")}
    integers = {name for name, base in bases.items() if base in _INTEGERS or base in enums}
    wide = {name for name in integers if name.startswith("CU") and bases[name] in _INTEGERS_OF_64_BITS}
    return Types(
        handles=frozenset(pointers) | wide,
        numbers=(_INTEGERS | frozenset(enums) | integers | {"size_t"}) - wide,
    )


def _base(name: str, aliases: Mapping[str, str]) -> str:
    while name in aliases:
        name = aliases[name]
    return name


def entries_of(calls: Mapping[str, Call], typedefs: str) -> Iterator[tuple[str, int, bool, str]]:
    """Give each entry point: name, driver version that introduced it, whether per-thread, exported symbol.

    The typedefs tell the versions and the symbols' suffixes their order (cuCtxCreate, cuCtxCreate_v2, …). Raises CtkmatrixError.
    """
    versions = defaultdict(list)
    for name, version, suffix in re.findall(r"\*PFN_(cu\w+?)_v(\d+)(_ptds|_ptsz)?\)", typedefs):
        versions[name, suffix].append(int(version))
    for (name, suffix), introduced in versions.items():
        symbols = sorted((s for s in calls if re.fullmatch(rf"{name}(_v\d+)?{suffix}", s)), key=_symbol_version)
        if len(symbols) != len(introduced):
            raise CtkmatrixError(f"cuda.h declares {symbols}, cudaTypedefs.h {name}{suffix} of {introduced}: teach nulldriver.py")
        for version, symbol in zip(sorted(introduced), symbols, strict=True):
            yield name, version, bool(suffix), symbol
    for name, version in OTHER_CALLS.items():
        yield name, version, False, name


def _symbol_version(symbol: str) -> int:
    match = re.search(r"_v(\d+)", symbol)
    return int(match[1]) if match else 1


def errors_of(header: str) -> dict[str, str]:
    """Return the names of the driver's errors with the first sentence that ``cuda.h`` has about each."""
    body = re.search(r"typedef enum cudaError_enum \{(.*?)\} CUresult;", header, re.DOTALL)
    comment_and_name = r"/\*\*((?:(?!\*/).)*)\*/\s*(CUDA_\w+)\s*="
    found = re.findall(comment_and_name, body[1] if body else "", re.DOTALL)
    return {name: _first_sentence(comment) for comment, name in found}


def _first_sentence(comment: str) -> str:
    text = " ".join(line.strip(" *") for line in comment.splitlines())
    return re.split(r"\.(?:\s|$)", re.sub(r"::|\\\w+", "", text).strip())[0]
