"""A sample of games in which every bot occurs, as far as there is room."""

from __future__ import annotations

from itertools import combinations

import pytest
from support.scripted import games_between, lost

from arena.contest import SettledGame
from arena.contest.rerun import played, sample

NAMES = [f"bot{number}" for number in range(20)]
GAMES = [(game, lost(game, None)) for game in games_between(*combinations(NAMES, 2))]


def names_in(size: int, seed: int) -> set[str]:
    drawn = sample(GAMES, size, seed)
    assert len({game.key.digest for game, _ in drawn}) == len(drawn) == size
    return {name for game, _ in drawn for name in (game.first, game.second)}


@pytest.mark.parametrize("seed", range(20))
def test_each_bot_occurs_where_there_is_room(seed: int) -> None:
    assert len(names_in(5, seed)) == 10
    assert names_in(20, seed) == {*NAMES}


def test_a_seed_draws_the_same_again_and_another_seed_another_sample() -> None:
    assert sample(GAMES, 30, 1) == sample(GAMES, 30, 1) != sample(GAMES, 30, 2)


def test_it_is_in_the_order_of_the_numbers_and_holds_no_more_than_there_is() -> None:
    assert sample(GAMES[::-1], None, 1) == GAMES == sample(GAMES, 10_000, 1)


def test_forfeits_are_not_played_again_and_no_key_is_twice() -> None:
    one, twin, other = games_between(("a", "b"), ("a", "twin"), ("a", "c"), files={"twin": "b"})
    assert one.key.digest == twin.key.digest
    forfeited = [
        SettledGame(one, lost(one, "a"), True),
        SettledGame(other, lost(other, "a"), False),
    ]
    assert [game for game, _ in played(forfeited)] == [other]
    both = [SettledGame(game, lost(game, "a"), False) for game in (one, twin)]
    assert [game for game, _ in played(both)] == [one]
