"""How cases are declared."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ctkmatrix.probe import registry
from ctkmatrix.probe.subject import Subject
from ctkmatrix.probe.worker import Worker

if TYPE_CHECKING:
    from ctkmatrix.probe.loop import Loop

ROOT = Path(__file__).parent.parent
CASES = registry.load(ROOT / "cases")


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin with no cases."""
    monkeypatch.setattr(registry, "CASES", {})


@pytest.mark.usefixtures("empty")
def test_a_case_has_a_native_twin_unless_it_says_why_not() -> None:
    """The twin is expected by default."""
    assert "native" in registry.case("a.b", "B.").variants
    assert "native" not in registry.case("a.c", "C.", without_native="no such thing in C++").variants


@pytest.mark.usefixtures("empty")
def test_ids_are_unique_and_have_an_area() -> None:
    """Two cases of one id, and an id without an area, are mistakes."""
    registry.case("a.b", "B.")
    with pytest.raises(ValueError, match="twice"):
        registry.case("a.b", "B.")
    with pytest.raises(ValueError, match="area"):
        registry.case("b", "B.")


@pytest.mark.usefixtures("empty")
def test_unknown_and_doubled_variants_are_refused() -> None:
    """A misspelt variant would be a column of its own."""
    made = registry.case("a.b", "B.")
    made("core")(lambda loop, cu: None)
    with pytest.raises(ValueError, match="twice"):
        made("core")(lambda loop, cu: None)
    with pytest.raises(ValueError, match="no variant"):
        made("coer")(lambda loop, cu: None)


@pytest.mark.usefixtures("empty")
def test_a_case_measures_time_unless_it_says_that_it_measures_a_share() -> None:
    """The unit is a fact of the declaration; an unknown one is a mistake."""
    assert registry.case("a.b", "B.").unit == "time"
    assert registry.case("a.c", "C.", unit="share").unit == "share"
    with pytest.raises(ValueError, match="no unit"):
        registry.case("a.d", "D.", unit="percent")


@pytest.mark.usefixtures("empty")
def test_every_variant_needs_what_its_case_needs() -> None:
    """The native twins too; what a variant needs beside it is added, and nothing is said twice."""
    made = registry.case("a.b", "B.", needs="sm_90")
    made("bindings")(lambda loop, cu: None)
    made("core", needs="sm_90 sm_100")(lambda loop, cu: None)
    made.native_runtime()
    assert {name: variant.needs for name, variant in made.variants.items()} == {
        "native": "sm_90", "bindings": "sm_90", "core": "sm_90 sm_100", "native-runtime": "sm_90 gpu"
    }  # fmt: skip


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("wrong", ["GPU", "sm90", "sm_9", "sm_90a", "sm_090", "compute_90", "gpu,sm_90"])
def test_what_nothing_can_need_is_refused(wrong: str) -> None:
    """A misspelt need would never be lacked; of an architecture's own features (``sm_90a``) «or higher» says nothing."""
    with pytest.raises(ValueError, match=re.escape(f"a.b: it cannot need '{wrong}'")):
        registry.case("a.b", "B.", without_native="none", needs=wrong)
    made = registry.case("a.c", "C.")
    with pytest.raises(ValueError, match=re.escape(f"a.c: it cannot need '{wrong}'")):
        made("core", needs=f"gpu {wrong}")(lambda loop, cu: None)


@pytest.mark.usefixtures("empty")
def test_the_worker_hands_on_a_share_times_the_turns() -> None:
    """A value is divided by its turns: what a body of unit share returns then comes out as it was."""
    made = registry.case("a.b", "B.", unit="share")

    @made("python")
    def _(loop: Loop, _cu: Subject) -> object:
        for _ in loop:
            pass
        return 0.25

    worker = Worker()
    worker.cu, worker.timed = Subject("", "90"), 0.0
    assert worker._runner(made, "python", 0)(8) == 2.0
    assert worker.timed > 0


def test_listing_cases_imports_no_cuda() -> None:
    """A machine without CUDA can list the cases: loading them imports the standard library and the probe alone."""
    code = (
        "import sys; from pathlib import Path; from ctkmatrix.probe import registry; before = set(sys.modules);"
        "registry.load(Path('cases')); print([m for m in sys.modules if m.startswith(('cuda', 'numpy', 'cupy'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_a_case_says_what_it_measures(case: registry.Case) -> None:
    """Title, and a Python-side variant to set beside the native one; a variant that makes other calls says how it differs."""
    assert case.title.endswith(".")
    python = [variant for variant in case.variants.values() if variant.body is not None]
    assert python
    for variant in python:
        assert variant.calls == case.calls or variant.differs, f"{case.id}/{variant.name} makes other calls and does not say so"


def test_every_case_has_its_native_twin_and_every_twin_its_case() -> None:
    """``CASE`` in native/ mirrors ``case`` in cases/, file by file."""

    def declared(directory: Path) -> set[tuple[str, str]]:
        return {
            (path.stem, found)
            for path in directory.glob("*.cpp")
            for found in re.findall(r'^CASE\("([^"]+)"\)', path.read_text(), re.MULTILINE)
        }

    def wanted(variant: str) -> set[tuple[str, str]]:
        return {(case.id.partition(".")[0], case.id) for case in CASES.values() if variant in case.variants}

    assert declared(ROOT / "native") == wanted("native")
    assert declared(ROOT / "native" / "runtime") == wanted("native-runtime")
