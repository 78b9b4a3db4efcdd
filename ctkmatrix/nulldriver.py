"""Generates and builds the null driver: a ``libcuda.so.1`` that answers every driver call at once.

The calls come from a toolkit's ``cuda.h``, the driver version that introduced each from its ``cudaTypedefs.h``. What is generated
derives from NVIDIA's headers: it is built on the spot and never committed. What needs thought is in ``native/nulldriver/``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ctkmatrix import driverapi
from ctkmatrix.cache import cached
from ctkmatrix.compilers import run
from ctkmatrix.driverapi import OTHER_CALLS, calls_of, entries_of, errors_of, types_of
from ctkmatrix.errors import EnvironmentFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ctkmatrix.driverapi import Call, Parameter, Types

HANDWRITTEN = Path(__file__).parent.parent / "native" / "nulldriver"

GENERATOR = (Path(__file__), Path(driverapi.__file__))

FLAGS = (
    "-std=gnu11",
    "-O2",
    "-fPIC",
    "-shared",
    "-fno-plt",
    "-fno-semantic-interposition",
    "-ftls-model=initial-exec",  # one instruction to the thread's state
    "-Wl,-Bsymbolic",
    "-Wl,-soname,libcuda.so.1",
)

_NEEDS_CONTEXT = re.compile(r"cu(EventCreate|Launch|Memcpy|Memset|ModuleLoad|CtxSynchronize$|CtxGetFlags|Ctx[GS]etLimit)")
"""Generated calls that a real driver refuses without a current context; handwritten ones look for themselves."""

_WAITS = re.compile(r"Synchronize|Query")
"""Generated calls that bring a sticky error back even without a current context."""

_ONLY_INPUT = re.compile(r"Batch|Set[A-Z]|GetAttributes")
"""Calls whose pointers are the caller's arrays, although nothing says const."""


def calls_c(calls: Mapping[str, Call], types: Types) -> str:
    """Return C that answers every call; its functions are weak, so that handwritten ones take their place."""
    return "\n".join(
        ['#include "null.h"', '#include "rename.h"', *(_function(call, calls, types) for call in calls.values()), ""]
    )


def _function(call: Call, calls: Mapping[str, Call], types: Types) -> str:
    head = f"__attribute__((weak)) CUresult {call.name}({call.signature})"
    shared = calls.get(re.sub(r"_pt[sd][zs]$", "", call.name), call)
    if shared is not call:  # the per-thread default stream is as good as the other one
        return f"CUresult {shared.name}({shared.signature});\n{head} {{ return {shared.name}({call.arguments}); }}"
    body = [*_checks(call), *_outputs(call, types), f"return {_answer(call)};"]
    return f"{head} {{ {' '.join(body)} }}"


def _checks(call: Call) -> Iterator[str]:
    if _NEEDS_CONTEXT.match(call.name):
        yield "CUresult refused = null_ready(); if (refused) return refused;"


def _answer(call: Call) -> str:
    return "null_sticky" if _WAITS.search(call.name) else "CUDA_SUCCESS"


def _outputs(call: Call, types: Types) -> Iterator[str]:
    if _ONLY_INPUT.search(call.name):
        return
    for position, parameter in enumerate(call.parameters):
        target = parameter.type.removesuffix("*")
        if target != parameter.type and (value := _output(parameter.name, target, position, types)):
            yield f"if ({parameter.name}) *{parameter.name} = {value};"


def _output(name: str, target: str, position: int, types: Types) -> str:
    """Return what is written to an output of type *target*, or an empty string where it is left alone.

    A fresh handle goes where the header's habits of naming announce a new object; arrays of options are the caller's.
    """
    if target in types.handles:
        if "Error" in name:
            return "0"
        return f"({target})null_handle()" if position == 0 or re.search(r"^ph[A-Z]|_?[oO]ut$", name) else ""
    is_option = re.search(r"(option|attribute)$", target, re.IGNORECASE)
    return "0" if target in types.numbers | {"float"} and not is_option else ""


def table_c(calls: Mapping[str, Call], typedefs: str, header: str) -> str:
    """Return C with the table of entry points, from ``cudaTypedefs.h``, and that of errors, from ``cuda.h`` as it is shipped.

    Raises CtkmatrixError where the headers contradict each other.
    """
    entries = sorted(entries_of(calls, typedefs))
    errors = errors_of(header)
    return "\n".join(
        [
            '#include "null.h"',
            *(f"CUresult {name}(void);" for name in OTHER_CALLS),
            "const struct null_entry null_table[] = {",
            *(f'  {{"{name}", {version}, {per_thread:d}, (void *){symbol}}},' for name, version, per_thread, symbol in entries),
            f"}};\nconst int null_table_length = {len(entries)};",
            "const struct null_error null_errors[] = {",
            *(f"  {{{name}, {json.dumps(name)}, {json.dumps(text)}}}," for name, text in errors.items()),
            f"}};\nconst int null_errors_length = {len(errors)};\n",
        ]
    )


