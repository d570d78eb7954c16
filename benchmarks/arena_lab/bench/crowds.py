"""Memory and time of the main process, `arena rank` and `arena report`, for many games.

No bot plays: an executor returns copies of a few random games. So the main process does all its
work and the lanes do none.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from rich.console import Console

from arena.contest.session import Session
from arena.game.record import GameKey, GameRecord
from arena.game.verdict import Verdict
from arena.machine.facts import Machine
from arena.playing.driver import Batch, LaneExecutor
from arena.report.screen.progress import Progress
from arena.rules import Position
from arena.settings.contest import Schedule
from arena_lab.bench.commands import cost_of, most_memory_mb
from arena_lab.bench.figure import Effort, Samples
from arena_lab.bench.samples import RANDOM, alike

LANES = 4
VARIANTS = 50  # Games made for an opening.
OPENINGS = 10  # Of the contest of many bots.
RANKED_BOTS = 50


class InstantExecutor(LaneExecutor):
    """An executor that finishes batches at once, without bots."""

    def __init__(self) -> None:
        self._games: dict[tuple[int, ...], list[GameRecord]] = {}
        self._source = Random(1)

    @property
    def lanes(self) -> int:
        return LANES

    def machines(self) -> Sequence[Machine]:
        return [Machine.this(LANES)]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        batch: Batch[GameKey] = args[0]
        done: Future[Any] = Future()
        done.set_result([self._game(key) for key in batch.items])
        return done

    def _game(self, key: GameKey) -> GameRecord:
        if key.opening not in self._games:
            self._games[key.opening] = [random_game(key, self._source) for _ in range(VARIANTS)]
        place = f"lab/{self._source.randrange(LANES)}"
        return replace(self._source.choice(self._games[key.opening]), key=key.digest, place=place)


def random_game(key: GameKey, source: Random) -> GameRecord:
    position = Position(key.rules, key.opening)
    while not position.is_over:
        position.play(source.choice(position.legal()))
    plies = position.ply - len(key.opening)
    return GameRecord(
        key=key.digest,
        columns=tuple(position.moves),
        opening_plies=len(key.opening),
        charged_ns=(20_000,) * plies,
        nodes=(-1,) * plies,
        winner=position.winner,
        verdict=Verdict.BOARD_FULL if position.winner is None else Verdict.LINE,
        reason="the board is full" if position.winner is None else "a line",
    )


def main_memory(scratch: Path, effort: Effort) -> Samples:
    """Measure the main process's memory after all games of a contest of many bots."""
    return {"main_mb": [_in_a_new_process(_fill_throwaway, effort.many_bots, OPENINGS)]}


def rank(scratch: Path, effort: Effort) -> Samples:
    bots = min(RANKED_BOTS, effort.many_bots)
    openings = max(1, effort.many_games // (bots * (bots - 1)))
    return _cost("rank", bots, openings)


def report(scratch: Path, effort: Effort) -> Samples:
    """Measure the report of the contest of many bots."""
    return _cost("report", effort.many_bots, OPENINGS)


def _cost(command: str, bots: int, openings: int) -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        _in_a_new_process(_fill, bots, openings, folder)
        seconds, memory = cost_of(command, str(Path(folder) / "contest"))
    return {f"{command}_s": [seconds], f"{command}_mb": [memory]}


def _in_a_new_process(function: Callable[..., float], *args: object) -> float:
    """Call a function in a new process, whose peak memory is only the function's."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        return processes.submit(function, *args).result()


def _fill_throwaway(bots: int, openings: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return _fill(bots, openings, folder)


def _fill(bots: int, openings: int, folder: str) -> float:
    """Play a contest to its end; return the process's peak memory in millions of bytes."""
    place = Path(folder)
    paths = alike(RANDOM, bots, place / "bots")
    schedule = Schedule(seed=1, openings=openings)
    session = Session.enter(
        place / "contest", paths, lambda base: replace(base, schedule=schedule), house=False
    )
    session.snapshot()
    session.folder.write(session.contest, session.submissions.values())
    executor = InstantExecutor()
    with (
        session.executing(executor),
        session.folder.locked(),
        session.run(executor) as run,
        open(os.devnull, "w") as nowhere,
    ):
        console = Console(file=nowhere, force_terminal=True, width=120, height=40)
        with Progress.of(session, run, console, LANES) as progress:
            for records in run:
                progress.update(records, run.retired, run.running())
    return most_memory_mb(os.getpid())
