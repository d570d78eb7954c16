"""The cost of a refereed move, and of counting its nodes."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path
from time import perf_counter_ns

from arena.common.names import house_folder
from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.play import play
from arena.interfaces.contract import starter
from arena.rules import Goal, Ruleset
from arena_lab.bench.figure import Effort, Samples
from arena_lab.bench.samples import FIRST_FREE_COLUMN, bot_at, bot_of, key_of, on_one_core

# Games of 448 moves, so that their setup hardly counts.
TALL = Ruleset(rows=64, columns=7, goal=Goal.MOST)


@on_one_core()
def moves(scratch: Path, effort: Effort) -> Samples:
    """Measure a bare round trip between two processes and a move, in turns.

    Also yields their ratio in each round.
    """
    bot, limits = bot_of(FIRST_FREE_COLUMN, scratch), Limits()
    key = key_of(bot, bot, TALL, 1, limits)
    zygote = Zygote()
    floors, whole = [], []
    with BotPlayer(zygote, bot, limits) as first, BotPlayer(zygote, bot, limits) as second:
        play(key, first, second)
        for _ in range(effort.rounds):
            floors.append(_floor_us(effort.round_trips))
            started = perf_counter_ns()
            games = [play(key, first, second) for _ in range(10)]
            plies = sum(len(game.columns) for game in games)
            whole.append((perf_counter_ns() - started) / plies / 1e3)
    zygote.close()
    ratios = [move / floor for move, floor in zip(whole, floors, strict=True)]
    return {"floor_us": floors, "move_us": whole, "move_ratio": ratios}


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