def rename_h(calls: Mapping[str, Call]) -> str:
    """Return definitions that give every implementation another name, so that the traced call can have its own."""
    return "".join(f"#undef {name}\n#define {name} null_{name}\n" for name in calls)


def trace_c(calls: Mapping[str, Call], types: Types) -> str:
    """Return C that exports every call, passes it on, and writes one line: name, arguments and result.

    The name is the one that programs ask for, without a version. What differs from run to run is left out: a pointer or a handle
    is ``*``, or 0 where it is null.
    """
    return "\n".join(['#include "trace.h"', *(_traced(call, types) for call in calls.values()), ""])


def _traced(call: Call, types: Types) -> str:
    shown = [_shown(parameter, types) for parameter in call.parameters]
    name = re.sub(r"(_v\d+)?(_pt[sd][zs])?$", "", call.name)
    line = ", ".join(f"{p.name}={form}" for p, (form, _) in zip(call.parameters, shown, strict=True))
    values = "".join(f", {value}" for _, value in shown if value)
    return (
        f"CUresult null_{call.name}({call.signature});\n"
        f"CUresult {call.name}({call.signature}) {{ CUresult answer = null_{call.name}({call.arguments}); "
        f'null_trace("{name}({line}) = %d\\n"{values}, answer); return answer; }}'
    )


def _shown(parameter: Parameter, types: Types) -> tuple[str, str]:
    """Return the format of a parameter and the value that fills it."""
    if parameter.type == "const char*":
        return "%s", f'{parameter.name} ? {parameter.name} : "0"'
    if parameter.type.endswith("*") or parameter.type in types.handles:
        return "%s", f'{parameter.name} ? "*" : "0"'
    if parameter.type == "float":
        return "%g", parameter.name
    if parameter.type in types.numbers:
        return "%lld", f"(long long){parameter.name}"
    return "?", ""  # a structure or a function: nothing short can be said


def generate(preprocessed: str, typedefs: str, header: str, *, trace: bool) -> dict[str, str]:
    """Return the generated files, by name, from the texts of a toolkit's headers. Raises CtkmatrixError."""
    calls, types = calls_of(preprocessed), types_of(preprocessed)
    files = {"calls.c": calls_c(calls, types), "table.c": table_c(calls, typedefs, header)}
    if trace:
        return files | {"rename.h": rename_h(calls), "traced.c": trace_c(calls, types)}
    return files | {"rename.h": ""}


def build(include: Path, cache: Path, compiler: str, *, trace: bool = False) -> Path:
    """Return the ``libcuda.so.1`` built from the headers in *include*, kept below *cache* by content.

    *compiler* is a C or C++ compiler of GCC's kind. With *trace*, each call writes a line to where the environment variable
    CTK_NULL_TRACE says: a file descriptor, a path, or standard error where it is unset. Raises MachineError without a compiler,
    and EnvironmentFailed without headers or where they do not compile.
    """
    headers = [include / "cuda.h", include / "cudaTypedefs.h"]
    if missing := [str(header) for header in headers if not header.is_file()]:
        raise EnvironmentFailed(f"the null driver is generated from headers, and there is no {' and no '.join(missing)}")
    handwritten = sorted(HANDWRITTEN.iterdir())
    parts: list[str | Path] = [*GENERATOR, *handwritten, *headers, run((compiler, "--version")), *FLAGS, f"trace={trace}"]
    return cached(cache, parts, lambda directory: _build(include, directory, compiler, trace=trace)) / "libcuda.so.1"


def _build(include: Path, directory: Path, compiler: str, *, trace: bool) -> None:
    header, typedefs = ((include / name).read_text(encoding="utf-8") for name in ("cuda.h", "cudaTypedefs.h"))
    preprocessed = run((compiler, "-x", "c", "-E", "-P", "-D__CUDA_API_VERSION_INTERNAL", str(include / "cuda.h")))
    for name, text in generate(preprocessed, typedefs, header, trace=trace).items():
        (directory / name).write_text(text, encoding="utf-8")
    handwritten = [path for path in HANDWRITTEN.glob("*.c") if trace or path.stem != "trace"]
    sources = sorted(handwritten) + sorted(directory.glob("*.c"))
    as_c = [word for source in sources for word in ("-x", "c", str(source))]  # g++ forgets -x after one file
    places = [f"-I{directory}", f"-I{HANDWRITTEN}", f"-isystem{include}"]
    run((compiler, *FLAGS, *places, *as_c, "-o", str(directory / "libcuda.so.1")))
