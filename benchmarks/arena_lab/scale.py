"""Scaling: how close many lanes come to never waiting.

Bots sleep in every move, so that a machine can have more lanes than cores. Only their thinking is
simulated; workers, lanes, bots and messages are real.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from time import monotonic, process_time, sleep
from typing import NamedTuple

from arena.cluster.connection import ClusterAddress
from arena.cluster.executor import ClusterExecutor
from arena.cluster.start import open_cluster
from arena.contest.executors import terms_of
from arena.contest.run import Run
from arena.rules import Ruleset
from arena_lab.bench.contests import field

MOVE_SECONDS = 0.05  # Sleep of a bot in every move.

SLEEPER = f"""\
import random
import time
def pick_move(rack):
    time.sleep({MOVE_SECONDS})
    return random.choice([column for column in range(len(rack)) if rack[column][-1] == 0])
"""

# Random games have about 45 moves, as those of thinking bots.
RULES = Ruleset(rows=8, columns=8, connect=5)
BOTS = 8
OPENING_PLIES = 3
GAMES = 14  # Per lane.
WARM = 3  # Games per lane not measured at the start, when all bots start at once.
TAIL = 2  # Games per lane not counted at the end, when lanes run out of work.
LANES_EACH = 8  # Most lanes of a worker; a worker for each lane would need a bigger machine.


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterScale:
    """The table of `arena lab bench --workers`."""

    lanes: int

    processes: int
    """Number of Dask workers."""

    games: int
    """Number of games that are measured."""

    games_per_s: float

    ideal: float
    """Bots' sleep ÷ time of all lanes: 1 if lanes never wait."""

    main_ms: float
    """CPU time of the main process per game, without the scheduler."""

    scheduler_ms: float
    """CPU time of Dask's scheduler per game."""

    cores_fed: float
    """Number of lanes for which main process and scheduler together need one core."""

    machine_busy: float
    """Share of all processor time that any process used; near 1 the machine is the limit."""


class _Look(NamedTuple):
    """Totals since the start, at one moment."""

    games: int
    moves: int
    seconds: float
    main: float
    scheduler: float
    busy: float
    idle: float


def scale(lanes: int) -> ClusterScale:
    """Measure contests on `lanes` lanes of a cluster here. Raises InputError."""
    each = next(size for size in range(LANES_EACH, 0, -1) if lanes % size == 0)
    place = ClusterAddress(workers=lanes // each, threads=each, words=f"local:{lanes // each}")
    openings = ceil(GAMES * lanes / (BOTS * (BOTS - 1)))
    with (
        field(BOTS, openings, SLEEPER, rules=RULES, opening_plies=OPENING_PLIES) as entered,
        closing(entered.session.folder.journal()) as journal,
        entered.session.executing(
            open_cluster(place, terms_of(entered.session, places=each))
        ) as executor,
    ):
        assert isinstance(executor, ClusterExecutor)
        for lane in [executor.submit(sleep, 1.0) for _ in range(lanes)]:
            lane.result()  # every lane is started now
        run = Run(entered.games, journal, executor, lanes)
        start, end = _looks(run, executor, WARM * lanes, len(entered.games) - TAIL * lanes)
    return _figures(start, end, lanes, lanes // each)


def _looks(run: Run, executor: ClusterExecutor, first: int, last: int) -> Iterator[_Look]:
    """Play; yield the totals after `first` games and after `last` games."""
    games = moves = 0
    marks = [first, last]
    for records in run:
        games += len(records)
        moves += sum(len(record.columns) - record.opening_plies for record in records)
        if marks and games >= marks[0]:
            del marks[0]
            scheduler, (busy, idle) = executor.scheduler_seconds(), _machine()
            main = process_time() - scheduler
            yield _Look(games, moves, monotonic(), main, scheduler, busy, idle)


def _figures(start: _Look, end: _Look, lanes: int, processes: int) -> ClusterScale:
    spent = _Look._make(after - before for before, after in zip(start, end, strict=True))
    slept = spent.moves * MOVE_SECONDS
    return ClusterScale(
        lanes=lanes,
        processes=processes,
        games=spent.games,
        games_per_s=spent.games / spent.seconds,
        ideal=slept / lanes / spent.seconds,
        main_ms=spent.main / spent.games * 1e3,
        scheduler_ms=spent.scheduler / spent.games * 1e3,
        cores_fed=slept / (spent.main + spent.scheduler),
        machine_busy=spent.busy / (spent.busy + spent.idle),
    )


def _machine() -> tuple[float, float]:
    """Return the (busy, idle) ticks of this machine's cores, see proc(5)."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = sum(ticks[3:5])
    return sum(ticks) - idle, idle
