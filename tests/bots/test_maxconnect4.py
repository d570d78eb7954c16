"""The demo bot of seed 004: its search is right, for either goal."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from arena.common.names import house_folder
from arena.game.play import play
from arena.interfaces import find_entry
from arena.rules import Goal, Position, Ruleset
from support.bots import LAST_FREE, MakeBot, MakePlayer, MakeProgram, key

SOURCE = (house_folder() / "maxconnect4.py").read_text()


@pytest.fixture(scope="module")
def bot(load_bot: Callable[[str], ModuleType]) -> Any:
    return load_bot("maxconnect4")


def board_after(bot: Any, columns: list[int]) -> Any:
    board = bot.Board()
    for column in columns:
        board.drop(column)
    return board


def random_columns(rng: random.Random, count: int) -> list[int]:
    columns = [column for column in range(7) for _ in range(6)]
    rng.shuffle(columns)
    return columns[:count]


def everything(bot: Any, board: Any, depth: int) -> int:
    """Return the search's value from the complete tree."""
    values = []
    for column in board.free() if depth else []:
        gain = board.gain(column)
        if depth > 1 and gain > bot.WORTH[4] // 2:
            gain += bot.SOON * depth
        board.drop(column)
        values.append(gain - everything(bot, board, depth - 1))
        board.lift(column)
    return max(values, default=0)


def test_what_it_leaves_out_changes_no_value(bot: Any) -> None:
    rng = random.Random(4)
    for discs in range(0, 42, 3):
        board = board_after(bot, random_columns(rng, discs))
        known: dict[int, Any] = {}
        for depth in range(1, 5):
            found, _ = bot.search(board, depth, -bot.INFINITY, bot.INFINITY, known)
            assert found == everything(bot, board, depth)


def test_gains_add_up_to_what_the_lines_of_the_board_are_worth(bot: Any) -> None:
    columns = random_columns(random.Random(5), 42)
    board, position, total = bot.Board(), Position(Ruleset(goal=Goal.MOST)), 0
    for ply, column in enumerate(columns):
        total += (-1) ** ply * board.gain(column)
        board.drop(column)
        position.play(column)
        assert total == position.evaluate(bot.WORTH)


@pytest.mark.parametrize("mine", [1, 2])
@pytest.mark.parametrize("depth", [2, 4, 5])
@pytest.mark.parametrize(
    ("rows", "best"),
    [
        (["0000000", "0000000", "1110000"], {3}),
        (["0000000", "0000000", "2220000"], {3}),
        (["0200000", "0200000", "0201010"], {1}),
        (["0100020", "0100020", "0100020"], {1}),
        (["0000000", "0002000", "0111022"], {0, 4}),
    ],
    ids=["makes", "denies", "denies upwards", "makes and not denies", "makes one of two at once"],
)
def test_it_makes_a_four_and_denies_one(
    bot: Any, rows: list[str], best: set[int], depth: int, mine: int
) -> None:
    board = bot.Board()
    for row in reversed(rows):
        for column, digit in enumerate(row):
            if digit != "0":
                board.player = int(digit) if mine == 1 else 3 - int(digit)
                board.drop(column)
    board.player = mine
    assert bot.choose(board, depth) in best


@pytest.mark.slow
def test_it_plays_contests_of_both_goals(
    make_program: MakeProgram, make_player: MakePlayer, make_bot: MakeBot
) -> None:
    entry = find_entry(ast.parse(SOURCE))
    assert entry is not None and entry.interface == "one-move"
    opponent = make_player(LAST_FREE)
    for goal in Goal:
        player = make_program("one-move", SOURCE)
        seats = (player, opponent) if goal is Goal.FIRST else (opponent, player)
        record = play(key(make_bot(), make_bot(), rules=Ruleset(goal=goal)), *seats)
        assert not record.verdict.is_fault, record.reason
        assert record.winner == seats.index(player)
