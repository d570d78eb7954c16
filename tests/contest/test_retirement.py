"""Retirement depends only on records, whatever order a run plays them in."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contest.retirement import KINDS, settle
from arena.contest.run import Run
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.journal.database import Journal
from arena.settings.contest import ScheduledGame
from support.scripted import Scripted, by_key, games_between, lost, random_contest, sample_order
from tests.support.on_lanes import OnLanes

TIMEOUT, UNLOADED, LINE = Verdict.TIMEOUT, Verdict.LOAD_ERROR, Verdict.LINE


def in_order(*pairs: tuple[str, str], files: dict[str, str] | None = None) -> list[ScheduledGame]:
    """Games in sample order, numbered so."""
    games = sample_order(games_between(*pairs, files=files))
    return [replace(game, number=number) for number, game in enumerate(games, 1)]


def test_after_so_many_faults_of_one_kind_the_remaining_games_are_forfeits() -> None:
    games = in_order(*[("x", "a"), ("b", "x")] * 5, ("a", "b"))
    mine = [game for game in games if "x" in game.names]
    records = by_key(*(lost(game, "x") for game in mine[:2]))
    settled = settle(games, records, 2)
    by_game = {game.game.number: game for game in settled.games}
    assert [by_game[game.number].record for game in mine[:2]] == list(records.values())
    for game in mine[2:]:
        made_up = by_game[game.number]
        assert made_up.game is game and made_up.is_forfeit
        assert (made_up.record.loser, made_up.record.verdict) == (int(game.second == "x"), TIMEOUT)
        assert made_up.record.reason == (
            "was retired after losing 2 of 2 games by TIMEOUT and forfeits this game"
        )
    assert [{*game.names} for game in settled.open] == [{"a", "b"}]
    assert settled.forfeits == {"x": 8}


@pytest.mark.parametrize("kind", [kind for kind in Verdict if kind not in KINDS])
def test_a_fault_that_takes_no_time_retires_nobody(kind: Verdict) -> None:
    games = in_order(*[("x", "a")] * 60)
    records = by_key(*(lost(game, "x", kind) for game in games[:59]))
    assert list(settle(games, records, 1).open) == [games[59]]


def test_faults_of_different_kinds_and_games_that_were_lost_on_the_board_do_not_add_up() -> None:
    games = in_order(*[("x", "a")] * 6)
    kinds = [TIMEOUT, UNLOADED, TIMEOUT, UNLOADED, LINE, LINE]
    records = by_key(*(lost(game, "x", kind) for game, kind in zip(games, kinds, strict=True)))
    assert not settle(games, records, 3).retired
    assert set(settle(games, records, 2).retired) == {"x"}


def test_two_retired_bots_play_no_game_and_neither_wins_from_the_other() -> None:
    games = in_order(*[("x", "a"), ("y", "a"), ("x", "y")] * 6)
    records = by_key(*(lost(game, game.first) for game in games if game.second == "a"))
    settled = settle(games, records, 1)
    among = [game.record for game in settled.games if game.game.second == "y"]
    known = [record for record in among if not record.is_game]
    assert known and all(record.winner is None for record in known)
    assert known[0].reason == (
        "neither bot plays: the first was retired after losing 1 of 1 games by TIMEOUT; "
        "the second was retired after losing 1 of 1 games by TIMEOUT"
    )
    assert settled.nobodys["x"] == settled.nobodys["y"] == len(known)


def test_games_that_neither_could_load_retire_nobody() -> None:
    games = in_order(*[("x", "y")] * 3)
    records = by_key(*(lost(game, None, UNLOADED) for game in games))
    assert not settle(games, records, 1).retired


def one_after_the_other(
    games: list[ScheduledGame], results: dict[str, GameRecord], retire_after: int
) -> tuple[list[int | None], list[bool]]:
    """Return winners and forfeits of a contest played in sample order: the oracle."""
    played: dict[str, list[Verdict | None]] = {}
    out: list[str] = []
    forfeits: dict[int, bool] = {}
    for game in sorted(games, key=lambda game: (game.key.digest, game.number)):
        names, record = game.names, results[game.key.digest]
        forfeits[game.number] = any(name in out for name in names)
        if forfeits[game.number]:
            continue
        for seat, name in enumerate(names):
            mine = played.setdefault(name, [])
            mine.append(record.verdict if record.loser == seat else None)
            count = mine.count(record.verdict) if record.verdict is TIMEOUT else 0
            if mine[-1] and retire_after and count >= max(retire_after, len(mine) / 2):
                out.append(name)
    winners = []
    for game in games:
        fit = [seat for seat, name in enumerate(game.names) if name not in out]
        forfeited = fit[0] if fit else None
        is_forfeit = forfeits[game.number]
        winners.append(forfeited if is_forfeit else results[game.key.digest].winner)
    return winners, [forfeits[game.number] for game in games]


@given(
    seed=st.integers(0, 2**32),
    retire_after=st.integers(0, 3),
    rounds=st.integers(1, 3),
    known_share=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_a_run_settles_as_if_games_were_played_one_after_the_other(
    seed: int, retire_after: int, rounds: int, known_share: float
) -> None:
    draw = random.Random(seed)
    games, results = random_contest(draw, rounds)
    known = [digest for digest in results if draw.random() < known_share]
    journal = Journal(Path(":memory:"))
    journal.add(results[digest] for digest in known)
    executor = Scripted(results, draw)
    run = Run(games, journal, OnLanes(executor, 3), retire_after)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.playing.driver.TICK_SECONDS", 0.0)
        for _ in run:
            executor.finish_some()
    records = by_key(*journal.records())
    journal.close()
    assert sorted([*known, *executor.played]) == sorted(records)  # nothing is played twice
    settled = settle(games, records, retire_after)
    assert not settled.open
    winners, forfeits = one_after_the_other(games, results, retire_after)
    assert [game.record.winner for game in settled.games] == winners
    assert [game.is_forfeit for game in settled.games] == forfeits
    again = settle(games, results, retire_after)
    assert (list(again.games), again.retired) == (list(settled.games), settled.retired)


class OneGameAtATime(Scripted):
    """Plays the first game of the oldest batch, and returns the others."""

    def finish_some(self) -> None:
        if self._running:
            future, batch = self._running.pop(0)
            self.played.append(batch.items[0].digest)
            future.set_result([self._results[batch.items[0].digest]])


def with_a_bot_that_hangs() -> tuple[list[ScheduledGame], dict[str, GameRecord]]:
    """Sixty games of each pairing of three bots; x loses all of its games on time."""
    pairs = [("x", "a"), ("x", "b"), ("a", "b")]
    games = [
        replace(game, pairing=pairs.index(game.names))
        for game in games_between(*(pair for pair in pairs for _ in range(60)))
    ]
    return games, by_key(*(lost(g, g.first, TIMEOUT if g.first == "x" else LINE) for g in games))


def played_in_order(
    games: list[ScheduledGame],
    results: dict[str, GameRecord],
    lanes: int,
    seconds: Mapping[str, float] = MappingProxyType({}),
    suspects: Sequence[str] = (),
) -> list[str]:
    """Play with retirement after five faults; return the digests of the games."""
    journal = Journal(Path(":memory:"))
    executor = OneGameAtATime(results, random.Random(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.playing.driver.TICK_SECONDS", 0.0)
        patch.setattr("arena.contest.run.PATIENCE", 0)
        run = Run(games, journal, OnLanes(executor, lanes), 5)
        run.expect(seconds, suspects)
        for _ in run:
            executor.finish_some()
    journal.close()
    return executor.played


def test_the_games_that_retire_a_suspect_are_played_first_and_the_rest_not_at_all() -> None:
    games, results = with_a_bot_that_hangs()
    played = played_in_order(games, results, 1)
    suspicious, sample = games[0].key.digest, [g.key.digest for g in sample_order(games)]
    of_x = [digest for digest in sample if digest in {g.key.digest for g in games[:120]}]
    telling = [digest for digest in of_x if digest != suspicious][:5]
    assert played[:6] == [suspicious, *telling]
    assert len(played) == 6 + 60


def test_who_hung_in_its_trial_is_suspect_from_the_start() -> None:
    games, results = with_a_bot_that_hangs()
    played = played_in_order(games, results, 1, {"x": 10.0, "a": 0.001, "b": 0.001}, ["x"])
    of_x = [g.key.digest for g in sample_order(games) if g.first == "x"]
    assert played[:5] == of_x[:5]
    assert len(played) == 5 + 60


def test_what_is_left_of_a_batch_does_not_come_before_the_games_that_tell() -> None:
    games, results = with_a_bot_that_hangs()
    lanes = 3  # each has begun a batch with games of x when the first is lost
    played = played_in_order(games, results, lanes, dict.fromkeys("xab", 0.02))
    of_x = {game.key.digest for game in games if game.first == "x"}
    assert len(of_x.intersection(played)) <= lanes + 5 + lanes - 1


def test_games_between_two_suspects_come_last() -> None:
    games = games_between(*[("x", "y"), ("x", "a"), ("y", "a")] * 20)
    results = by_key(*(lost(g, g.first, LINE) for g in games))
    seconds = {"x": 10.0, "y": 10.0, "a": 0.001}
    played = played_in_order(games, results, 1, seconds, ["x", "y"])
    among = {game.key.digest for game in games if game.second == "y"}
    assert len(played) == 60 and set(played[-20:]) == among
