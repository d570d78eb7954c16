"""The cost of a refereed move, and of counting its nodes."""

from __future__ import annotations

import os
import socket
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from time import perf_counter_ns

from arena.common.names import house_folder
from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.record import Bot
from arena.interfaces.contract import starter
from arena.rules import Goal, Ruleset
from arena_lab.bench.figure import Effort, Samples
from arena_lab.bench.samples import (
    FIRST_FREE_COLUMN,
    WITH_STATE,
    bot_at,
    bot_of,
    key_of,
    on_one_core,
)

# Games of 448 moves, so that their setup hardly counts.
TALL = Ruleset(rows=64, columns=7, goal=Goal.MOST)


@on_one_core()
def moves(scratch: Path, effort: Effort) -> Samples:
    """Measure a bare round trip between two processes and a move, in turns.

    Also yields their ratio in each round.
    """
    bot, limits = bot_of(FIRST_FREE_COLUMN, scratch), Limits()
    zygote = Zygote()
    floors, whole = [], []
    with BotPlayer(zygote, bot, limits) as first, BotPlayer(zygote, bot, limits) as second:
        _move_us(bot, first, second)
        for _ in range(effort.rounds):
            floors.append(_floor_us(effort.round_trips))
            whole.append(_move_us(bot, first, second))
    zygote.close()
    ratios = [move / floor for move, floor in zip(whole, floors, strict=True)]
    return {"floor_us": floors, "move_us": whole, "move_ratio": ratios}


@on_one_core()
def described(scratch: Path, effort: Effort) -> Samples:
    """Measure what a state and a pair as answer add to a move, in turns with a plain one."""
    zygote, limits, added = Zygote(), Limits(), []
    with ExitStack() as stack:
        bots = [bot_of(text, scratch) for text in (FIRST_FREE_COLUMN, WITH_STATE)]
        seats = [[stack.enter_context(BotPlayer(zygote, b, limits)) for _ in "12"] for b in bots]
        for _ in range(effort.rounds):
            plain, other = (_move_us(bot, *pair) for bot, pair in zip(bots, seats, strict=True))
            added.append(other - plain)
    zygote.close()
    return {"described_us": added}


def _move_us(bot: Bot, first: BotPlayer, second: BotPlayer) -> float:
    """Return the microseconds of a move of a bot against itself, in ten games."""
    key = key_of(bot, bot, TALL, 1, Limits())
    started = perf_counter_ns()
    plies = sum(len(play(key, first, second).columns) for _ in range(10))
    return (perf_counter_ns() - started) / plies / 1e3


def _floor_us(trips: int) -> float:
    """Return the microseconds of a round trip to a forked process that sends bytes back."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        ours.close()
        while data := theirs.recv(16):
            theirs.send(data)
        os._exit(0)
    theirs.close()
    message = bytes(16)
    started = perf_counter_ns()
    for _ in range(trips):
        ours.send(message)
        ours.recv(16)
    spent = perf_counter_ns() - started
    ours.close()
    os.waitpid(pid, 0)
    return spent / trips / 1e3


@on_one_core()
def meter(scratch: Path, effort: Effort) -> Samples:
    """Measure the time of the same games with nodes counted ÷ without, in turns."""
    quartets = bot_at(house_folder() / "quartets.py", scratch)
    point = replace(quartets.entry_point, options={"difficulty_level": 3})
    counted = replace(quartets, entry_point=point)
    # a node function called once a move leaves the search itself uncounted
    uncounted = replace(counted, entry_point=replace(point, node_function="pick_move"))
    limits = Limits(nodes=None)
    zygote = Zygote()
    ratios = []
    for _ in range(effort.rounds):
        spent = []
        for bot in (counted, uncounted):
            with BotPlayer(zygote, bot, limits) as one, BotPlayer(zygote, bot, limits) as other:
                game = play(key_of(bot, bot, Ruleset(), 1, limits), one, other)
            spent.append(sum(game.charged_ns))
        ratios.append(spent[0] / spent[1])
    zygote.close()
    return {"meter_overhead": ratios}


@on_one_core()
def program(scratch: Path, effort: Effort) -> Samples:
    """Measure a move of a Python program that is started anew for every move."""
    bot, limits = bot_of(starter("one-move"), scratch), Limits()
    zygote = Zygote()
    spent = []
    with BotPlayer(zygote, bot, limits) as one, BotPlayer(zygote, bot, limits) as other:
        for seed in range(effort.program_games):
            started = perf_counter_ns()
            game = play(key_of(bot, bot, Ruleset(), seed, limits), one, other)
            spent.append((perf_counter_ns() - started) / len(game.columns) / 1e6)
    zygote.close()
    return {"program_move_ms": spent}
