"""py-spy, which samples where a worker's time goes, native frames included: how it is run; what it writes -> folded stacks."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from ctkmatrix.callgraph import NAMELESS, shortened, where
from ctkmatrix.errors import MachineError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ctkmatrix.callgraph import Stacks

SECONDS = 5
"""Of sampling."""
RATE = 200
"""Samples a second: py-spy stops the process for each, and falls behind much beyond."""
START_LIMIT = 30
"""Seconds that py-spy may take besides: it reads the symbols of every library first."""

INSTEAD = "without --time, instructions are counted instead"
PERMIT = (
    "it may as root, with `sysctl kernel.yama.ptrace_scope=1` or less, and in a container run with `--cap-add SYS_PTRACE`; "
    f"{INSTEAD}, and nothing is traced"
)
UNREADABLE = "Failed to parse python binary"
"""What py-spy says of an interpreter whose ELF tables it cannot read, such as one patched to run on an older C library."""


def start(tool: Path, pid: int, output: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start to sample process *pid* with py-spy, *tool*; it writes *output*, and what it says into *log*."""
    command = [str(tool), "record", "--native", "--nolineno", "--full-filenames", "--format=raw"]
    own = [f"--pid={pid}", f"--rate={RATE}", f"--duration={SECONDS}", f"--output={output}"]
    with log.open("wb") as said:
        return subprocess.Popen([*command, *own], stdin=subprocess.DEVNULL, stdout=said, stderr=said)


def finish(process: subprocess.Popen[bytes], output: Path, log: Path) -> Stacks:
    """Wait for py-spy's end and return its samples by stack. Raises MachineError with what it said where it has none."""
    try:
        process.wait(SECONDS + START_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    stacks = read(output.read_text(encoding="utf-8").splitlines()) if output.exists() else {}
    if not process.returncode and stacks:
        return stacks
    said = " ".join(log.read_text(encoding="utf-8", errors="replace").partition("Stack backtrace")[0].split())[:300]
    if "ermission" in said or "permitted" in said:
        raise MachineError(f"py-spy may not trace the worker: {PERMIT} ({said})")
    if UNREADABLE in said:
        raise MachineError(f"py-spy cannot read this interpreter's file, though another build's; {INSTEAD} ({said})")
    raise MachineError(f"py-spy could not sample the worker; {INSTEAD} ({said or 'no samples'})")


def read(lines: Iterable[str]) -> Stacks:
    """Return samples by stack, outermost first, from py-spy's «raw» format: ``frame;frame;… count``."""
    stacks: Stacks = {}
    for line in lines:
        frames, _, count = line.rpartition(" ")
        stack: list[str] = []
        for frame in map(_frame, frames.split(";")):
            if not (stack and stack[-1] == frame and frame.startswith(NAMELESS)):
                stack.append(frame)
        stacks[tuple(stack)] = stacks.get(tuple(stack), 0) + int(count)
    return stacks


def _frame(text: str) -> str:
    """Return a frame in the words of ``callgraph``. Code without a symbol is told by its library: no function has its address."""
    found = re.fullmatch(r"(.*) \((.*?)(?::[0-9]+)?\)", text)
    if found is None:
        return text
    name, path = found.groups()
    if path.endswith((".py", ">")):
        return f"{name} ({shortened(path)})"
    return f"{NAMELESS if name.startswith('0x') else f'{name} ('}{where(path)})"
