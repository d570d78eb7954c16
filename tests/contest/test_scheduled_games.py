"""The schedule, which makes games on access, and its index."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest

from arena.contest.index import GameIndex, ScheduledGames, index_of
from arena.game.record import Bot, GameKey
from arena.settings.contest import BotEntry, Contest, Format, Schedule
from support.scripted import games_between

NAMES = ("a", "b", "twin", "c", "d")
BOTS = {name: Bot(content_hash="b" if name == "twin" else name, root="") for name in NAMES}
OPENINGS = ((), (3, 3), (0, 1, 2))


def games_of(format: Format = Format.ROUND_ROBIN) -> ScheduledGames:
    bots = {name: BotEntry(house=name in "cd") for name in NAMES}
    return ScheduledGames(Contest(bots=bots, schedule=Schedule(format=format)), BOTS, OPENINGS)


@pytest.mark.parametrize(("format", "pairs"), [(Format.ROUND_ROBIN, 10), (Format.GAUNTLET, 7)])
def test_any_two_play_each_opening_with_both_sides(format: Format, pairs: int) -> None:
    games = games_of(format)
    assert len(games) == len(list(games)) == pairs * 3 * 2
    assert [game.number for game in games] == list(range(1, len(games) + 1))
    assert [game.pairing for game in games] == [n for n in range(1, pairs + 1) for _ in range(6)]
    met = {(game.first, game.second, game.key.opening) for game in games}
    wanted = {
        (*sides, opening)
        for one, other in combinations(NAMES, 2)
        if format is Format.ROUND_ROBIN or {one, other} & {"c", "d"}
        for opening in OPENINGS
        for sides in ((one, other), (other, one))
    }
    assert met == wanted
    for game in games:
        assert (game.key.first, game.key.second) == (BOTS[game.first], BOTS[game.second])
        assert game.key.opening == OPENINGS[game.opening - 1]


def test_a_game_is_the_same_however_it_is_asked_for() -> None:
    games, listed = games_of(), list(games_of())
    assert games[-1] == listed[-1] and games[3:9:2] == listed[3:9:2]
    with pytest.raises(IndexError):
        games[len(listed)]


def own_openings(names: Sequence[str] = NAMES, openings: int = 3) -> ScheduledGames:
    """Games from a pool with blocks of four, of which each pairing plays a few."""
    contest = Contest(
        bots={name: BotEntry() for name in names}, schedule=Schedule(openings=openings, seed=7)
    )
    pool = [(number // 7, number % 7) for number in range(1 + 4 * (openings - 1))]
    return ScheduledGames(contest, BOTS, pool, 4)


def played_by(games: ScheduledGames) -> dict[tuple[str, str], list[int]]:
    return {
        (one, other): [game.opening for game in games if (game.first, game.second) == (one, other)]
        for one in NAMES
        for other in NAMES
    }


def test_pairings_draw_openings_of_their_own_and_others_change_none() -> None:
    games = own_openings()
    assert len(games) == len(list(games)) == 10 * 3 * 2
    assert [game.number for game in games] == list(range(1, 61))
    played = played_by(games)
    for (one, other), numbers in played.items():
        assert numbers == played[other, one], "each opening is played with both sides"
        if one != other:
            assert numbers[0] == 1 and 2 <= numbers[1] <= 5 and 6 <= numbers[2] <= 9
    assert len({tuple(numbers) for numbers in played.values()}) > 5
    for fewer in (("a", "b"), ("d", "twin", "a")):
        for pair, numbers in played_by(own_openings(fewer)).items():
            assert numbers in ([], played[pair])
    more = played_by(own_openings(openings=5))
    assert {pair: numbers[:3] for pair, numbers in more.items()} == played


@pytest.mark.parametrize("of", ["all share", "own"])
def test_the_index_of_a_contest_is_that_of_its_games_one_by_one(of: str) -> None:
    games = own_openings() if of == "own" else games_of()
    quick, plain = games.indexed, GameIndex.of(list(games))
    assert index_of(games) is quick
    assert list(quick.names) == list(plain.names)
    for name in ("sides", "pairings", "keys", "firsts", "sample_order"):
        assert getattr(quick, name).tolist() == getattr(plain, name).tolist(), name


def test_games_are_found_by_their_keys_and_identical_bots_share_them() -> None:
    games = games_of()
    by_key: dict[str, list[int]] = {}
    for game in games:
        by_key.setdefault(game.key.digest, []).append(game.number)
    assert sorted(map(len, by_key.values())) == [1] * 18 + [2] * 21
    for number, digest in enumerate(sorted(by_key)):
        assert games.indexed.key(digest) == number
        assert games.indexed.digest(number) == digest
        assert [game.number for game in games.indexed.with_key(number)] == by_key[digest]
        assert games.indexed.first(number).number == by_key[digest][0]
    key = games[0].key
    strange = GameKey(
        rules=key.rules,
        limits=key.limits,
        opening=(6,),
        first=key.first,
        second=key.second,
        seed=key.seed,
    )
    for digest in (strange.digest, "", "z", "f" * 32, "0" * 32, "f" * 40):
        assert games.indexed.key(digest) is None


def test_the_games_of_bots_come_in_sample_order() -> None:
    games = games_between(("x", "a"), ("a", "b"), ("b", "x"), ("a", "x"), ("x", "twin"), ("b", "a"))
    of_x = sorted(
        (game.key.digest, place) for place, game in enumerate(games) if place in {0, 2, 3, 4}
    )
    index = GameIndex.of(games)
    assert index.sampled_with(["x", "nobody"]).tolist() == [place for _, place in of_x]
    assert index.are_with(["twin", "b"]).tolist() == [False, True, True, False, True, True]


def test_no_game_has_an_index_too() -> None:
    index = GameIndex.of([])
    assert index.key("0" * 32) is None and index.sampled_with(["a"]).tolist() == []
