"""The levels of the bot `sparring`: what each sees, and that it plays a game."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import pytest

from arena.common.names import LEVELS, house_folder
from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.verdict import Verdict
from arena.rules import Position, Ruleset
from support.bots import house_bot, key

TIMES = 200  # A column that is possible is picked at least once in this many tries.


def player(side: int, **options: object) -> Any:
    spec = spec_from_file_location("sparring", house_folder() / "sparring.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ComputerPlayer(side, 4, **options)


def picks(rules: Ruleset, moves: str, **options: object) -> set[int]:
    position = Position(rules, [int(move) for move in moves])
    bot = player(position.to_move + 1, connect=rules.connect, **options)
    return {bot.pick_move(position.rack()) for _ in range(TIMES)}


@pytest.mark.parametrize("looks", [1, 2, 3])
def test_every_level_completes_a_line_or_else_blocks_one(looks: int) -> None:
    assert picks(Ruleset(), "001122", looks=looks) == {3}, "either could complete the first row"
    assert picks(Ruleset(), "616160", looks=looks) == {6}, "its own column, not the other one's"
    assert picks(Ruleset(), "61606", looks=looks) == {6}, "the other one's column"
    assert picks(Ruleset(connect=3), "0011", looks=looks) == {2}


def test_from_the_second_level_on_no_cell_below_a_win_is_given() -> None:
    moves = "1002261"  # with a disc in column 3, the other one would complete the second row above
    assert 3 in picks(Ruleset(), moves, looks=1)
    assert 3 not in picks(Ruleset(), moves, looks=2)
    assert 3 not in picks(Ruleset(), moves, looks=3)


def test_the_second_level_prefers_the_middle_and_the_third_the_longest_lines() -> None:
    moves = "0606"
    assert picks(Ruleset(), moves, looks=2) == {3}
    assert picks(Ruleset(), moves, looks=3) == {0}


def test_slips_are_any_column() -> None:
    assert len(picks(Ruleset(), "001122", looks=3, slips=1.0)) > 3


@pytest.mark.parametrize("name", [name for name, options in LEVELS.items() if "looks" in options])
def test_each_level_plays_a_game(zygote: Zygote, name: str) -> None:
    bot, chance = house_bot(name), house_bot("random")
    game = key(bot, chance, rules=Ruleset(rows=8, columns=8))
    with BotPlayer(zygote, bot, Limits()) as first, BotPlayer(zygote, chance, Limits()) as second:
        assert play(game, first, second).verdict in (Verdict.LINE, Verdict.BOARD_FULL)
