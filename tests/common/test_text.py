"""Numbers and lists as people read them."""

from __future__ import annotations

from arena.common.text import counted, evenly, listed, some_of


def test_words_are_listed_as_in_a_sentence() -> None:
    assert [listed(words) for words in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]


def test_of_many_words_only_the_first_are_named() -> None:
    said = [some_of(words, 2) for words in ("", "a", "ab", "abc")]
    assert said == ["", "a", "a, b", "a, b and 1 more"]
    assert some_of("abcd", 3, "; ") == "a; b; c and 1 more"
    assert some_of("a" * 1_001, 1) == "a and 1,000 more"


def test_counts_have_the_plural_of_their_noun() -> None:
    assert [counted(n, "move") for n in (0, 1, 1000)] == ["0 moves", "1 move", "1,000 moves"]
    assert [counted(2, each) for each in ("ply", "retry", "day", "class")] == [
        "2 plies",
        "2 retries",
        "2 days",
        "2 classes",
    ]


def test_numbers_of_a_column_have_the_same_decimals() -> None:
    assert evenly([5, 5.8, 10]) == ["5.0", "5.8", "10.0"]
    assert evenly([7.25, 3]) == ["7.25", "3.00"]
    assert evenly([1234567.5, 1 / 3]) == ["1234567.500", "0.333"]
    assert evenly([5.0, 10]) == ["5", "10"]
    assert evenly([]) == []
