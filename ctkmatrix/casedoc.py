"""Writes ``docs/cases.md``, the case set beside what others have published: ``python -m ctkmatrix.casedoc``."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ctkmatrix import caseset, casewords, published
from ctkmatrix.standalone import standalone
from ctkmatrix.store import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctkmatrix.model import Case, Variant
    from ctkmatrix.published import Figure

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "cases.md"

INTRODUCTION = """\
# What is measured

Written by `python -m ctkmatrix.casedoc` from `cases/` and `cases/published.toml`: change those and not this page.

A case is one thing that is measured; its variants are ways to do it. `native` is the C++ twin on the driver, `native-runtime`
the one on cudart; `bindings` and `bindings-runtime` are cuda.bindings' driver and runtime, `core` is cuda.core. **Like for like**
says that a variant makes the same driver calls as its native twin, with the same scalar arguments: a test traces both. Anything
else says how it differs. Calls of cudart and NVRTC are no driver calls, even where they lead to some. The target, 1 µs, is for a
call: a turn counts for as many as its case says. What a release lacks is no failure: the report says so, in the field.

What needs **a GPU** needs a genuine driver with it. What needs **sm_90** takes compute capability 9.0 or higher, as NVIDIA
documents it: on an older GPU it is not run, and the field says so. It runs over the null driver, which answers every call.

**Published figures** are what others have measured, as they said it: on their machines, with their releases and their tools. They
stand beside a case that does the same or comes near it, the wording says which, and no number of ours is made from them. What a
pilot of this project found, and nobody else, says so in its note.
"""

PILOT = "a pilot of this project, not its harness"
"""Of a figure that nobody else has published."""

BUILDING = """\
Out of reach: PyPI has wheels and no source, and the matrix holds what was published. With a clone of cuda-python, and an
environment with the build requirements and one release of Cython at a time:
`time python -m pip wheel -v --no-deps --no-build-isolation ./cuda_bindings`. What of it is Cython's:
`time cython -3 --cplus FILE.pyx`; what is the compiler's: `g++ -ftime-report` on what that wrote. `cythonize --timeit` times what
was built, not the building. What the result costs to import: the area `imports`, and module by module
`python -X importtime -c 'import cuda.bindings.driver'`."""

DRIVER_MODELS = """\
The driver model is recorded with every run and stands on its page. Linux has no such choice, and ctkmatrix runs on Linux: the
comparison itself needs a Windows machine."""

COMPILING_MORE = """\
`nox -s profile` draws the flame graph of a turn, or of two releases; `nox -s count -- --group history` counts instructions
release by release, and `nox -s history` lists what each one changed; the report's summary tells each area's overhead against the
target."""

TWINS = (
    "The native twins: C++ in the same process, over the same driver, by the same loop as Python's, a turn making the same calls."
)

SUITE = "ctkmatrix: every case in every cell, with the native twins, and the summary by area against the target of 1 µs a call."

NO_LATENCY = (
    ("#642", "building cuda.bindings takes twice as long with Cython 3.1 as with 3.0", BUILDING),
    ("#1207", "WDDM is slower than TCC", DRIVER_MODELS),
    ("#866 #1452", "where cuda.core's time goes, and what compiling more of it by Cython brought", COMPILING_MORE),
    ("#1220", "latency of cuda.bindings against C++, by nvbench", TWINS),
    ("#1579 #1580", "a suite of latencies, and less than 1 µs over the equivalent C++", SUITE),
)
"""(issues, what they ask for, what answers it) where that is no latency of a call."""


def page(cases: Sequence[Case], figures: Sequence[Figure]) -> str:
    """Return the case set as Markdown. Pure."""
    areas = [(area, list(those)) for area, those in groupby(sorted(cases, key=lambda case: case.id), key=lambda case: case.area)]
    text = "\n".join(
        [
            *INTRODUCTION.splitlines(),
            "",
            f"{len(cases)} cases in {len(areas)} areas: {', '.join(f'[{area}](#{area})' for area, _ in areas)}.",
            *(line for area, those in areas for line in _area(area, those, figures)),
            *_section("Published figures that no case stands beside"),
            *_figures(published.for_case(figures, "")),
            *_section("What the issues ask for that is no latency of a call"),
            *_table(("issues", "what", "answer"), [(_links(issues), *rest) for issues, *rest in NO_LATENCY]),
        ]
    )
    named = sorted(set(re.findall(r"\[#(\d+)\]", text)), key=int)
    return "\n".join([text, "", *(f"[#{issue}]: https://github.com/NVIDIA/cuda-python/issues/{issue}" for issue in named), ""])


def _section(title: str) -> list[str]:
    return ["", f"## {title}", ""]


def _area(area: str, cases: Sequence[Case], figures: Sequence[Figure]) -> Iterator[str]:
    yield from _section(area)
    yield from _table(
        ("case", "what a turn does", "counts for", "how it runs", "native twin", "asked about in"), [_row(case) for case in cases]
    )
    yield ""
    yield from _table(
        ("case", "variant", "driver calls of a turn", "beside its native twin", "needs"),
        [_variant(case, variant) for case in cases for variant in case.variants],
    )
    about = [figure for case in cases for figure in published.for_case(figures, case.id)]
    if about:
        yield from ("", "Published:", "")
        yield from _figures(about)


def _row(case: Case) -> tuple[str, ...]:
    twin = f"none: {case.without_native}" if case.without_native else "yes"
    return (
        f"`{case.id}`",
        case.title,
        casewords.counts_for(case),
        casewords.how(case),
        twin,
        _links(" ".join(case.references)) or "none",
    )


def _variant(case: Case, variant: Variant) -> tuple[str, ...]:
    return f"`{case.id}`", variant.name, casewords.calls(variant), casewords.beside(case, variant), casewords.needs(variant)


def _figures(figures: Iterable[Figure]) -> list[str]:
    """Return a table of *figures*; what several issues say alike is one row."""
    issues: dict[Figure, list[str]] = {}
    for figure in figures:
        issues.setdefault(msgspec.structs.replace(figure, issue=""), []).append(figure.issue)
    return _table(
        ("case", "variant", "figure", "of what", "package, version", "hardware", "said in", "note"),
        [_figure(figure, " ".join(filter(None, said))) for figure, said in issues.items()],
    )


def _figure(figure: Figure, issues: str) -> tuple[str, ...]:
    number, package = casewords.value(figure), casewords.package(figure)
    case = f"`{figure.case}`" if figure.case else ""
    note = f"{PILOT}: {figure.note}" if figure.pilot else figure.note
    return case, figure.variant, number, figure.operation, package, figure.hardware, _links(issues), note


def _links(issues: str) -> str:
    """Make links of issue numbers; the page ends by saying where they lead."""
    return re.sub(r"#\d+", r"[\g<0>]", issues)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a Markdown table; columns that are empty in all *rows* are left out."""
    filled = list(rows)
    used = [number for number in range(len(head)) if any(row[number] for row in filled)]
    lines = (head, ["---"] * len(head), *([cell.replace("|", r"\|").replace("\n", " ") for cell in row] for row in filled))
    return [f"| {' | '.join(line[number] for number in used)} |" for line in lines]


def current() -> str:
    """Return the page of the case set and the figures as they are in this checkout. Raises UsageError."""
    return page(caseset.load(ROOT, []), published.figures(ROOT / "cases" / "published.toml"))


def main() -> None:
    """Write the page. Raises UsageError where a case or a figure is wrong."""
    replace(PAGE, current().encode())
    print(PAGE)


if __name__ == "__main__":
    with standalone():
        main()
