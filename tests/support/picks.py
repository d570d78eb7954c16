"""Demo bots as functions from a position to their column."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import ModuleType

from arena.interfaces import INTERFACES, Setup
from arena.rules import Position

Pick = Callable[[Position], int]
LoadBot = Callable[[str], ModuleType]


def playouts(load_bot: LoadBot, moves: int = 2_000) -> Pick:
    bot = load_bot("playouts")
    bot.MOVES = moves
    random.seed(1)

    def pick(position: Position) -> int:
        setup = Setup(rules=position.rules, player=position.to_move, nodes=None, options={})
        seat = INTERFACES["agent"].adapt(bot.agent, setup)
        for ply, column in enumerate(position.moves):
            seat.see(ply % 2, column)
        column = seat.pick()
        assert isinstance(column, int)
        return column

    return pick


def threats(load_bot: LoadBot) -> Pick:
    bot = load_bot("threats")

    def pick(position: Position) -> int:
        rules = position.rules
        column = bot.Game(rules.rows, rules.columns, rules.connect).choose(position.moves)
        return int(column)

    return pick


def quartets(load_bot: LoadBot) -> Pick:
    bot = load_bot("quartets")
    return lambda position: bot.ComputerPlayer(position.to_move + 1, 2).pick_move(position.rack())


def any_column(load_bot: LoadBot) -> Pick:
    bot = load_bot("random/any_column")
    return lambda position: bot.pick_move(position.rack())


def reference(**options: object) -> Callable[[LoadBot], Pick]:
    def build(load_bot: LoadBot) -> Pick:
        player = load_bot("reference").ComputerPlayer
        game = {"seconds": 30.0, "count": lambda nodes: None, **options}
        return lambda position: player(
            position.to_move + 1, 4, position=position, **game
        ).pick_move(position.rack())

    return build
