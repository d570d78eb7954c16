"""The player by rules: their order, and the protocol of lines."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from arena.common.names import house_folder
from arena.rules import Goal, Position, Ruleset
from support.picks import LoadBot, Pick, threats
from support.positions import undecided_position

FILE = house_folder() / "threats.py"


@pytest.fixture
def pick(load_bot: LoadBot) -> Pick:
    return threats(load_bot)


def test_it_speaks_the_protocol() -> None:
    said = "game 4 5 3 first 2\nmove 0\nhow do you do\nmove 0 4 1\nmove\n"
    done = subprocess.run(
        [sys.executable, FILE], input=said, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr, done.returncode) == ("2\n2\n2\n", "", 0)


def test_it_does_not_let_the_other_win_in_the_cell_above(pick: Pick) -> None:
    position = Position(Ruleset(), [0, 0, 2, 2, 6, 1, 5, 1])
    assert pick(position) != 3, "where it would have two ways to win"
    position.play(3)
    assert position.wins_at(3, 1)


def test_where_lines_are_counted_it_makes_as_many_as_it_can(pick: Pick) -> None:
    several, draw = 0, random.Random(2)
    for _ in range(120):
        sides, connect = (draw.randint(4, 8), draw.randint(4, 8)), draw.randint(3, 5)
        rules = Ruleset(*sides, connect, Goal.MOST)
        position = undecided_position(rules, draw, draw.randrange(4, min(30, rules.cells)))
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
