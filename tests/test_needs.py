"""What a variant needs, and what of that a device lacks."""

from __future__ import annotations

import pytest

from ctkmatrix import caseset, compilers, device
from ctkmatrix.needs import NEEDS_GPU, NULL, lack, target
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("needs", "on", "said"),
    [
        ("", "null", ""),
        ("", "sm_75", ""),
        ("gpu", "null", NEEDS_GPU),
        ("gpu", "sm_75", ""),
        ("sm_90", "sm_80", "needs sm_90: this GPU is sm_80"),
        ("sm_90", "sm_89", "needs sm_90: this GPU is sm_89"),
        ("sm_90", "sm_90", ""),
        ("sm_90", "sm_100", ""),
        ("sm_100", "sm_90", "needs sm_100: this GPU is sm_90"),
        ("sm_100", "sm_121", ""),
        ("sm_90", "null", ""),
        ("sm_100", "null", ""),
        ("gpu sm_90", "null", NEEDS_GPU),
        ("gpu sm_90", "sm_80", "needs sm_90: this GPU is sm_80"),
        ("gpu sm_90", "sm_90", ""),
        ("sm_90 sm_100", "sm_80", "needs sm_100: this GPU is sm_80"),
    ],
)
def test_a_device_has_what_is_needed_or_it_is_said_what_it_lacks(needs: str, on: str, said: str) -> None:
    """An architecture or a higher one, by number and not by letter; the null driver lacks the genuine driver alone."""
    assert lack(needs, on) == said


def test_a_device_is_named_by_its_kind_and_architecture() -> None:
    """The null driver is itself, whatever architecture it says it has."""
    assert target("gpu", "80") == device.Device("gpu", "NVIDIA A100", "80").target == "sm_80"
    assert device.NULL.target == NULL


def test_tensor_maps_are_left_out_on_an_older_gpu_and_nothing_else_is() -> None:
    """Of the whole case set; wide ones need a still newer GPU, and over the null driver all run but what asks for a driver."""

    def absent(on: str) -> set[str]:
        cases = caseset.load(ROOT, compilers.LIBRARY_FLAGS)
        return {case.id for case in cases for variant in case.variants if lack(variant.needs, on)}

    tensors = {case.id for case in caseset.load(ROOT, compilers.LIBRARY_FLAGS) if case.area == "tensormap"}
    assert absent("sm_80") == tensors
    assert absent("sm_90") == {"tensormap.im2col_wide"}
    assert absent("sm_100") == set()
    assert not absent(NULL) & tensors
