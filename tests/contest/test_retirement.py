"""Retirement: what is settled from which records, and that runs settle it whatever comes first."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import by_key, games_between, lost, random_contest

from arena.contest import Journal, Run, ScheduledGame, settle
from arena.contest.lanes import Batch
from arena.referee import GameRecord, Verdict

TIMEOUT, ERROR, LINE = Verdict.TIMEOUT, Verdict.ERROR, Verdict.LINE


def test_after_so_many_faults_of_one_kind_the_remaining_games_are_forfeits() -> None:
    games = games_between(("x", "a"), ("x", "b"), ("c", "x"), ("a", "b"))
    records = by_key(*(lost(game, "x") for game in games[:2]))
    settled = settle(games, records, 2)
    assert [game.record for game in settled.games[:2]] == list(records.values())
    made_up = settled.games[2]
    assert made_up.game is games[2] and made_up.is_forfeit
    assert (made_up.record.winner, made_up.record.verdict) == (0, TIMEOUT)
    assert (
        made_up.record.reason == "was retired after 2 games lost by TIMEOUT and forfeits this game"
    )
    assert settled.open == [games[3]]
    sentence = "was retired after 2 games lost by TIMEOUT; 1 game more is a forfeit"
    assert {bot: settled.sentence(bot) for bot in settled.retired} == {"x": sentence}


def test_zero_is_never() -> None:
    games = games_between(*[("x", "a")] * 20)
    records = by_key(*(lost(game, "x") for game in games[:19]))
    settled = settle(games, records, 0)
    assert not settled.retired
    assert settled.open == [games[19]]


def test_faults_of_different_kinds_and_games_that_were_lost_on_the_board_do_not_add_up() -> None:
    games = games_between(*[("x", "a")] * 7)
    kinds = [TIMEOUT, ERROR, TIMEOUT, ERROR, LINE, LINE, LINE]
    records = by_key(*(lost(game, "x", kind) for game, kind in zip(games, kinds, strict=True)))
    assert not settle(games, records, 3).retired
    assert set(settle(games, records, 2).retired) == {"x"}


def test_a_game_that_was_played_too_late_does_not_count() -> None:
    games = games_between(("x", "a"), ("x", "b"), ("x", "c"))
    records = by_key(lost(games[0], "x"), lost(games[1], "b"), lost(games[2], "x"))
    settled = settle(games, records, 1)
    assert [game.is_forfeit for game in settled.games] == [False, True, True]
    assert settled.games[1].record.winner == 1
    assert settled.games[1].record.charged_ns == ()


def test_two_retired_bots_play_no_game() -> None:
    games = games_between(("x", "a"), ("y", "a"), ("x", "y"))
    records = by_key(lost(games[0], "x"), lost(games[1], "y", ERROR))
    record = settle(games, records, 1).games[2].record
    assert record.winner is None and not record.is_game
    assert record.reason == (
        "neither bot plays: the first was retired after 1 game lost by TIMEOUT; "
        "the second was retired after 1 game lost by ERROR"
    )


def test_games_that_neither_could_load_retire_nobody() -> None:
    games = games_between(*[("x", "y")] * 3)
    records = by_key(*(lost(game, None, Verdict.LOAD_ERROR) for game in games))
    assert not settle(games, records, 1).retired


def test_a_bot_that_is_retired_itself_wins_nothing_from_those_retired_sooner() -> None:
    games = games_between(("x", "a"), ("x", "y"), ("y", "a"), ("x", "b"))
    records = by_key(lost(games[0], "x"), lost(games[2], "y", Verdict.LOAD_ERROR))
    settled = settle(games, records, 1)
    assert not settled.games[1].record.is_game
    assert settled.games[3].record.winner == 1
    assert not settled.open
    assert settled.sentence("x") == (
        "was retired after 1 game lost by TIMEOUT; 1 game more is a forfeit, "
        "and 1 game with others that were retired counts for nobody"
    )


def test_a_bot_that_fails_now_and_then_keeps_its_games() -> None:
    games = games_between(*[("x", "a")] * 60)
    seldom = by_key(*(lost(g, "x", ERROR if g.number % 5 == 0 else LINE) for g in games[:59]))
    assert settle(games, seldom, 5).open == [games[59]]
    often = by_key(*(lost(g, "x", ERROR if g.number % 4 == 0 else LINE) for g in games[:59]))
    assert settle(games, often, 5).retired["x"].after == 20


def test_a_retirement_undoes_the_faults_of_the_opponents_in_its_later_games() -> None:
    games = games_between(("x", "a"), ("x", "c"), ("x", "b"), ("b", "a"), ("b", "c"))
    records = by_key(lost(games[0], "x"), lost(games[2], "b"), lost(games[3], "b"))
    before = settle(games, records, 2)
    assert list(before.retired) == ["b"]
    assert before.open == [games[1]]
    after = settle(games, records | by_key(lost(games[1], "x")), 2)
    assert list(after.retired) == ["x"]
    assert after.games[2].record.winner == 1
    assert after.open == [games[4]]


def test_identical_bots_are_retired_each_by_its_own_place_in_the_schedule() -> None:
    games = games_between(("x", "a"), ("x", "b"), ("twin", "a"), ("twin", "b"), files={"twin": "x"})
    assert games[1].key.digest == games[3].key.digest
    records = by_key(lost(games[0], "x"), lost(games[1], "b", LINE))
    settled = settle(games, records, 1)
    assert [game.is_forfeit for game in settled.games] == [False, True, False, True]
    alone = settle(games[1:], by_key(lost(games[1], "b", LINE)), 1)
    assert [game.is_forfeit for game in alone.games] == [False, False]


class Scripted(Executor):
    """Plays batches from known results, a few games at a time, in an order drawn at random."""

    def __init__(self, results: dict[str, GameRecord], draw: random.Random) -> None:
        self._results = results
        self._draw = draw
        self._under_way: list[tuple[Future[Any], Batch]] = []
        self.played: list[str] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._under_way.append((future, args[0]))
        return future

    def finish_some(self) -> None:
        """Let some of the batches come back, with some of their games."""
        self._draw.shuffle(self._under_way)
        for _ in range(self._draw.randint(min(1, len(self._under_way)), len(self._under_way))):
            future, batch = self._under_way.pop()
            keys = batch.keys[: self._draw.randint(1, len(batch.keys))]
            self.played += (each.digest for each in keys)
            future.set_result([self._results[each.digest] for each in keys])


def one_after_the_other(
    games: list[ScheduledGame], results: dict[str, GameRecord], retire_after: int
) -> tuple[list[int | None], list[bool]]:
    """Winners, and which are forfeits, if a contest were played in order: the oracle."""
    played: dict[str, list[Verdict | None]] = {}
    out: list[str] = []
    forfeits = []
    for game in games:
        names, record = (game.first, game.second), results[game.key.digest]
        forfeits.append(any(name in out for name in names))
        if forfeits[-1]:
            continue
        for seat, name in enumerate(names):
            mine = played.setdefault(name, [])
            mine.append(record.verdict if record.loser == seat else None)
            count = mine.count(record.verdict) if record.verdict.is_fault else 0
            if mine[-1] and retire_after and count >= max(retire_after, len(mine) / 4):
                out.append(name)
    winners = []
    for game, is_forfeit in zip(games, forfeits, strict=True):
        fit = [seat for seat, name in enumerate((game.first, game.second)) if name not in out]
        forfeited = fit[0] if fit else None
        winners.append(forfeited if is_forfeit else results[game.key.digest].winner)
    return winners, forfeits


@given(
    seed=st.integers(0, 2**32),
    retire_after=st.integers(0, 3),
    rounds=st.integers(1, 3),
    known_share=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_a_run_settles_the_same_whatever_comes_first(
    seed: int, retire_after: int, rounds: int, known_share: float
) -> None:
    draw = random.Random(seed)
    games, results = random_contest(draw, rounds)
    known = [digest for digest in results if draw.random() < known_share]
    journal = Journal(Path(":memory:"))
    journal.add(results[digest] for digest in known)
    executor = Scripted(results, draw)
    run = Run(games, journal, executor, 3, retire_after)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.contest.run.TICK_SECONDS", 0.0)
        for _ in run:
            executor.finish_some()
    records = by_key(*journal.records())
    journal.close()
    assert sorted([*known, *executor.played]) == sorted(records)  # nothing is played twice
    settled = settle(games, records, retire_after)
    assert settled.open == []
    winners, forfeits = one_after_the_other(games, results, retire_after)
    assert [game.record.winner for game in settled.games] == winners
    assert [game.is_forfeit for game in settled.games] == forfeits
    assert settled == settle(games, results, retire_after)


def test_waiting_games_of_a_retired_bot_are_dropped() -> None:
    games = [replace(game, pairing=1) for game in games_between(*[("x", "a")] * 100)]
    results = by_key(*(lost(game, "x") for game in games))

    class OneGameAtATime(Scripted):
        def finish_some(self) -> None:
            for future, batch in self._under_way:
                self.played.append(batch.keys[0].digest)
                future.set_result([results[batch.keys[0].digest]])
            self._under_way.clear()

    journal = Journal(Path(":memory:"))
    executor = OneGameAtATime(results, random.Random(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.contest.run.TICK_SECONDS", 0.0)
        patch.setattr("arena.contest.run.PATIENCE", 0)
        for _ in Run(games, journal, executor, 1, 5):
            executor.finish_some()
    journal.close()
    assert executor.played == [game.key.digest for game in games[:5]]
