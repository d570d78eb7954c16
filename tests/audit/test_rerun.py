"""Reruns: the first difference, its cause, and the questions asked until then."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from arena.audit.rerun import (
    TRIES,
    AnswerGiven,
    Cause,
    Question,
    Rerun,
    Reruns,
    cause_of,
    first_difference,
    played,
    sample,
)
from arena.contest.settled import SettledGame
from arena.game.limits import Limits
from arena.game.record import Bot, GameRecord
from arena.game.verdict import Verdict
from arena.playing.driver import Batch
from arena.settings.contest import ScheduledGame
from support.bots import key
from support.scripted import games_between
from support.scripted import lost as lost_game
from tests.support.on_lanes import OnLanes

ONE, OTHER = (Bot(content_hash=name, root="") for name in ("one", "other"))
LIMITS = Limits(move_seconds=5, first_move_seconds=0)
GAME = ScheduledGame(
    number=12,
    pairing=1,
    opening=1,
    first="ann",
    second="bob",
    key=key(ONE, OTHER, limits=LIMITS, opening=(3, 3)),
)
MS = 1_000_000


def won(*columns: int, ms: int = 1, nodes: int = -1) -> GameRecord:
    """A game that ann wins with these columns after the opening."""
    return GameRecord(
        key=GAME.key.digest,
        columns=(3, 3, *columns),
        opening_plies=2,
        charged_ns=(ms * MS,) * len(columns),
        nodes=(nodes,) * len(columns),
        winner=0,
        verdict=Verdict.LINE,
        reason=f"made a line with column {columns[-1]}",
    )


def lost(loser: int, verdict: Verdict, *columns: int, ms: int = 1) -> GameRecord:
    """A game lost by a fault after these columns."""
    return replace(
        won(*columns, 0, ms=ms),
        columns=(3, 3, *columns),
        winner=1 - loser,
        verdict=verdict,
        reason=f"did {verdict.name}",
    )


def not_loaded(*losers: int) -> GameRecord:
    loser = None if len(losers) == 2 else losers[0]
    fault = lost(losers[0], Verdict.LOAD_ERROR)
    winner = None if loser is None else 1 - loser
    return replace(fault, charged_ns=(), nodes=(), winner=winner)


RECORD = won(0, 1, 0, 1, 0, 1, 0)


OTHER_MOVE = won(0, 1, 0, 2, 0, 1, 0, ms=2)
LATE, RAISED, COUNTED = (
    lost(0, verdict, 0, 1) for verdict in (Verdict.TIMEOUT, Verdict.ERROR, Verdict.NODES)
)
SHORT = replace(RECORD, columns=RECORD.columns[:-1], charged_ns=(MS,) * 6, nodes=(-1,) * 6)


@pytest.mark.parametrize(
    ("before", "again", "ply", "seat"),
    [
        (RECORD, OTHER_MOVE, 6, 1),
        (RECORD, LATE, 5, 0),
        (LATE, RECORD, 5, 0),
        (RAISED, COUNTED, 5, 0),
        (not_loaded(1), RECORD, 0, 1),
        (RECORD, not_loaded(0), 0, 0),
        (not_loaded(0, 1), not_loaded(1), 0, 0),
        (not_loaded(0), replace(not_loaded(0), verdict=Verdict.TIMEOUT), 0, 0),
        (SHORT, RECORD, 9, None),
        (replace(RECORD, winner=1), RECORD, 10, None),
    ],
)
def test_the_first_difference_has_a_ply_and_a_bot_if_one_is_its_cause(
    before: GameRecord, again: GameRecord, ply: int, seat: int | None
) -> None:
    found = first_difference(before, again)
    assert found is not None
    assert (found.ply, found.seat) == (ply, seat)


@pytest.mark.parametrize(
    ("before", "again"),
    [
        (RECORD, won(0, 1, 0, 1, 0, 1, 0, ms=9, nodes=5)),
        (RAISED, replace(RAISED, reason="in other words")),
        (not_loaded(0), not_loaded(0)),
    ],
)
def test_times_nodes_and_wording_make_no_difference(before: GameRecord, again: GameRecord) -> None:
    assert first_difference(before, again) is None


def test_a_difference_has_both_answers_with_their_times() -> None:
    found = first_difference(RECORD, OTHER_MOVE)
    assert found is not None
    assert (found.before.column, found.again.column) == (1, 2)
    assert (found.before.charged_ns, found.again.charged_ns) == (MS, 2 * MS)
    fault = first_difference(RECORD, LATE)
    assert fault is not None
    assert (fault.before.verdict, fault.again.verdict) == (None, Verdict.TIMEOUT)


def answers(*columns: int | None, ms: int = 1) -> list[AnswerGiven]:
    """Answers at ply 5; None is a late one."""
    late = {"verdict": Verdict.TIMEOUT, "charged_ns": 5000 * MS}
    in_time = {"charged_ns": ms * MS}
    return [
        AnswerGiven(ply=5, column=column, **(late if column is None else in_time))  # type: ignore[arg-type]
        for column in columns
    ]


@pytest.mark.parametrize(
    ("before", "now", "cause"),
    [
        (2, (3, 4), Cause.NOT_DETERMINISTIC),
        (2, (3, 2), Cause.NOT_DETERMINISTIC),
        (2, (3, 3, 3, 3), Cause.CHANGED),
        (None, (3, 3, 3, 3), Cause.TIME),
        (2, (None, None, None, None), Cause.TIME),
        (2, (None, 2, 2, None), Cause.TIME),
        (None, (3, 4), Cause.NOT_DETERMINISTIC),
        (2, (None, 3), Cause.NOT_DETERMINISTIC),
    ],
)
def test_the_cause_follows_from_all_answers(
    before: int | None, now: tuple[int | None, ...], cause: Cause
) -> None:
    then, first, *tries = answers(before, *now)
    found = first_difference(RECORD, won(0, 1, 2, 1, 0, 1, 0))
    assert found is not None
    difference = replace(found, before=then, again=first)
    assert cause_of(difference, tries) is cause


@pytest.mark.parametrize(("ms", "is_explained"), [(4900, True), (2500, True), (2400, False)])
def test_time_explains_a_difference_where_the_bot_came_near_its_limit(
    ms: int, is_explained: bool
) -> None:
    before, again = lost(0, Verdict.TIMEOUT, 0, 1, ms=5000), won(0, 1, 0, 1, 0, 1, 0, ms=ms)
    rerun = Rerun(
        game=GAME,
        before=before,
        again=again,
        difference=first_difference(before, again),
        tries=tuple(answers(0, 0, 0, ms=1)),
        cause=Cause.TIME,
    )
    assert rerun.limit_ns == 5000 * MS
    assert rerun.is_explained is is_explained


class Scripted(Executor):
    """Answers questions with the next of some records, and keeps the questions."""

    def __init__(self, *records: GameRecord) -> None:
        self._left = deque(records)
        self.asked: list[Question] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        (batch,) = args
        assert isinstance(batch, Batch)
        (question,) = batch.items
        self.asked.append(question)
        future: Future[Any] = Future()
        future.set_result([self._left.popleft()])
        return future


def rerun_of(before: GameRecord, *records: GameRecord) -> tuple[Rerun, list[Question]]:
    executor = Scripted(*records)
    (rerun,) = Reruns([(GAME, before)], OnLanes(executor, 1))
    return rerun, executor.asked


class TestWhatIsAsked:
    def test_a_game_that_repeats_is_played_once(self) -> None:
        rerun, asked = rerun_of(RECORD, RECORD)
        assert (rerun.difference, rerun.cause, rerun.is_explained) == (None, None, True)
        assert asked == [Question(key=GAME.key)]

    def test_a_bot_that_differs_is_asked_alone_up_to_there(self) -> None:
        other, third = won(0, 1, 2, 1, 0, 1, 0), won(0, 1, 4)
        rerun, asked = rerun_of(RECORD, other, third)
        assert rerun.bot == "ann"
        assert rerun.cause is Cause.NOT_DETERMINISTIC
        assert [each.column for each in rerun.tries] == [4]
        assert asked[1:] == [Question(key=GAME.key, seat=0, columns=(3, 3, 0, 1))]

    def test_one_that_repeats_itself_is_asked_three_times(self) -> None:
        other = won(0, 1, 2, 1, 0, 1, 0)
        rerun, asked = rerun_of(RECORD, *[other] * (1 + TRIES))
        assert (rerun.cause, rerun.is_explained) == (Cause.CHANGED, False)
        assert len(rerun.tries) == TRIES == len(asked) - 1

    def test_one_that_differs_earlier_still_is_not_deterministic(self) -> None:
        rerun, _ = rerun_of(RECORD, won(0, 1, 2, 1, 0, 1, 0), won(6, 1, 2))
        assert rerun.cause is Cause.NOT_DETERMINISTIC
        assert [(each.ply, each.column) for each in rerun.tries] == [(3, 6)]

    def test_nobody_is_asked_about_a_record_that_does_not_follow_the_rules(self) -> None:
        edited = replace(RECORD, columns=(3, 3, 0, 1, 0, 1, 5, 1, 0))
        rerun, asked = rerun_of(edited, RECORD)
        assert (rerun.cause, rerun.is_explained) == (Cause.RECORD, False)
        assert len(asked) == 1

    def test_a_bot_that_is_loaded_only_once_is_loaded_again(self) -> None:
        rerun, asked = rerun_of(not_loaded(1), RECORD, lost(0, Verdict.PROTOCOL), *[RECORD] * 2)
        assert rerun.bot == "bob"
        assert rerun.cause is Cause.CHANGED
        assert {question.columns for question in asked[1:]} == {(3, 3)}


NAMES = [f"bot{number}" for number in range(20)]
GAMES = [(game, lost_game(game, None)) for game in games_between(*combinations(NAMES, 2))]


def names_in(size: int, seed: int) -> set[str]:
    drawn = sample(GAMES, size, seed)
    assert len({game.key.digest for game, _ in drawn}) == len(drawn) == size
    return {name for game, _ in drawn for name in game.names}


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
        SettledGame(one, lost_game(one, "a"), True),
        SettledGame(other, lost_game(other, "a"), False),
    ]
    assert [game for game, _ in played(forfeited)] == [other]
    both = [SettledGame(game, lost_game(game, "a"), False) for game in (one, twin)]
    assert [game for game, _ in played(both)] == [one]
