"""Rounds of processes."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from ctkmatrix.model import Case, Cell, Profile, Variant
from ctkmatrix.plan import Process, expected_seconds, heaps, rounds, variants_of

CELLS = [Cell(toolkit, python, "1", "1") for toolkit in ("12.9", "13.0", "13.5") for python in ("3.11", "3.12", "3.14")]
NATIVE, CORE = Variant("native", ()), Variant("core", ())
CASES = [Case(f"area.{name}", name, (NATIVE, CORE)) for name in "abcdef"]
PROFILE = Profile("p", processes=4, values=5, seconds_per_value=0.01, block_limit=60)


def made(
    cases: list[Case] = CASES, seed: int = 1, device: str = "null", done: frozenset[tuple[str, int, str]] = frozenset()
) -> list[Process]:
    """Return the plan for all cells."""
    return list(rounds(CELLS, cases, PROFILE, device=device, seed=seed, max_padding=4096, done=done))


def test_a_round_measures_every_cell_once() -> None:
    """As many processes a cell as the profile says, one in each round."""
    plan = made()
    for number, group in groupby(plan, lambda process: process.round):
        assert sorted(p.cell.id for p in group) == sorted(cell.id for cell in CELLS), number
    assert [p.round for p in plan] == sorted(p.round for p in plan)


def test_cells_of_one_toolkit_stay_next_to_each_other() -> None:
    """What is compared is measured close together in time."""
    for _, group in groupby(made(), lambda process: process.round):
        assert len([key for key, _ in groupby(p.cell.toolkit for p in group)]) == 3


def test_every_process_measures_every_case_in_its_own_order() -> None:
    """Neither a case nor a cell always comes first."""
    plan = made()
    assert all(sorted(b.case.id for b in p.blocks) == [case.id for case in CASES] for p in plan)
    assert len({tuple(b.case.id for b in p.blocks) for p in plan}) > 20
    assert len({p.padding for p in plan}) > 20
    assert all(0 <= p.padding < 4096 for p in plan)


def test_the_same_seed_gives_the_same_plan() -> None:
    """A run can be repeated, and another seed gives another order."""
    assert made(seed=5) == made(seed=5)
    assert made(seed=5) != made(seed=6)


def test_isolated_cases_have_processes_of_their_own() -> None:
    """Nothing else runs in the process of an isolated case."""
    cases = [*CASES, Case("area.alone", "alone", (CORE,), isolated=True)]
    plan = made(cases)
    alone = [p for p in plan if any(b.case.isolated for b in p.blocks)]
    assert len(alone) == len(CELLS) * PROFILE.processes
    assert all(len(p.blocks) == 1 for p in alone)


def test_what_is_done_is_left_out_and_the_rest_keeps_its_order() -> None:
    """A resumed run measures what is missing, as it would have been."""
    whole = made()
    done = {(p.cell.id, p.round, b.case.id) for p in whole[:10] for b in p.blocks}
    half = {(whole[10].cell.id, whole[10].round, b.case.id) for b in whole[10].blocks[:2]}
    left = made(done=frozenset(done | half))
    assert left[1:] == whole[11:]
    assert left[0].blocks == whole[10].blocks[2:]


def test_variants_that_need_a_gpu_are_not_planned_over_the_null_driver() -> None:
    """Nothing imitates the check for a genuine driver."""
    case = Case("a.b", "b", (NATIVE, Variant("bindings-runtime", (), needs="gpu")))
    assert variants_of(case, "null") == ("native",)
    assert variants_of(case, "sm_90") == ("native", "bindings-runtime")


def test_what_an_older_gpu_lacks_is_not_planned_there() -> None:
    """A GPU of 8.0 runs the rest; a case of which nothing is left makes no block; the null driver runs all of it."""
    mixed = Case("a.mixed", "", (NATIVE, Variant("core", (), needs="sm_90")))
    tensors = Case("a.tensors", "", (Variant("native", (), needs="sm_90"), Variant("bindings", (), needs="sm_90")))

    def planned(device: str) -> set[tuple[str, str]]:
        return {(b.case.id, variant) for p in made([mixed, tensors], device=device) for b in p.blocks for variant in b.variants}

    assert planned("sm_80") == {("a.mixed", "native")}
    assert len(planned("sm_90")) == len(planned("sm_100")) == len(planned("null")) == 4


def test_a_case_that_the_device_cannot_run_makes_no_process() -> None:
    """No worker is started for nothing."""
    assert made([Case("a.b", "b", (Variant("cupy", (), needs="gpu"),))]) == []


def test_the_expected_time_grows_with_the_work() -> None:
    """Twice the processes take twice as long; slow turns count as such."""
    plan = made()
    assert expected_seconds(plan + plan, PROFILE) == 2 * expected_seconds(plan, PROFILE)
    slow = made([Case("a.b", "b", (CORE,), seconds_per_turn=1.0)])
    assert expected_seconds(slow, PROFILE) > 5 * len(slow)


def test_further_rounds_measure_what_is_asked_for_alone() -> None:
    """Cells and cases that are narrow enough start no process."""
    wide = {(CELLS[2].id, "area.b"), (CELLS[2].id, "area.d"), (CELLS[5].id, "area.a")}
    plan = list(rounds(CELLS, CASES, PROFILE, device="null", seed=1, max_padding=4096, only={7: wide}))
    assert {p.round for p in plan} == {7}
    assert sorted((p.cell.id, b.case.id) for p in plan for b in p.blocks) == sorted(wide)
    assert len(plan) == 2


def test_what_is_not_countable_has_no_heap() -> None:
    """A share is no number of instructions, and what other threads or processes do is not the loop's."""
    share, elsewhere = Case("a.share", "", (CORE,), unit="share"), Case("a.elsewhere", "", (CORE,), uncountable="others do it")
    blocks = [block for process in heaps(CELLS[:1], [share, elsewhere, CASES[0]], 1) for block in process.blocks]
    assert [block.case.id for block in blocks] == [CASES[0].id]


def test_further_heaps_count_what_is_asked_for_alone() -> None:
    """In the order that a heap has anyway."""
    suspected = {(CELLS[1].id, "area.b"), (CELLS[1].id, "area.e"), (CELLS[4].id, "area.b")}
    plan = list(heaps(CELLS, CASES, 5, only={7: suspected, 8: suspected}))
    assert [p.round for p in plan] == [7, 7, 8, 8]
    assert sorted((p.cell.id, b.case.id) for p in plan if p.round == 8 for b in p.blocks) == sorted(suspected)
    assert {b.seed for p in plan for b in p.blocks} == {7, 8}
    (whole, *_) = (p for p in heaps(CELLS, CASES, 9) if p.round == 7)
    kept = [b.case.id for b in whole.blocks if b.case.id in {"area.b", "area.e"}]
    assert [b.case.id for b in plan[0].blocks] == kept


def test_a_reference_and_a_candidate_are_measured_one_after_the_other() -> None:
    """In every round, whatever other Pythons are measured in it, and in either order."""
    sides = [replace(cell, label=label) for label in ("reference", "candidate") for cell in CELLS]
    plan = list(rounds(sides, CASES, replace(PROFILE, processes=12), device="null", seed=1, max_padding=4096))
    pairs = list(zip(plan[::2], plan[1::2], strict=True))
    assert all(replace(a.cell, label="") == replace(b.cell, label="") for a, b in pairs)
    assert {a.cell.label for a, _ in pairs} == {"reference", "candidate"}
