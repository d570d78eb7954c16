"""The cost of starting a bot, until it is sandboxed and loaded."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from arena.common.names import house_folder
from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.record import Bot
from arena.interfaces.contract import starter
from arena.rules import Ruleset
from arena_lab.bench.figure import Effort, Samples
from arena_lab.bench.samples import bot_at, bot_of, on_one_core

ZYGOTES = 3


@on_one_core()
def starts(scratch: Path, effort: Effort) -> Samples:
    """Measure starts from a running zygote, and starts with the zygote's own start."""
    bot = bot_at(house_folder() / "random", scratch)
    rounds = [_start_ms(bot, effort.starts) for _ in range(ZYGOTES)]
    return {
        "bot_start_ms": [each for warm, _ in rounds for each in warm],
        "cold_start_ms": [cold for _, cold in rounds],
    }


@on_one_core()
def numba_starts(scratch: Path, effort: Effort) -> Samples:
    """Measure a start of a bot whose course modules need numba."""
    bot = bot_of(starter("make_move"), scratch)
    warm, _ = _start_ms(bot, effort.starts)
    return {"numba_start_ms": warm}


def _start_ms(bot: Bot, number: int) -> tuple[list[float], float]:
    """Return ([each start from a running zygote], one with the zygote's), in milliseconds."""
    began = perf_counter()
    zygote = Zygote()
    _sit(zygote, bot)
    cold = (perf_counter() - began) * 1e3
    warm = []
    for _ in range(number):
        warm.append(_sit(zygote, bot))
    zygote.close()
    return warm, cold


def _sit(zygote: Zygote, bot: Bot) -> float:
    """Start a bot and end it; return the milliseconds until it was ready."""
    started = perf_counter()
    with BotPlayer(zygote, bot, Limits()) as player:
        player.sit(0, Ruleset(), (), 1)
        return (perf_counter() - started) * 1e3
