"""Suggestions for wrong words."""

from ctkmatrix.suggest import perhaps


def test_the_nearest_word_is_suggested() -> None:
    """A typing slip names the word that was meant."""
    assert perhaps("pyhtons", ["pythons", "cores"]) == "; perhaps you meant «pythons»"


def test_nothing_is_suggested_for_a_word_near_to_none() -> None:
    """A far-off guess would mislead."""
    assert perhaps("zebra", ["pythons", "cores"]) == ""
