"""``nox -s profile``: where a case's instructions go, by function, as a flame graph; and how that differs between two cells.

Everything runs over the null driver. Instructions are counted by callgrind; with ``--time``, py-spy samples where time goes.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctkmatrix import args, callgraph, callgrind, caseset, compilers, device, envs, flame, matrix, prepare, protocol, sampling
from ctkmatrix.errors import Exit, UsageError
from ctkmatrix.needs import NULL, lack
from ctkmatrix.profiles import INSTRUCTIONS, SAMPLES, Difference, Profile, write
from ctkmatrix.progress import Display
from ctkmatrix.suggest import perhaps
from ctkmatrix.workers import OPEN_LIMIT, Launch, WorkerLost, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctkmatrix.app import Options
    from ctkmatrix.callgraph import Dump, Stacks
    from ctkmatrix.callgrind import Callgrind
    from ctkmatrix.job import Place
    from ctkmatrix.model import Case, Cell, Variant
    from ctkmatrix.protocol import Setup

MOST_TURNS = 1000
ENOUGH = 20_000_000
"""Instructions that a block of turns takes about, at most: callgrind runs some 50 million a second, and needs six such blocks."""
BLOCK_LIMIT = 600.0


@dataclass(frozen=True, slots=True)
class Asked:
    """What is profiled: one or two cells; with *time*, time is sampled rather than instructions counted."""

    case: Case
    cells: tuple[Cell, ...]
    variants: tuple[Variant, ...]
    left_out: tuple[str, ...]
    """Why other variants are not, in words."""
    time: bool


@dataclass(frozen=True, slots=True)
class Ground:
    """What a profile of one cell stands on."""

    case: Case
    setup: Setup
    lock: str

    def profile(self, variant: str, unit: str, stacks: Stacks, **facts: Any) -> Profile:
        """Return *stacks* with what they are of, without what lay outside the case's function."""
        provenance = {"lock": self.lock, **facts.pop("provenance")}
        library = callgraph.where(self.setup.native.get(variant, {}).get("path", "no library"))
        kept, outside = callgraph.inside(stacks, partial(is_root, self.case.area, library))
        return Profile(
            case=self.case.id,
            case_version=self.case.version,
            variant=variant,
            cell=self.setup.cell.id,
            unit=unit,
            outside=outside,
            stacks={";".join(stack): cost for stack, cost in kept.items()},
            provenance=provenance,
            **facts,
        )

    def open_worker(self, worker: WorkerProcess, limit: float, **more: Any) -> dict[str, Any]:
        """Make *worker* ready, as ``protocol`` does; return what it says of itself."""
        return protocol.open_worker(worker, self.setup, device.NULL, limit, **more)


def is_root(area: str, library: str, frame: str) -> bool:
    """Whether *frame* is the case's own function: one of the file of its *area*, or of the *library* of native baselines."""
    return callgraph.place(frame) in {f"cases/{area}.py", library}


def profile(place: Place, _options: Options, words: Sequence[str]) -> Exit:
    """Profile what *words* ask for and say where the graphs are.

    Raises UsageError, EnvironmentFailed, or MachineError where valgrind or py-spy are missing or may not do their work.
    """
    loaded = matrix.load(place.root / "matrix.toml")
    cases = caseset.load(place.root, compilers.LIBRARY_FLAGS)
    newest = matrix.newest(loaded.cells)
    asked = parse(words, cases, loaded.all_cells, newest)
    display = Display()
    for reason in asked.left_out:
        display.say(f"not profiled: {reason}")
    try:
        measure = _sampler(place) if asked.time else _counter(place)
        grounds = [_ground(place, display, asked.case, cell, newest.toolkit) for cell in asked.cells]
        profiles = [list(_profiles(measure, ground, asked.variants, display)) for ground in grounds]
    except KeyboardInterrupt:
        print("ctkmatrix: interrupted: nothing was written", file=sys.stderr)
        return Exit.INTERRUPTED
    pairs = [Difference(before=one, after=other) for one, other in _pairs(*profiles)] if len(profiles) == 2 else []
    contents: list[Profile | Difference] = [*(one for cell in profiles for one in cell), *pairs]
    for content in contents:
        drawn, path = write(place.reports, content)
        heading = ("", drawn.subject.title, *drawn.subject.lines)
        display.say("\n".join([*heading, *flame.text_table(drawn.columns, drawn.rows), str(path)]))
    return Exit.PASSED if all(len(cell) == len(asked.variants) for cell in profiles) else Exit.INCOMPLETE


