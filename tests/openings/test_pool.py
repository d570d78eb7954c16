"""The openings that each pairing draws from a contest's pool."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from arena.openings.drawing import BLOCK, BOOKS, DRAWN_BLOCK, EVERY
from arena.openings.pool import ALL, MOST_POOL, block_of, drawn, pool_size, shared_places
from arena.rules import RULESETS, Ruleset

PAIRS = list(combinations([f"bot {number}" for number in range(40)], 2))
POOL = pool_size(10, 2, BLOCK)


def test_a_pool_has_an_opening_for_each_shared_place_and_a_block_for_each_other() -> None:
    assert (pool_size(5, 2, 15), POOL, pool_size(10, 0, 15)) == (61, 122, 150)
    assert pool_size(10, 2, DRAWN_BLOCK) == 50
    assert pool_size(1, 2, 15) == 1, "a single opening is everybody's"
    assert [pool_size(count, ALL, 15) for count in (1, 10, 900)] == [1, 10, 900]
    assert pool_size(100, 2, 15) == MOST_POOL and pool_size(900, 2, 15) == 900
    assert shared_places(20, 2) == [0, EVERY] and shared_places(20, 9) == [0, 7, 14]


def test_no_pairing_draws_an_opening_twice_and_shared_ones_are_everybodys() -> None:
    chosen = drawn(7, PAIRS, 10, 2, BLOCK, POOL)
    assert chosen.shape == (len(PAIRS), 10)
    assert (np.diff(chosen) > 0).all() and chosen.min() == 0 and chosen.max() < POOL
    same = [place for place in range(10) if len(set(chosen[:, place].tolist())) == 1]
    assert same == [0, EVERY]


def test_a_draw_depends_on_the_seed_and_the_two_names_alone() -> None:
    chosen = drawn(7, PAIRS, 10, 2, BLOCK, POOL)
    turned = [(other, one) for one, other in PAIRS[100:20:-1]]
    assert (drawn(7, turned, 10, 2, BLOCK, POOL) == chosen[100:20:-1]).all()
    assert (drawn(8, PAIRS, 10, 2, BLOCK, POOL) != chosen).any()
    for fewer in (1, 5, 9):
        pool = pool_size(fewer, 2, BLOCK)
        if fewer > 1:
            assert (drawn(7, PAIRS, fewer, 2, BLOCK, pool) == chosen[:, :fewer]).all()


def test_the_openings_of_a_block_are_drawn_equally_often() -> None:
    pairs = list(combinations([f"bot {number}" for number in range(200)], 2))
    counts = np.bincount(drawn(1, pairs, 10, 2, BLOCK, POOL).ravel(), minlength=POOL)
    common = [0, 1 + 6 * BLOCK]
    assert (counts[common] == len(pairs)).all()
    own = np.delete(counts, common)
    expected = len(pairs) / BLOCK
    assert (np.abs(own - expected) < 5 * np.sqrt(expected)).all()


@pytest.mark.parametrize(("openings", "held"), [(10, 42), (10, 25), (60, MOST_POOL)])
def test_from_a_pool_that_is_too_small_no_opening_is_drawn_twice_either(
    openings: int, held: int
) -> None:
    block = BLOCK if openings > 10 else DRAWN_BLOCK
    chosen = drawn(7, PAIRS, openings, 2, block, held)
    assert all(len(set(row)) == openings for row in chosen.tolist())
    assert chosen.min() >= 0 and chosen.max() < held
    last = np.bincount(chosen[:, -1], minlength=held)
    assert last.max() < len(PAIRS) / 3, "pairings fill the missing places differently"
    fewer = drawn(7, PAIRS, openings - 1, 2, block, held)
    assert (fewer == chosen[:, :-1]).all()


def test_a_pool_of_no_more_openings_than_a_pairing_plays_is_played_whole() -> None:
    for held in (3, 10):
        assert (drawn(7, PAIRS, 10, 2, BLOCK, held) == np.arange(held)).all()
    assert (drawn(7, PAIRS, 10, ALL, BLOCK, 20) == np.arange(10)).all()


def test_boards_with_a_book_have_larger_blocks() -> None:
    assert all(block_of(rules, 8, 14) == BLOCK for rules in RULESETS.values())
    assert len(list(BOOKS.glob("*.csv"))) == len(RULESETS)
    assert block_of(Ruleset(7, 7), 8, 14) == DRAWN_BLOCK
    assert block_of(RULESETS["classic"], 1, 2) == DRAWN_BLOCK, "the book has none of this length"
