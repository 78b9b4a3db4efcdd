"""The words after `--` of `nox -s validate`."""

from __future__ import annotations

import pytest

from ctkmatrix import validatewords
from ctkmatrix.errors import UsageError
from ctkmatrix.gate import DEFAULT_FAIL_ON, Ruling
from ctkmatrix.validatewords import Words


def test_all_that_may_be_said() -> None:
    """Each word is read into the field of its name."""
    said = (
        "--candidate cuda-core=dist --candidate cuda-bindings==13.0.4 --reference r1 --toolkit 13.0 --python 3.11 --case a.* "
        "--metric both --profile thorough --device null --seed 7 --fail-on inconclusive,slower"
    )
    assert validatewords.parse(said.split()) == Words(
        candidate=("cuda-core=dist", "cuda-bindings==13.0.4"),
        reference=("r1",),
        toolkit="13.0",
        python=("3.11",),
        case=("a.*",),
        metric="both",
        profile="thorough",
        device="null",
        seed=7,
        fail_on=(Ruling.SLOWER, Ruling.INCONCLUSIVE),
    )


def test_what_is_not_said_selects_all_and_fails_by_the_default() -> None:
    """The metric is left to the machine."""
    found = validatewords.parse([])
    assert (found.metric, found.profile, found.fail_on, found.narrowed) == (None, "standard", DEFAULT_FAIL_ON, False)


@pytest.mark.parametrize("words", [["--case", "a.*"], ["--python", "3.11"], ["--toolkit", "13.0"]])
def test_what_chooses_narrows(words: list[str]) -> None:
    """Then a waiver need match nothing."""
    assert validatewords.parse(words).narrowed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--candidat", "x"], "unknown option --candidat; perhaps you meant «--candidate»"),
        (["--fail-on", "slow"], "'slow' is none of slower, incomplete, inconclusive; perhaps you meant «slower»"),
        (["--metric", "instruction"], "'instruction' is no metric; perhaps you meant «instructions»"),
        (["--python", "311"], "'311' is no Python version"),
        (["cu13.0-*"], "unexpected word 'cu13.0-*'; --help lists what there is"),
        (["--resume"], "validate is not resumed"),
        (["--resume=latest"], "validate is not resumed"),
    ],
)
def test_wrong_words_are_told(words: list[str], said: str) -> None:
    """With what was perhaps meant."""
    with pytest.raises(UsageError) as caught:
        validatewords.parse(words)
    assert said in str(caught.value)
