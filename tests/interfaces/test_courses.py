"""Bots of the courses whose interface is a description: each plays what it would play there.

The bots of tests/corpus named `course_…` weigh the cells of their position by the same rule, in
which up and down, left and right, own and other differ.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.player import Fault
from arena.intake.submission import read_submission
from arena.interfaces import BY_NAME, INTERFACES
from arena.rules import Position, Ruleset
from support.bots import as_entered
from support.perfect import random_columns

BOTS = Path(__file__).parents[1] / "corpus" / "bots"
COURSES = sorted(path.name for path in BOTS.glob("course_*"))
OTHER_RULES = "course_383.py"
FROM_THE_EMPTY_BOARD = "course_irvine.py"


def weighed(columns: list[int]) -> int:
    """Return what every bot of the courses answers in a position."""
    rules, score = Ruleset(), 0
    heights = [0] * rules.columns
    for ply, column in enumerate(columns):
        row = heights[column]
        is_own = ply % 2 == len(columns) % 2
        score += 3 * row + 5 * column + 1 if is_own else 7 * row + 2 * column + 3
        heights[column] += 1
    free = [column for column in range(rules.columns) if heights[column] < rules.rows]
    return free[score % len(free)]


@pytest.fixture(params=[name for name in COURSES if name != OTHER_RULES])
def course(request: pytest.FixtureRequest, zygote: Zygote, tmp_path: Path) -> Iterator[BotPlayer]:
    found = read_submission(BOTS / request.param)
    assert found.problem is None
    folder = tmp_path / found.content_hash
    found.copy_to(folder)
    with BotPlayer(zygote, as_entered(found, folder), Limits(nodes=None)) as player:
        player.name = request.param  # type: ignore[attr-defined]
        yield player


@pytest.mark.slow
def test_a_hundred_games_of_each_are_those_of_the_rule(course: BotPlayer) -> None:
    draw, compared = random.Random(1), 0
    for number in range(25):
        opening = random_columns(Ruleset(), draw, number % 12)
        if course.name == FROM_THE_EMPTY_BOARD:  # type: ignore[attr-defined]
            opening = ()
        mirrored = tuple(6 - column for column in opening)
        for start in (opening, mirrored):
            for seat in (0, 1):
                compared += played(course, seat, start, draw)
    assert compared > 300


def played(bot: BotPlayer, seat: int, opening: tuple[int, ...], draw: random.Random) -> int:
    """Play a game against random moves; return how many of the bot's moves were compared."""
    fault = bot.sit(seat, Ruleset(), opening, 1)
    assert fault is None, fault
    columns, seen, compared = [*opening], -1, 0
    position = Position(Ruleset(), columns)
    while not position.is_over:
        if len(columns) % 2 == seat:
            answer = bot.ask(seen)
            assert not isinstance(answer, Fault), answer.reason
            assert answer[0] == weighed(columns)
            column, compared = answer[0], compared + 1
        else:
            column = seen = draw.choice(position.legal())
        position.play(column)
        columns.append(column)
    return compared


def test_each_described_course_has_a_bot() -> None:
    found = {read_submission(BOTS / name).entry_point.interface for name in COURSES}
    assert found >= INTERFACES.keys() - BY_NAME.keys() - {"galli-best", "connect383"}
