"""The benchmark: what a move, a game and a bot's start cost on this machine, in one run.

Figures that are compared are measured in turns, so that a drift of the machine's speed hits
both; of several rounds the median counts.
"""

from __future__ import annotations

import gc
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, perf_counter_ns, process_time_ns

from arena.contest import Journal, Lanes, Run, ScheduledGame, available_cores
from arena.contest.driver import Batch
from arena.contest.lanes import play_batch
from arena.intake import house_folder, read_submission
from arena.referee import Bot, GameKey, Limits, play
from arena.referee.bot_player import BotPlayer
from arena.referee.zygote import Zygote
from arena.rules import Goal, Position, Ruleset

FIRST_FREE_COLUMN = """\
def pick_move(rack):
    for column in range(len(rack)):
        if rack[column][-1] == 0:
            return column
"""

TALL = Ruleset(rows=64, columns=7, goal=Goal.MOST)
"""For the cost of a move: 448 of them, so that setting a game up weighs next to nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Repetitions of each measurement. The default's figures can be compared between versions."""

    rounds: int = 9
    """Rounds of everything that is measured in turns with something else."""

    round_trips: int = 5000
    """Bare round trips of a round."""

    starts: int = 15
    """Bots started from each zygote."""

    nodes: int = 400_000
    """Positions that the engine searches in a round."""

    games: int = 4000
    """Games of random against random."""

    solved: int = 75
    """Positions that are solved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The table that `arena bench` prints."""

    floor_us: float
    """A bare round trip of 16 bytes between two Python processes on one core, socketpair."""

    move_us: float
    """A whole refereed move of a bot that returns the first free column, nothing subtracted."""

    move_ratio: float
    """Median over the rounds of move ÷ floor, both measured within the round."""

    games_per_s: float
    """Random against random, 7×6, confined and journaled, on all lanes."""

    bot_start_ms: float
    """From nothing to a confined and loaded bot, out of a zygote that runs."""

    cold_start_ms: float
    """The same without a zygote: its start included."""

    meter_overhead: float
    """Charged time of the same games with the search counted ÷ with it not counted."""

    engine_mnps: float
    """Million positions a second that the engine searches when it is plain alpha-beta with a
    transposition table, compiled before, by CPU time; on 7×6 or 8×8, whichever is slower."""

    solve_ms: float
    """Mean time to the exact value of a position of 6×7, over a fixed spread of 12 to 36 plies."""


def measure(effort: Effort = Effort()) -> Figures:
    """Measure everything; with the default effort it takes about half a minute."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        with _on_one_core():
            floor_us, move_us, move_ratio = _moves(scratch, effort)
            starts = [_start_ms(scratch, effort) for _ in range(3)]
            overhead = _meter_overhead(scratch, effort)
            boards = Ruleset(), Ruleset(rows=8, columns=8)
            mnps = min(_engine_mnps(board, effort) for board in boards)
        return Figures(
            floor_us=floor_us,
            move_us=move_us,
            move_ratio=move_ratio,
            games_per_s=_games_per_s(scratch, effort),
            solve_ms=_solve_ms(effort),
            bot_start_ms=median(warm for warm, _ in starts),
            cold_start_ms=median(cold for _, cold in starts),
            meter_overhead=overhead,
            engine_mnps=mnps,
        )


@contextmanager
def _on_one_core() -> Iterator[None]:
    """Be like a lane: on one core, with what is in memory left alone by the garbage collector."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        os.sched_setaffinity(0, before)


def _moves(scratch: Path, effort: Effort) -> tuple[float, float, float]:
    """(floor µs, move µs, their ratio), medians over rounds in turns."""
    (scratch / "first.py").write_text(FIRST_FREE_COLUMN)
    bot = _bot(scratch / "first.py", scratch)
    limits = Limits()
    key = _key(bot, bot, limits, TALL, seed=1)
    zygote = Zygote()
    floors, moves = [], []
    with BotPlayer(zygote, bot, limits) as first, BotPlayer(zygote, bot, limits) as second:
        play(key, first, second)
        for _ in range(effort.rounds):
            floors.append(_floor_us(effort.round_trips))
            started = perf_counter_ns()
            games = [play(key, first, second) for _ in range(10)]
            plies = sum(len(game.columns) for game in games)
            moves.append((perf_counter_ns() - started) / plies / 1e3)
    zygote.close()
    ratios = [move / floor for move, floor in zip(moves, floors, strict=True)]
    return median(floors), median(moves), median(ratios)