def parse(words: Sequence[str], cases: Sequence[Case], cells: Sequence[Cell], newest: Cell) -> Asked:
    """Read *words*; without a cell they mean the *newest*.

    Raises UsageError, with a suggestion; ``--help`` alone prints, and raises SystemExit(0).
    """
    parser = args.Parser(prog="nox -s profile --", allow_abbrev=False)
    parser.add_argument("--case", required=True, metavar="CASE", help="the case, such as stream.create_destroy")
    parser.add_argument("--cell", action="append", metavar="CELL", help="the cell (the newest); a second one to compare it with")
    parser.add_argument("--variant", metavar="VARIANT", help="one variant (all that run here)")
    parser.add_argument("--time", action="store_true", help="sample time with py-spy rather than count instructions")
    found = parser.read(words)
    case = {one.id: one for one in cases}[_known("--case", found["case"], [one.id for one in cases])]
    known = {cell.id: cell for cell in cells}
    wanted = [known[_known("--cell", id_, known)] for id_ in found["cell"] or [newest.id]]
    if len(wanted) > 2 or len(set(wanted)) < len(wanted):
        raise UsageError("after --: --cell takes one cell, or two different ones to compare")
    return Asked(case, tuple(wanted), *_variants(case, wanted, found["variant"]), found["time"])


def _known(option: str, name: str, known: Iterable[str]) -> str:
    known = list(known)
    if name not in known:
        near = perhaps(name, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"{option} {name}: there is none{near}")
    return name


def _variants(case: Case, cells: Sequence[Cell], name: str | None) -> tuple[tuple[Variant, ...], tuple[str, ...]]:
    """Return the variant called *name*, or all that run over the null driver in *cells*, and why the others do not."""
    if name is not None:
        _known("--variant", name, [one.name for one in case.variants])
    wanted = {one: _obstacle(one, cells) for one in case.variants if name in {None, one.name}}
    obstacles = tuple(f"{one.name} {obstacle}" for one, obstacle in wanted.items() if obstacle)
    if len(obstacles) == len(wanted):
        raise UsageError(f"{case.id}: nothing to profile: {'; '.join(obstacles)}")
    return tuple(one for one, obstacle in wanted.items() if not obstacle), obstacles


def _obstacle(variant: Variant, cells: Sequence[Cell]) -> str:
    if lack(variant.needs, NULL):
        return "needs a GPU, and profiles are made over the null driver"
    if variant.name == "core" and any(cell.core is None for cell in cells):
        return "needs cuda.core, which a cell has not"
    return ""


def _ground(place: Place, display: Display, case: Case, cell: Cell, newest: str) -> Ground:
    """Make all that workers of *cell* need."""
    workshop = prepare.Workshop(place.root, place.build, device.NULL, display.say)
    environment = envs.ensure(cell, place.build)
    baselines = workshop.baselines({cell.toolkit: environment})[cell.toolkit]
    setup = workshop.setup(cell, environment, baselines, str(workshop.null_driver(newest)))
    return Ground(case, setup, environment.lock_hash)


def _profiles(
    measure: Callable[[Ground, str], Profile], ground: Ground, variants: Sequence[Variant], display: Display
) -> Iterator[Profile]:
    """Give the profile of each variant; say why of those that there are none of."""
    for variant in variants:
        display.say(f"{ground.setup.cell.id}: {ground.case.id}/{variant.name} …")
        try:
            yield measure(ground, variant.name)
        except WorkerLost as lost:
            display.say(f"  not profiled: {lost}")


def _counter(place: Place) -> Callable[[Ground, str], Profile]:
    return partial(_count, callgrind.find(place.build / "callgrind", str(compilers.host_compiler())))


