"""Waivers: what they cover, until when, and which of them are wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ctkmatrix import waivers
from ctkmatrix.model import Judgement, Metric, Waiver
from tests.gate_factory import CANDIDATE, VERSIONS, row, waiver

SLOWER = row(Judgement.SLOWER)


@pytest.mark.parametrize(
    ("one", "covers"),
    [
        (waiver(), True),
        (waiver("launch.empty", CANDIDATE), True),
        (waiver("launch.empty", CANDIDATE.removesuffix("+candidate")), True),
        (replace(waiver(), variant="c*"), True),
        (replace(waiver(), variant="bindings"), False),
        (waiver("event.*"), False),
        (waiver(cell="cu13.0-py3.14-*"), False),
        (waiver(until="13.0.4rc1"), False),
        (waiver(package="cuda-core", until="9.0.0"), False),
    ],
)
def test_a_waiver_covers_what_its_globs_match(one: Waiver, *, covers: bool) -> None:
    """Case, variant and the candidate's cell, with its label or without; below its version; of a package under test."""
    assert (waivers.waiver_of(SLOWER, [one], VERSIONS) is not None) is covers


def test_a_native_control_is_never_waived() -> None:
    """A glob over everything means everything that a package can move."""
    control = row(Judgement.SLOWER, variant="native")
    assert waivers.waiver_of(control, [waiver("*", "*")], VERSIONS) is None
    assert len(waivers.faults([waiver("*", "*")], [control], VERSIONS)) == 1


@pytest.mark.parametrize(
    ("candidate", "expired"),
    [
        ("13.0.3", False),
        ("13.0.4.dev1", False),
        ("13.0.4rc1", False),
        ("13.0.3+local.1", False),
        ("13.0.4", True),
        ("13.0.4+local.1", True),
        ("13.0.10", True),
    ],
)
def test_a_waiver_holds_below_its_version(candidate: str, *, expired: bool) -> None:
    """By the order of versions: a pre-release is below its release, a local build is not. It is known before measuring."""
    found = waivers.expired([waiver()], {"cuda-bindings": candidate})
    assert bool(found) is expired
    for error in found:
        assert str(error).startswith("matrix.toml:40: this waiver has expired: it holds for cuda-bindings below 13.0.4, and ")


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (waiver("lunch.empty"), " (no case is called «lunch.empty»; perhaps you meant «launch.empty»)"),
        (replace(waiver(), variant="cor"), " (no variant is called «cor»; perhaps you meant «core»)"),
        (waiver(cell="cu12.9-*"), " (no cell is called «cu12.9-*»)"),
    ],
)
def test_a_waiver_that_nothing_answers_to_is_told(one: Waiver, told: str) -> None:
    """With the part that is wrong, and the nearest name."""
    (error,) = waivers.faults([one], [row()], VERSIONS)
    assert str(error) == f"matrix.toml:40: this waiver matches nothing that was judged{told}: correct or remove it"


def test_a_waiver_without_need_is_no_fault() -> None:
    """What it covers was judged, and is not slower: the next run may find it so."""
    assert waivers.faults([waiver()], [row(metric=Metric.INSTRUCTIONS)], VERSIONS) == ()


def test_only_an_expired_waiver_is_a_fault_of_a_narrowed_run() -> None:
    """Whoever asks for one case asks for no waiver of another."""
    found = waivers.faults([waiver("gone.*"), waiver(until="13.0.3")], [row()], VERSIONS, narrowed=True)
    assert ["expired" in str(error) for error in found] == [True]


def test_waivers_of_another_package_are_not_looked_at() -> None:
    """A run that validates cuda-bindings says nothing of cuda-core's."""
    assert waivers.faults([waiver("gone.*", package="cuda-core", until="0.1.0")], [row()], VERSIONS) == ()
