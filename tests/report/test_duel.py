"""What a match until it is sure says, of games that were made up."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.report.duel import ALIKE, Duel


def game(
    winner: int | None, columns: Sequence[int] = (0,), verdict: Verdict = Verdict.LINE
) -> GameRecord:
    return GameRecord(
        key="",
        columns=columns,
        opening_plies=0,
        charged_ns=(),
        nodes=(),
        winner=winner,
        verdict=verdict,
        reason="",
    )


def after(pairs: Sequence[tuple[int | None, int | None]]) -> Duel:
    """Compare bots after these pairs: winners' seats, the newer bot first and then second."""
    duel = Duel("new", "old")
    for place, (one, other) in enumerate(pairs):
        duel.add([(0, game(one, (place,))), (1, game(other, (place, 1)))])
    return duel


def test_a_line_has_both_games_and_the_sums() -> None:
    duel = Duel("new", "old")
    assert duel.add([(0, game(0)), (1, game(0))]).split("  ")[0] == "won, lost"
    faults = [(0, game(1, verdict=Verdict.TIMEOUT)), (1, game(None, verdict=Verdict.BOARD_FULL))]
    line = duel.add(faults)
    assert line.startswith("lost [TIMEOUT], drew  ")
    assert line.endswith("1 won, 1 drawn, 2 lost")


def test_the_better_one_is_named_with_its_chance_and_results() -> None:
    newer, older = after([(0, 1)] * 8), after([(1, 0)] * 8)
    assert newer.is_decided and older.is_decided
    told = "is better than old with a chance of 96.8 % (16 won, 0 lost, 0 drawn in 16 games)"
    assert newer.answer() == f"new {told}"
    assert older.answer().startswith("old is better than new with a chance of 96.8 % (0 won")


def test_bots_without_a_sure_difference_are_about_equal() -> None:
    duel = after([(0, 0), (1, 1)] * 50)
    assert not duel.is_decided
    assert duel.answer().startswith("new and old are about equal, within ±")
    assert after([(0, 1)]).answer().startswith("too few games to know which is better (2 won")


def test_bots_with_the_same_moves_are_equal_and_no_more_is_played() -> None:
    duel = Duel("new", "old")
    for _ in range(ALIKE):
        assert not duel.is_decided
        duel.add([(0, game(0)), (1, game(0))])
    assert duel.is_decided
    assert duel.answer() == "new and old are equal: they played the same moves in all 60 games"
    duel.add([(0, game(0)), (1, game(0, (0, 1)))])
    assert not duel.is_decided


@pytest.mark.parametrize("pairs", [0, 3])
def test_games_that_were_none_say_nothing(pairs: int) -> None:
    duel = Duel("new", "old")
    none = game(None, verdict=Verdict.LOAD_ERROR)
    for _ in range(pairs):
        line = duel.add([(0, none), (1, none)])
        assert line.startswith("no game [LOAD_ERROR], no game [LOAD_ERROR]  0 won")
    assert duel.answer() == "no opening was played with both sides, so nothing is known"
