"""What is built once and kept by content."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from ctkmatrix.cache import cached

if TYPE_CHECKING:
    from pathlib import Path


def write(text: str, directory: Path) -> None:
    """Be a builder."""
    (directory / "made").write_text(text)


def test_the_same_parts_are_built_once(tmp_path: Path) -> None:
    """The second time, the directory is found and the builder is not called."""
    first = cached(tmp_path, ["a", b"b"], lambda directory: write("first", directory))
    second = cached(tmp_path, ["a", b"b"], lambda directory: write("second", directory))
    assert first == second
    assert (second / "made").read_text() == "first"


def test_a_path_stands_for_its_content(tmp_path: Path) -> None:
    """A changed file is another part; the same content under another name is the same part."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("text")
    other.write_text("text")
    root = tmp_path / "cache"
    before = cached(root, [one], lambda directory: write("", directory))
    assert cached(root, [other], lambda directory: write("", directory)) == before
    one.write_text("changed")
    assert cached(root, [one], lambda directory: write("", directory)) != before


def test_parts_do_not_run_together(tmp_path: Path) -> None:
    """«ab», «c» is not «a», «bc»."""
    assert cached(tmp_path, ["ab", "c"], lambda d: write("", d)) != cached(tmp_path, ["a", "bc"], lambda d: write("", d))


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failed_build_leaves_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    """Whatever a failed or interrupted build has written is gone, and the next one starts anew."""

    def fail(directory: Path) -> None:
        write("half", directory)
        raise error

    with pytest.raises(error):
        cached(tmp_path, ["a"], fail)
    assert list(tmp_path.iterdir()) == []
    assert (cached(tmp_path, ["a"], lambda directory: write("whole", directory)) / "made").read_text() == "whole"


def test_two_builds_at_once_give_one_result(tmp_path: Path) -> None:
    """Of two builders that run at the same time, both get the directory of the one that was first."""
    both = threading.Barrier(2, timeout=10)
    found: list[Path] = []

    def build(directory: Path) -> None:
        both.wait()
        write("made", directory)

    threads = [threading.Thread(target=lambda: found.append(cached(tmp_path, ["a"], build))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert list(tmp_path.iterdir()) == [found[0]] == [found[1]]
