"""What a variant is made of, as text."""

from __future__ import annotations

import ast

import pytest

from ctkmatrix import caseset, snippets
from tests.conftest import ROOT

CASES = caseset.load(ROOT, [])

FILE = """\
// Mirrors cases/a.py.
#include "driver.hpp"

DRIVER(CtxSynchronize, 2000)

namespace {
// What is held.
template <typename T>
class Held {
 public:
  Held() { must(); }

 private:
  T held_;
};

void must() {
#if CUDA_VERSION >= 13000
  check();
#endif
}

int unused(int number) { return number; }

Status all(Loop &loop) {
  const Held<int> held;

  return driver::unused(loop);
}
}  // namespace

CASE("a.one") { return all(loop); }

CASE("a.other") {
  return Status();
}
"""


def test_a_native_case_is_told_with_what_it_uses() -> None:
    """Functions and classes of its file, in its order, with the comment above; a function of another namespace is not meant."""
    text = snippets.native(FILE, "a.one")
    assert text.startswith("// What is held.\ntemplate <typename T>\nclass Held {\n")
    assert text.endswith('  return driver::unused(loop);\n}\n\nCASE("a.one") { return all(loop); }')
    assert "unused(int" not in text
    assert "DRIVER" not in text


def test_a_native_case_that_uses_nothing_is_told_alone() -> None:
    """Its own lines."""
    assert snippets.native(FILE, "a.other") == 'CASE("a.other") {\n  return Status();\n}'


def test_what_is_not_there_has_no_text() -> None:
    """No guess: an id that merely begins alike is another."""
    assert snippets.native(FILE, "a.on") == ""


@pytest.mark.parametrize("native", [True, False])
def test_every_variant_of_the_case_set_is_told(native: bool) -> None:
    """Each has the loop that is measured; Python parses, braces of C++ close, and nothing is as long as a file."""
    told = {
        (case.id, variant.name): variant.source
        for case in CASES
        for variant in case.variants
        if variant.name.startswith("native") == native
    }
    assert len(told) > 80
    for (case, variant), text in told.items():
        assert "loop" in text, (case, variant)
        assert text.count("\n") < 120, (case, variant)
        if native:
            assert text.count(f'CASE("{case}") {{') == 1
            assert text.count("{") == text.count("}"), case
        else:
            ast.parse(text)


def test_python_is_told_with_what_it_uses() -> None:
    """Functions, classes and constants of its file, and the values of a case that a function declares."""
    told = {(case.id, variant.name): variant.source for case in CASES for variant in case.variants}
    assert told["memory.alloc_free", "bindings"].startswith("SIZE = 1024\n\n@contextmanager\ndef live_block(")
    assert told["launch.16_ints", "core"].startswith("count = 16\nkind = 'ints'\n\n@arguments_of(")
    assert "class Counter(Thread):" in told["nvrtc.gil", "core"]
    assert told["launch.empty", "core"].startswith('@empty("core"')


def test_a_function_that_a_body_was_given_is_told_by_name() -> None:
    """With its text, what that uses, and the name by which the body calls it, right above the body."""
    told = {(case.id, variant.name): variant.source for case in CASES for variant in case.variants}
    text = told["memory.alloc_free.threshold", "core"]
    assert text.startswith("SIZE = 1024\nEVERYTHING = 18446744073709551615\n\n@contextmanager\ndef release_threshold(")
    assert "\n\ndef keeps_everything(cu: Subject)" in text
    assert "\n\npool = keeps_everything\n\n@made(" in text
    assert "\n\npool = live_block\n\n@made(" in told["memory.alloc_free", "core"]


def test_a_body_of_two_cases_is_told_with_both() -> None:
    """Each names what it is in either."""
    told = {(case.id, variant.name): variant.source for case in CASES for variant in case.variants}
    assert told["launch.empty", "core"] == told["launch.empty_ex", "core"]
    assert '\n@empty_ex("core")\ndef _(' in told["launch.empty_ex", "core"]