def _count(tool: Callgrind, ground: Ground, variant: str) -> Profile:
    """Profile one variant under callgrind: what twice N turns execute less what N turns do, by N."""
    with tempfile.TemporaryDirectory() as name:
        output = Path(name, "callgrind")
        command = (*tool.command(ground.setup.python, output, *callgraph.OPTIONS), "-X", "perf")
        launch = Launch(ground.setup.python, Path(name, "log"), callgrind.ENVIRONMENT | ground.setup.variables, 0, command)
        with WorkerProcess(launch) as worker, _perf_map(worker.pid) as names:
            opened = ground.open_worker(worker, callgrind.OPEN_LIMIT, callgrind=tool.watched(output, heap=0))
            dump = partial(_dump, worker, {"op": "profile", "case": ground.case.id, "variant": variant})
            one, two = dump(1).total, dump(2).total
            turns = max(1, min(MOST_TURNS, ENOUGH // max(1, two - one)))
            once, twice = dump(turns), dump(2 * turns)
            python = callgraph.PerfMap(names.read_text(encoding="utf-8").splitlines() if names.exists() else ())
    stacks = callgraph.per_turn(callgraph.folded(once, python), callgraph.folded(twice, python), turns)
    facts = {
        "turns": turns,
        "libraries": _libraries(twice),
        "provenance": {"valgrind": tool.version, "python": opened["python"]["version"]},
    }
    return ground.profile(variant, INSTRUCTIONS, stacks, **facts)


def _dump(worker: WorkerProcess, request: dict[str, Any], turns: int) -> Dump:
    path = Path(_succeeded(worker.ask(request | {"turns": turns}, BLOCK_LIMIT), request["variant"])["dump"])
    with path.open(encoding="utf-8", errors="backslashreplace") as lines:
        return callgraph.read(lines)


def _succeeded(answer: dict[str, Any], variant: str) -> dict[str, Any]:
    """Return *answer*. Raises WorkerLost where the *variant* failed."""
    if failure := answer["failures"].get(variant):
        raise WorkerLost(failure)
    return answer


@contextmanager
def _perf_map(pid: int) -> Iterator[Path]:
    """Give the file into which CPython writes its functions, and delete it afterwards."""
    path = Path(f"/tmp/perf-{pid}.map")  # noqa: S108 -- CPython's own choice
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _libraries(dump: Dump) -> dict[str, str]:
    """Return a hash of each file that functions without a symbol are in, by the library's name."""
    paths = {path for context, objects in dump.objects.items() if context.startswith("0x") for path in objects}
    files = {callgraph.where(path): Path(path) for path in sorted(paths) if Path(path).is_file()}
    return {name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for name, path in files.items()}


def _sampler(place: Place) -> Callable[[Ground, str], Profile]:
    return partial(_sample, envs.ensure_tools("profile", place.build).python.with_name("py-spy"))


def _sample(tool: Path, ground: Ground, variant: str) -> Profile:
    """Profile one variant by looking at it again and again while its loop runs."""
    with tempfile.TemporaryDirectory() as name:
        output, log = Path(name, "samples"), Path(name, "py-spy.log")
        launch = Launch(ground.setup.python, Path(name, "log"), ground.setup.variables, 0)
        with WorkerProcess(launch) as worker:
            opened = ground.open_worker(worker, OPEN_LIMIT, traced=True)
            block = {
                "op": "block",
                "case": ground.case.id,
                "variants": [variant],
                "loops": {},
                "seed": 0,
                "burn": 0,
                "burst": 0,  # the null driver's queue cannot fill
            }
            spy = sampling.start(tool, worker.pid, output, log)
            try:
                seconds = sampling.SECONDS + 3  # py-spy takes a while to begin
                _succeeded(worker.ask(block | {"values": seconds * 10, "seconds": 0.1}, BLOCK_LIMIT), variant)
                stacks = sampling.finish(spy, output, log)
            finally:
                spy.kill()
                spy.wait()
    provenance = {"sampler": "py-spy", "python": opened["python"]["version"]}
    return ground.profile(variant, SAMPLES, stacks, turns=0, libraries={}, provenance=provenance)


def _pairs(first: Sequence[Profile], second: Sequence[Profile]) -> Iterator[tuple[Profile, Profile]]:
    by_variant = {one.variant: one for one in second}
    return ((one, by_variant[one.variant]) for one in first if one.variant in by_variant)
