"""When enough is measured: by the widths of intervals alone."""

from __future__ import annotations

import pytest

from ctkmatrix import caseset, compilers, matrix, plan
from ctkmatrix.model import Estimate, Field, Outcome, Profile, Status
from ctkmatrix.stopping import reached, too_wide, wanted
from tests.conftest import ROOT

MATRIX = matrix.load(ROOT / "matrix.toml")
CASES = caseset.load(ROOT, compilers.LIBRARY_FLAGS)
ADDING = [one for one in MATRIX.profiles if one.max_processes > one.processes]

PROFILE = Profile("p", 12, 5, 0.01, 60, max_processes=24, relative=0.02, absolute=5e-9)


def estimate(value: float, half: float) -> Estimate:
    """Return an estimate with a symmetric interval."""
    return Estimate(value, value - half, value + half, ())


def field(time: Estimate | None, overhead: Estimate | None = None, status: Status = Status.MEASURED, case: str = "a.b") -> Field:
    """Return a field of one cell."""
    return Field("cell", case, "core", Outcome(status), time, overhead)


@pytest.mark.parametrize(("time", "half"), [(1e-9, 5e-9), (100e-9, 5e-9), (250e-9, 5e-9), (1e-6, 20e-9), (1e-3, 20e-6)])
def test_what_is_narrow_enough(time: float, half: float) -> None:
    """The larger of 2 % of the time and 5 ns."""
    assert wanted(PROFILE, time) == pytest.approx(half)


def test_the_overhead_s_interval_decides() -> None:
    """Where there is a twin; noise that Python and native share within a process does not count."""
    wide, narrow = estimate(1e-6, 300e-9), estimate(0.9e-6, 10e-9)
    assert reached(PROFILE, field(wide, narrow))
    assert not reached(PROFILE, field(narrow, wide))


def test_without_a_twin_the_time_s_interval_decides() -> None:
    """An enum's member, say."""
    assert reached(PROFILE, field(estimate(1e-6, 19e-9)))
    assert not reached(PROFILE, field(estimate(1e-6, 21e-9)))


def test_no_interval_is_not_narrow_enough() -> None:
    """One process says nothing of the spread."""
    assert not reached(PROFILE, field(Estimate(1e-6, None, None, (1e-6,))))


def test_only_what_is_too_wide_is_measured_again() -> None:
    """By case; what failed or is absent needs no more."""
    narrow, wide = estimate(1e-6, 1e-9), estimate(1e-6, 1e-7)
    fields = [
        field(narrow, case="a.narrow"),
        field(narrow, case="a.wide"),
        field(wide, case="a.wide"),
        field(None, status=Status.FAILED, case="a.failed"),
        field(None, status=Status.NOT_APPLICABLE, case="a.absent"),
    ]
    assert too_wide(PROFILE, fields) == {("cell", "a.wide")}


def test_a_verdict_does_not_decide() -> None:
    """Two fields of equal width and opposite signs are treated alike: nothing but the width counts."""
    assert reached(PROFILE, field(estimate(1e-6, 0), estimate(500e-9, 19e-9))) == reached(
        PROFILE, field(estimate(1e-6, 0), estimate(-500e-9, 19e-9))
    )


@pytest.mark.parametrize("target", ["null", "sm_90"])
@pytest.mark.parametrize("profile", ADDING, ids=[one.name for one in ADDING])
def test_the_limit_of_a_profile_leaves_time_to_measure_again(profile: Profile, target: str) -> None:
    """With every case: a limit that the planned processes alone take would leave every wide interval as it is."""
    planned = plan.rounds(MATRIX.cells[-1:], CASES, profile, device=target, seed=1, max_padding=4096)
    assert plan.expected_seconds(list(planned), profile) < 0.8 * profile.seconds_limit
