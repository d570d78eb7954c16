"""The order in which games are played: long ones first, in batches that share out well."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from support.scripted import games_between

from arena.contest import Contest
from arena.contest.estimate import game_seconds
from arena.contest.game_index import GameIndex
from arena.contest.queue import MAX_BATCH, TILE, TILE_SECONDS, Queue, longest_first, of_bots
from arena.referee.pace import Pace

NAMES = [f"bot{number}" for number in range(6)]
INDEX = GameIndex.of(games_between(*combinations(NAMES, 2)))


def batches(index: GameIndex, seconds: dict[str, float]) -> list[list[int]]:
    """The numbers of the games in each batch, for two lanes."""
    queue = Queue(index, seconds)
    queue.put(np.arange(len(index.firsts), dtype=np.int32), 2)
    number = {game.key.digest: game.number for game in index.games}
    return [[number[key.digest] for key in batch.items] for batch in queue]


def numbers(seconds: dict[str, float]) -> list[int]:
    """The numbers of the games in the order in which they are played."""
    return [number for batch in batches(INDEX, seconds) for number in batch]


def test_games_that_take_twice_as_long_come_first_and_quick_ones_are_all_alike() -> None:
    seconds = np.array([0.001, 0.4, 7.0, 0.1, 20.0, 7.5, 0.0])
    then = np.array([1, 1, 1, 0, 1, 0, 1], np.int32)
    assert longest_first(seconds, then).tolist() == [4, 5, 2, 3, 0, 1, 6]


def test_a_bot_that_is_not_known_counts_as_the_median() -> None:
    assert of_bots(["a", "b", "c", "d"], {"a": 1.0, "b": 4.0, "c": 2.0}).tolist() == [1, 4, 2, 2]


def test_every_game_is_played_once_whatever_is_known() -> None:
    everything = sorted(game.number for game in INDEX.games)
    for seconds in ({}, {"bot3": 9.0}, dict.fromkeys(NAMES, 0.001), {"bot5": 30.0, "bot0": 0.01}):
        assert sorted(numbers(seconds)) == everything


def test_the_slow_bots_games_come_first_in_the_order_of_the_schedule() -> None:
    seconds = dict.fromkeys(NAMES, 0.01) | {"bot4": 8.0}
    order = numbers(seconds)
    slow = [game.number for game in INDEX.games if "bot4" in (game.first, game.second)]
    quick = [game.number for game in INDEX.games if "bot4" not in (game.first, game.second)]
    assert order[: len(slow)] == slow
    assert sorted(order[len(slow) :]) == quick
    assert numbers({}) == [game.number for game in INDEX.games]


def test_a_batch_of_quick_bots_has_games_of_a_few_against_a_few() -> None:
    many = [f"bot{number:02}" for number in range(20)]
    index = GameIndex.of(games_between(*combinations(many, 2)))
    seconds = dict.fromkeys(many, 0.001) | {"bot03": 2.0}
    played = batches(index, seconds)
    assert sorted(number for batch in played for number in batch) == list(
        range(1, len(index.games) + 1)
    )
    players = [
        {name for number in batch for name in (index.games[number - 1].first,)} for batch in played
    ]
    slow = [names for names in players if "bot03" in names]
    assert all(len(names) <= 2 for names in slow)
    quick = [names for names in players if "bot03" not in names]
    assert max(map(len, quick)) <= 2 * TILE
    starts = sum(map(len, quick))
    assert starts < len(index.games) / 4  # each pairing by itself would start one for each game


@pytest.mark.parametrize(("seconds", "most"), [(0.02, 0.35), (0.3, 0.75)])
def test_a_batch_of_any_size_starts_few_bots(seconds: float, most: float) -> None:
    names = [f"bot{number:02}" for number in range(2 * TILE)]
    index = GameIndex.of(games_between(*combinations(names, 2)))
    bots_of = {game.number: {game.first, game.second} for game in index.games}
    played = batches(index, dict.fromkeys(names, seconds / 2))
    assert max(map(len, played)) <= TILE_SECONDS / seconds + 1
    starts = sum(len(set[str]().union(*map(bots_of.__getitem__, batch))) for batch in played)
    assert starts < most * len(index.games)


def test_batches_of_slow_bots_get_smaller_and_those_of_quick_ones_do_not() -> None:
    games = games_between(*[("slow", "other")] * 2 * MAX_BATCH)
    index = GameIndex.of([replace(game, pairing=1) for game in games])
    for seconds, least in ((10.0, 1), (0.0005, MAX_BATCH)):
        sizes = [len(batch) for batch in batches(index, {"slow": seconds, "other": 0.0})]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[-1] == least


@pytest.mark.parametrize(
    ("pace", "seconds"),
    [
        (Pace(load=0.0, first=1.0, later=(2.0, 4.0)), 22.0),
        (Pace(load=0.0, first=1.0, fails=True), 1.0),
        (Pace(load=0.0, first=5.0, limit=30.0), 30.0),
    ],
)
def test_a_pace_tells_how_long_a_game_takes(pace: Pace, seconds: float) -> None:
    found = game_seconds(Contest(bots={}), {"a": pace})["a"]
    assert found == pytest.approx(seconds, rel=0.4)
