"""Numbers and lists as people read them."""

from __future__ import annotations

from arena.common.text import listed, some_of


def test_words_are_listed_as_in_a_sentence() -> None:
    assert [listed(words) for words in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]


def test_of_many_words_only_the_first_are_named() -> None:
    said = [some_of(words, 2) for words in ("", "a", "ab", "abc")]
    assert said == ["", "a", "a, b", "a, b and 1 more"]
    assert some_of("abcd", 3, "; ") == "a; b; c and 1 more"
    assert some_of("a" * 1_001, 1) == "a and 1,000 more"
