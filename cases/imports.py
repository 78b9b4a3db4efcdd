"""Importing the packages, in a fresh interpreter each turn."""

import sys
from subprocess import run

from ctkmatrix.probe.loop import Loop
from ctkmatrix.probe.registry import case
from ctkmatrix.probe.subject import Subject

NO_TWIN = "A C++ program links its libraries and imports nothing."
ELSEWHERE = "the new interpreter is a process of its own, which is not counted"


def start(loop: Loop, statement: str) -> None:
    """Run *statement* in a new interpreter each turn. Raises CalledProcessError."""
    command = [sys.executable, "-I", "-c", statement]
    for _ in loop:
        run(command, check=True)


fresh = case(
    "imports.fresh",
    "Start an interpreter that imports cuda.bindings.driver, cuda.bindings.runtime or cuda.core; python imports nothing.",
    references="#982 #1581",
    isolated=True,
    seconds_per_turn=0.15,
    without_native=NO_TWIN,
    uncountable=ELSEWHERE,
)


@fresh("bindings")
def _(loop: Loop, _cu: Subject) -> object:
    start(loop, "import cuda.bindings.driver")
    return None


@fresh("bindings-runtime")
def _(loop: Loop, _cu: Subject) -> object:
    start(loop, "import cuda.bindings.runtime")
    return None


@fresh("core")
def _(loop: Loop, cu: Subject) -> object:
    start(loop, f"import {cu.core_name}")
    return None


@fresh("python")
def _(loop: Loop, _cu: Subject) -> object:
    start(loop, "pass")
    return None


nvrtc = case(
    "imports.nvrtc",
    "Start an interpreter that imports cuda.bindings.nvrtc; python imports nothing.",
    references="#982 #1581",
    isolated=True,
    seconds_per_turn=0.15,
    without_native=NO_TWIN,
    uncountable=ELSEWHERE,
)


@nvrtc("bindings")
def _(loop: Loop, _cu: Subject) -> object:
    start(loop, "import cuda.bindings.nvrtc")
    return None


@nvrtc("python")
def _(loop: Loop, _cu: Subject) -> object:
    start(loop, "pass")
    return None
