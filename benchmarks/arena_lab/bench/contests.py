"""The cost of a contest: speed of games, overhead around them, idle time of lanes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from time import perf_counter

from rich.console import Console

from arena.common.names import house_folder
from arena.common.system import available_cores
from arena.contest.estimate import Plan, estimate, to_play
from arena.contest.folder import JOURNAL
from arena.contest.index import ScheduledGames
from arena.contest.run import Run
from arena.contest.session import Session
from arena.game.limits import Limits
from arena.intake.submission import read_submission
from arena.journal.database import Journal
from arena.openings.pool import ALL
from arena.playing.batches import play_batch
from arena.playing.driver import Batch
from arena.playing.lanes import Lanes
from arena.report.screen.progress import Progress
from arena.rules import Ruleset
from arena.settings.contest import Contest, Schedule, ScheduledGame
from arena.trials.pace import STAGES
from arena_lab.bench.commands import seconds_of
from arena_lab.bench.figure import Effort, Measure, Samples
from arena_lab.bench.samples import RANDOM, THINKER, alike, bot_at, key_of

OPENING_PLIES = 6  # Too few for a complete line.
OPENINGS = 40  # Of `large_contests`: enough games for each start of a bot.
FEW_BOTS = 5
CLASSIC = Ruleset()
TRIED = 1 + sum(moves for _, moves in STAGES)  # Moves of each bot's pace check.


class NullJournal(Journal):
    """A journal that stores nothing."""

    def add(self, records: object) -> None:
        """Store nothing."""


@dataclass(frozen=True, slots=True)
class BenchField:
    session: Session
    games: ScheduledGames

    def games_per_s(self, lanes: Lanes, games: Sequence[ScheduledGame] | None = None) -> float:
        """Play these games, by default all, into a new journal; return games per second.

        If `try_bots` was called before, batches are sized by the bots' pace, as in a contest.
        """
        played = self.games if games is None else games
        paces = self.session.paces
        found = estimate(Plan(self.session.contest, to_play(played), paces, {}, lanes.lanes))
        seconds = {name: share.game for name, share in found.bots.items()} if found else {}
        with tempfile.TemporaryDirectory(dir=self.session.folder.path) as folder:
            return _games_per_s(played, Path(folder), lanes, seconds)

    def try_bots(self, lanes: Lanes) -> None:
        for _ in self.session.refuse(lanes):
            pass


@contextmanager
def field(
    bots: int,
    openings: int,
    source: str = RANDOM,
    *,
    rules: Ruleset = CLASSIC,
    opening_plies: int = OPENING_PLIES,
) -> Iterator[BenchField]:
    """Yield a contest of bots that differ by a comment.

    A single opening is the empty board.
    """
    with tempfile.TemporaryDirectory() as folder:
        submissions = list(map(read_submission, alike(source, bots, Path(folder) / "bots")))
        plan = Schedule(openings=openings, shared_openings=ALL, seed=1)
        contest = Contest(rules=rules, schedule=plan)
        with Session.throwaway(contest, submissions) as session:
            columns = product(range(rules.columns), repeat=opening_plies)
            some = list(islice(columns, openings)) if openings > 1 else [()]
            yield BenchField(session, ScheduledGames(session.contest, session.bots, some))


@contextmanager
def warm_lanes(number: int | None = None) -> Iterator[Lanes]:
    """Yield lanes, by default one per core, each of which has played a game."""
    with tempfile.TemporaryDirectory() as folder, Lanes(available_cores()[:number]) as lanes:
        _warm(lanes, Path(folder))
        yield lanes


def _warm(lanes: Lanes, folder: Path) -> None:
    bot = bot_at(house_folder() / "random", folder)
    key = key_of(bot, bot, Ruleset(), 0, Limits())
    for started in [lanes.submit(play_batch, Batch("warm", (key,))) for _ in range(lanes.lanes)]:
        started.result()


def _games_per_s(
    games: Sequence[ScheduledGame],
    folder: Path,
    lanes: Lanes,
    seconds: Mapping[str, float] | None = None,
) -> float:
    with closing(Journal(folder / JOURNAL)) as journal:
        started = perf_counter()
        run = Run(games, journal, lanes)
        run.expect(seconds or {}, ())
        played = sum(map(len, run))
        return played / (perf_counter() - started)


def random_games(scratch: Path, effort: Effort) -> Samples:
    """Measure a long match between two random bots on all lanes."""
    bot = bot_at(house_folder() / "random", scratch)
    games = [
        ScheduledGame(
            number=number,
            pairing=1,
            opening=1,
            first="one",
            second="other",
            key=key_of(bot, bot, Ruleset(), number, Limits()),
        )
        for number in range(1, effort.games + 1)
    ]
    speeds = []
    with warm_lanes() as lanes:
        for _ in range(effort.runs):
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                speeds.append(_games_per_s(games, Path(folder), lanes))
    return {"games_per_s": speeds}


def overhead(scratch: Path, effort: Effort) -> Samples:
    """Measure the share of speed that journal, log and live view cost, in turns."""
    shares = []
    with field(2, effort.games // 2) as quick:
        for _ in range(effort.runs):
            speeds = []
            for everything in (False, True):
                with tempfile.TemporaryDirectory(dir=scratch) as folder:
                    speeds.append(_seen(quick, Path(folder), everything))
            bare, full = speeds
            shares.append(1 - full / bare)
    return {"overhead_share": shares}


def _seen(quick: BenchField, folder: Path, everything: bool) -> float:
    """Play games with all that `overhead` measures, or with none; return games per second."""
    cores, session, games = available_cores(), quick.session, quick.games
    with ExitStack() as stack:
        opening = Lanes(cores)
        lanes = stack.enter_context(session.executing(opening) if everything else opening)
        assert isinstance(lanes, Lanes)
        _warm(lanes, folder)
        kind = Journal if everything else NullJournal
        journal = stack.enter_context(closing(kind(folder / JOURNAL)))
        started = perf_counter()
        run = Run(games, journal, lanes)
        if everything:
            nowhere = stack.enter_context(open(os.devnull, "w"))
            console = Console(file=nowhere, force_terminal=True, width=120, height=40)
            progress = stack.enter_context(
                Progress(session.contest, games, (), {}, console, lanes=len(cores))
            )
            for records in run:
                progress.update(records, run.retired, run.running())
        else:
            for _ in run:
                pass
        return len(games) / (perf_counter() - started)


def quick_class(scratch: Path, effort: Effort) -> Samples:
    """Measure the first pairings of many quick bots, with one opening, on two lanes."""
    speeds = []
    with field(effort.crowd, 1) as quick, warm_lanes(2) as lanes:
        quick.try_bots(lanes)
        sample = quick.games[: effort.crowd_games]
        for _ in range(effort.runs):
            speeds.append(quick.games_per_s(lanes, sample))
    return {"quick_bots_games_per_s": speeds}


def long_contests(scratch: Path, effort: Effort) -> Samples:
    """Measure the speed of a contest of many games ÷ that of few, with five bots."""
    pairs = FEW_BOTS * (FEW_BOTS - 1)
    with warm_lanes() as lanes:
        with field(FEW_BOTS, effort.few_games // pairs) as short:
            short.try_bots(lanes)
            few = [short.games_per_s(lanes) for _ in range(effort.runs)]
        with field(FEW_BOTS, effort.many_games // pairs) as long:
            long.try_bots(lanes)
            many = long.games_per_s(lanes)
    return {"games_flat": [many / each for each in few]}


def large_contests(scratch: Path, effort: Effort) -> Samples:
    """Measure the speed of a contest's first games with many bots ÷ that with five."""
    ratios = []
    with (
        warm_lanes() as lanes,
        field(FEW_BOTS, OPENINGS) as small,
        field(effort.many_bots, OPENINGS) as large,
    ):
        small.try_bots(lanes)
        large.try_bots(lanes)
        first = large.games[: effort.games]
        for _ in range(effort.runs):
            few = small.games_per_s(lanes)
            ratios.append(large.games_per_s(lanes, first) / few)
    return {"bots_flat": ratios}


def utilisation(name: str, seconds: float) -> Measure:
    """Return a function that measures in what share of the lanes' time bots think.

    Bots think `seconds` in every move of `arena run`, in games and in the pace check.
    """

    def measure(scratch: Path, effort: Effort) -> Samples:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            lanes = len(available_cores())
            alike(THINKER.format(seconds=seconds), effort.thinkers, folder / "bots")
            words = ("--openings", "1", "--seed", "1", "--no-house", "--lanes", str(lanes))
            out = folder / "contest"
            spent = seconds_of("run", str(folder / "bots"), "--out", str(out), *words)
            with closing(Journal(out / JOURNAL)) as journal:
                moves = sum(len(game.columns) - game.opening_plies for game in journal.records())
            thought = (moves + TRIED * effort.thinkers) * seconds
            return {name: [thought / (spent * lanes)]}

    return measure
