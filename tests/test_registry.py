"""How cases are declared."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ctkmatrix.probe import registry

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
