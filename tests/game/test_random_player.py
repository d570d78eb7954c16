"""The opponent of trial games draws what the house player `random` draws."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.player import RandomPlayer
from arena.rules import Goal, Ruleset
from support.bots import house_bot, key


@pytest.mark.parametrize(
    ("rules", "opening"),
    [
        (Ruleset(), ()),
        (Ruleset(), (0, 1, 2, 3, 4, 5, 6)),
        (Ruleset(), (3, 3, 3, 3, 3, 3)),
        (Ruleset(rows=4, columns=4, connect=3, goal=Goal.MOST), (1,)),
    ],
)
def test_it_plays_the_games_of_the_house_player(
    zygote: Zygote, rules: Ruleset, opening: tuple[int, ...]
) -> None:
    random = house_bot("random")
    game = key(random, random, rules=rules, opening=opening)
    for seed in range(3):
        game = replace(game, seed=seed)
        here = play(game, RandomPlayer(), RandomPlayer())
        with (
            BotPlayer(zygote, random, Limits()) as first,
            BotPlayer(zygote, random, Limits()) as second,
        ):
            there = play(game, first, second)
        assert replace(here, charged_ns=(), nodes=()) == replace(there, charged_ns=(), nodes=())