def _floor_us(trips: int) -> float:
    """Microseconds of a bare round trip with a forked echo."""
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


def _start_ms(scratch: Path, effort: Effort) -> tuple[float, float]:
    """(warm, cold) milliseconds from nothing to a loaded bot."""
    bot, limits = _bot(house_folder() / "random", scratch), Limits()
    began = perf_counter()
    zygote = Zygote()
    warm = []
    for index in range(effort.starts):
        started = perf_counter()
        with BotPlayer(zygote, bot, limits) as player:
            player.sit(0, Ruleset(), (), 1)
            warm.append((perf_counter() - started) * 1e3)
            if index == 0:
                cold = (perf_counter() - began) * 1e3
    zygote.close()
    return median(warm), cold


def _meter_overhead(scratch: Path, effort: Effort) -> float:
    """Median ratio over games played in turns, counted and not."""
    quartets = _bot(house_folder() / "quartets.py", scratch)
    point = replace(quartets.entry_point, options={"difficulty_level": 3})
    counted = replace(quartets, entry_point=point)
    # naming a function that is called once a move leaves the search itself uncounted
    uncounted = replace(counted, entry_point=replace(point, node_function="pick_move"))
    limits = Limits(nodes=None)
    zygote = Zygote()
    ratios = []
    for _ in range(effort.rounds):
        spent = []
        for bot in (counted, uncounted):
            with BotPlayer(zygote, bot, limits) as one, BotPlayer(zygote, bot, limits) as other:
                game = play(_key(bot, bot, limits, Ruleset(), seed=1), one, other)
            spent.append(sum(game.charged_ns))
        ratios.append(spent[0] / spent[1])
    zygote.close()
    return median(ratios)


def _engine_mnps(rules: Ruleset, effort: Effort) -> float:
    """Million positions a second, from the empty board; of the round least disturbed."""
    from arena.engine import Engine  # it loads numba, which takes half a second

    engine, position = Engine.plain(rules, table=True), Position(rules)
    engine.search(position, nodes=effort.nodes)
    speeds = []
    for _ in range(effort.rounds):
        started = process_time_ns()
        found = engine.search(position, nodes=effort.nodes)
        speeds.append(found.nodes * 1e3 / (process_time_ns() - started))
    return max(speeds)


def _games_per_s(scratch: Path, effort: Effort) -> float:
    """Games a second of a whole run over all lanes, once they are warm."""
    bot, limits = _bot(house_folder() / "random", scratch), Limits()
    games = [
        ScheduledGame(
            number=number,
            pairing=1,
            opening=1,
            first="one",
            second="other",
            key=_key(bot, bot, limits, Ruleset(), seed=number),
        )
        for number in range(1, effort.games + 1)
    ]
    cores = available_cores()
    with Lanes(cores) as lanes:
        warm = _key(bot, bot, limits, Ruleset(), seed=0)
        for started_lane in [lanes.submit(play_batch, Batch("warm", (warm,))) for _ in cores]:
            started_lane.result()
        journal = Journal(scratch / "journal.sqlite")
        started = perf_counter()
        played = sum(len(records) for records in Run(games, journal, lanes))
        spent = perf_counter() - started
        journal.close()
    return played / spent


def _solve_ms(effort: Effort) -> float:
    """Mean milliseconds of random positions of 12 to 36 plies, the solver's code being loaded."""
    # numba takes half a second to import, which is not to count as part of anything else here
    from arena.engine import Solver

    source = Random(7)
    spread: list[Position] = []
    while len(spread) < effort.solved:
        position = Position(Ruleset())
        plies = 12 + len(spread) % 25
        while position.ply < plies and not position.is_over:
            position.play(source.choice(position.legal()))
        if not position.is_over:
            spread.append(position)
    Solver(Ruleset(4, 4)).value(Position(Ruleset(4, 4)))
    solver = Solver(Ruleset())
    started = perf_counter()
    for position in spread:
        solver.value(position)
    return (perf_counter() - started) / effort.solved * 1e3


def _bot(path: Path, scratch: Path) -> Bot:
    """A bot from a copy of its file alone, as in a contest's folder."""
    found = read_submission(path)
    root = scratch / found.content_hash
    found.copy_to(root)
    return Bot(
        content_hash=found.content_hash,
        root=str(root.absolute()),
        entry_point=found.entry_point,
    )


def _key(one: Bot, other: Bot, limits: Limits, rules: Ruleset, seed: int) -> GameKey:
    return GameKey(rules=rules, limits=limits, opening=(), first=one, second=other, seed=seed)
