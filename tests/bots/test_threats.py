"""The player by rules: its wishes in their order, and that it speaks the protocol of lines."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from arena.intake.house_players import house_folder
from arena.intake.submission import read_submission
from arena.rules import Goal, Position, Ruleset

Pick = Callable[[Position], int]
FILE = house_folder() / "threats.py"


@pytest.fixture
def pick(load_bot: Callable[[str], ModuleType]) -> Pick:
    """Its column for the player to move."""
    bot = load_bot("threats")

    def answer(position: Position) -> int:
        rules = position.rules
        column = bot.Game(rules.rows, rules.columns, rules.connect).choose(position.moves)
        assert position.can_play(column)
        return int(column)

    return answer


def random_positions(goal: Goal, count: int) -> list[Position]:
    """Games broken off somewhere, on boards of all shapes and with lines of three to five."""
    chance = random.Random(2)
    found: list[Position] = []
    while len(found) < count:
        sides = chance.randint(4, 8), chance.randint(4, 8)
        position = Position(Ruleset(*sides, chance.randint(3, 5), goal))
        for _ in range(chance.randrange(4, 30)):
            if not position.is_over:
                position.play(chance.choice(position.legal()))
        if not position.is_over:
            found.append(position)
    return found


def test_it_is_recognised_as_a_program_that_reads_lines() -> None:
    found = read_submission(FILE)
    assert (found.problem, found.entry_point.interface) == (None, "lines")


def test_it_speaks_the_protocol() -> None:
    said = "game 4 5 3 first 2\nmove 0\nhow do you do\nmove 0 4 1\nmove\n"
    done = subprocess.run(
        [sys.executable, FILE], input=said, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr, done.returncode) == ("2\n2\n2\n", "", 0)


@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize(
    "rules",
    [Ruleset(1, 1), Ruleset(1, 7), Ruleset(7, 1), Ruleset(3, 9, 3), Ruleset(2, 2, 2),
     Ruleset(6, 7, 9), Ruleset(20, 20, 5)],
    ids=str,
)  # fmt: skip
def test_it_plays_legal_moves_on_any_board(pick: Pick, rules: Ruleset, goal: Goal) -> None:
    position = Position(Ruleset(rules.rows, rules.columns, rules.connect, goal))
    while not position.is_over and position.ply < 24:
        position.play(pick(position))


def test_it_wins_or_blocks_at_once(pick: Pick) -> None:
    won = blocked = 0
    for position in random_positions(Goal.FIRST, 200):
        me = position.to_move
        wins, losses = (
            [c for c in position.legal() if position.wins_at(c, who)] for who in (me, 1 - me)
        )
        assert not (wins or losses) or pick(position) in (wins or losses)
        won, blocked = won + bool(wins), blocked + (not wins and bool(losses))
    assert min(won, blocked) > 20


def test_it_does_not_let_the_other_win_in_the_cell_above(pick: Pick) -> None:
    position = Position(Ruleset(), [0, 0, 2, 2, 6, 1, 5, 1])
    assert pick(position) != 3, "where it would have two ways to win"
    position.play(3)
    assert position.wins_at(3, 1)


def test_where_lines_are_counted_it_makes_as_many_as_it_can(pick: Pick) -> None:
    several = 0
    for position in random_positions(Goal.MOST, 120):
        me = position.to_move
        gains = {}
        for column in position.legal():
            position.play(column)
            gains[column] = position.lines_made[me]
            position.undo()
        gained = gains[pick(position)]
        assert gained == max(gains.values())
        several += gained > position.lines_made[me]
    assert several > 20


def test_it_prefers_the_cell_of_the_most_open_lines(pick: Pick) -> None:
    assert pick(Position(Ruleset())) == 3
    assert pick(Position(Ruleset(), [3, 0, 2, 0])) in (1, 4)
