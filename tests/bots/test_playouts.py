"""The player that plays random games to their ends, at the board as its interface shows it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from types import ModuleType

import pytest

from arena.intake.house_players import house_folder
from arena.intake.submission import read_submission
from arena.interfaces.agent import adapt
from arena.interfaces.contract import Setup
from arena.rules import Goal, Position, Ruleset


@pytest.fixture
def bot(load_bot: Callable[[str], ModuleType]) -> ModuleType:
    """The bot, thinking less than it could."""
    module = load_bot("playouts")
    module.MOVES = 2_000
    random.seed(1)
    return module


def pick(bot: ModuleType, rules: Ruleset, columns: Sequence[int]) -> object:
    """Its move after these columns."""
    player = len(columns) % 2
    seat = adapt(bot.agent, Setup(rules=rules, player=player, nodes=None, options={}))
    for ply, column in enumerate(columns):
        seat.see(ply % 2, column)
    return seat.pick()


def test_it_is_recognised_as_an_agent() -> None:
    found = read_submission(house_folder() / "playouts.py")
    assert (found.problem, found.entry_point.interface, found.entry_point.name) == (
        None,
        "agent",
        "agent",
    )


@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize(
    "rules",
    [Ruleset(1, 1), Ruleset(1, 7), Ruleset(7, 1), Ruleset(3, 9, 3), Ruleset(2, 2, 2),
     Ruleset(6, 7, 9), Ruleset(20, 20, 5)],
    ids=str,
)  # fmt: skip
def test_it_plays_legal_moves_on_any_board(bot: ModuleType, rules: Ruleset, goal: Goal) -> None:
    position = Position(Ruleset(rules.rows, rules.columns, rules.connect, goal))
    while not position.is_over and position.ply < 24:
        column = pick(bot, position.rules, position.moves)
        assert isinstance(column, int)
        position.play(column)


def test_it_wins_or_blocks_at_once(bot: ModuleType) -> None:
    chance = random.Random(2)
    seen = 0
    while seen < 40:
        position = Position(Ruleset(chance.randint(4, 7), chance.randint(4, 8), 4))
        for _ in range(chance.randrange(6, 20)):
            if not position.is_over:
                position.play(chance.choice(position.legal()))
        me = position.to_move
        wins, losses = (
            [c for c in position.legal() if position.wins_at(c, who)] for who in (me, 1 - me)
        )
        if not position.is_over and (wins or losses):
            seen += 1
            assert pick(bot, position.rules, position.moves) in (wins or losses)


def test_random_games_show_it_the_best_beginning(bot: ModuleType) -> None:
    bot.MOVES = 50_000
    assert pick(bot, Ruleset(4, 5, 3), []) == 2


def test_the_seed_of_the_game_decides_its_moves(bot: ModuleType) -> None:
    games = []
    for _ in range(2):
        random.seed(5)
        games.append([pick(bot, Ruleset(4, 9), [4] * discs) for discs in range(4)])
    assert games[0] == games[1]
