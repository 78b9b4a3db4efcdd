"""Which cells are set against each other."""

from __future__ import annotations

import pytest

from ctkmatrix.errors import UsageError
from ctkmatrix.model import Cell
from ctkmatrix.pairing import Pairing, by_axes, by_id, chosen, see_apart

OLD = tuple(Cell("13.4", python, "13.4.4", "1.2.2") for python in ("3.11", "3.12"))
NEW = tuple(Cell("13.5", python, "13.5.0", "1.2.2") for python in ("3.11", "3.12"))


def test_two_runs_are_paired_by_id() -> None:
    """Cells that one run alone has are told."""
    assert by_id(OLD, (*OLD[1:], *NEW)) == Pairing(((OLD[1], OLD[1]),), (), OLD[:1], NEW)


def test_two_runs_without_a_common_cell_are_told_what_they_have() -> None:
    """With what to write instead."""
    with pytest.raises(UsageError, match=rf"no cell in common: {OLD[0].id}, {OLD[1].id}; and {NEW[0].id}.* RUN:GLOB"):
        by_id(OLD, NEW)


@pytest.mark.parametrize(("many", "rest"), [(4, ""), (5, " and 1 other"), (7, " and 3 others")])
def test_a_message_names_four_cells_and_counts_the_rest(many: int, rest: str) -> None:
    """A matrix may have hundreds."""
    cells = tuple(Cell("13.4", f"3.{minor}", "13.4.4", "1.2.2") for minor in range(many))
    with pytest.raises(UsageError, match=rf"in common: {', '.join(cell.id for cell in cells[:4])}{rest}; and {NEW[0].id}, "):
        by_id(cells, NEW)


def test_groups_are_paired_by_what_they_have_in_common() -> None:
    """Toolkit and bindings set the groups apart, and the Python goes with the same Python."""
    assert by_axes(OLD, NEW) == Pairing(tuple(zip(OLD, NEW, strict=True)), ("toolkit", "bindings"))
    assert by_axes(OLD, NEW[:1]) == Pairing(((OLD[0], NEW[0]),), ("toolkit", "bindings"), OLD[1:])


def test_labels_set_a_candidate_apart_from_its_reference() -> None:
    """As `validate` measures them: also where a rebuild has the same version."""
    then, now = (Cell("13.5", "3.12", "13.5.0", "1.2.2", label) for label in ("reference", "candidate"))
    assert by_axes((then,), (now,)) == Pairing(((then, now),), ("label",))


def test_a_cell_with_two_partners_is_ambiguous() -> None:
    """The message names the cells and the axes."""
    older = Cell("13.4", "3.11", "13.4.1", "1.2.2")
    with pytest.raises(UsageError, match=rf"ambiguous.*{OLD[0].id}, {older.id}; and {NEW[0].id}.*toolkit and bindings"):
        by_axes((OLD[0], older), NEW[:1])
    with pytest.raises(UsageError, match=rf"ambiguous.*{NEW[0].id}; and {OLD[0].id}, {older.id}\."):
        by_axes(NEW[:1], (OLD[0], older))


def test_groups_without_a_pair_are_told() -> None:
    """Two Pythons each, crossed over two cores: no two are equal but for one axis."""
    one = (Cell("13.5", "3.11", "13.5.0", "1.2.2"), Cell("13.5", "3.12", "13.5.0", None))
    other = (Cell("13.5", "3.12", "13.5.0", "1.2.2"), Cell("13.5", "3.11", "13.5.0", None))
    with pytest.raises(UsageError, match="none are equal but for nothing, on which the groups differ"):
        by_axes(one, other)


def test_a_cell_is_not_compared_with_itself() -> None:
    """Within one run the groups have no cell in common."""
    see_apart(OLD, NEW)
    with pytest.raises(UsageError, match=f"{OLD[1].id} would be compared with itself"):
        see_apart(OLD, (*OLD[1:], *NEW))


def test_a_glob_that_matches_nothing_is_told_what_there_is() -> None:
    """With the run that was meant."""
    assert chosen((*OLD, *NEW), "cu13.5-*", "run x") == NEW
    with pytest.raises(UsageError, match=rf"'cu12\*' matches no cell of run x; it has {OLD[0].id}"):
        chosen(OLD, "cu12*", "run x")
