"""Choosing games by bots, result, verdict and opening."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.scripted import games_between, lost

from arena.errors import InputError
from arena.referee import Verdict
from arena.report.games_table import Choice, Result, chosen
from arena.report.shown import ShownGame


def shown(number: int, first: str, second: str, loser: str, verdict: Verdict) -> ShownGame:
    (game,) = games_between((first, second))
    record = lost(game, loser or first, verdict)
    if not loser:
        record = replace(record, winner=None)
    return ShownGame(
        number=number,
        opening=1 + number // 4,
        names=(first, second),
        rules=game.key.rules,
        record=record,
    )


GAMES = [
    shown(1, "ann", "bob", "bob", Verdict.LINE),
    shown(2, "bob", "ann", "bob", Verdict.TIMEOUT),
    shown(3, "ann", "cy", "ann", Verdict.LINE),
    shown(4, "cy", "ann", "", Verdict.BOARD_FULL),
    shown(5, "bob", "cy", "cy", Verdict.LINE),
    shown(6, "cy", "bob", "", Verdict.LOAD_ERROR),
]


@pytest.mark.parametrize(
    ("choice", "numbers"),
    [
        (Choice(), [1, 2, 3, 4, 5, 6]),
        (Choice(bots=("ann",)), [1, 2, 3, 4]),
        (Choice(bots=("ann", "bob")), [1, 2]),
        (Choice(bots=("ann", "bob", "cy")), [1, 2, 3, 4, 5, 6]),
        (Choice(bots=("ann",), result=Result.WON), [1, 2]),
        (Choice(bots=("ann",), result=Result.LOST), [3]),
        (Choice(bots=("ann",), result=Result.DRAWN), [4]),
        (Choice(bots=("cy",), result=Result.DRAWN), [4]),  # game 6 is no game
        (Choice(bots=("bob", "ann"), result=Result.LOST), [1, 2]),
        (Choice(bots=("ann", "bob"), result=Result.LOST), []),
        (Choice(verdict=Verdict.TIMEOUT), [2]),
        (Choice(opening=2), [4, 5, 6]),
        (Choice(opening=1, verdict=Verdict.LINE), [1, 3]),
    ],
)
def test_games_are_chosen(choice: Choice, numbers: list[int]) -> None:
    assert [game.number for game in chosen(GAMES, choice, "c")] == numbers


def test_a_forfeit_counts_for_what_it_counts() -> None:
    made_up = replace(GAMES[0].record, winner=1, verdict=Verdict.TIMEOUT)
    games = [replace(GAMES[0], forfeit=made_up)]
    assert list(chosen(games, Choice(bots=("ann",), result=Result.LOST), "c")) == games
    assert list(chosen(games, Choice(verdict=Verdict.LINE), "c")) == []


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (Choice(bots=("bop",)), "c: no game of 'bop'; did you mean bob?"),
        (Choice(bots=("ann", "\x1bzzz")), "c: no game of 'zzz'; there are ann, bob, cy"),
        (Choice(opening=3), "c: no game from opening 3; they are numbered 1 to 2"),
    ],
)
def test_what_is_not_there_is_named(choice: Choice, said: str) -> None:
    with pytest.raises(InputError) as caught:
        list(chosen(GAMES, choice, "c"))
    assert str(caught.value) == said


def test_without_games_nothing_can_be_chosen() -> None:
    with pytest.raises(InputError, match="c: no game has been played yet"):
        list(chosen([], Choice(), "c"))


def test_a_result_is_some_bots() -> None:
    with pytest.raises(InputError, match="of which bot"):
        Choice(result=Result.WON)
