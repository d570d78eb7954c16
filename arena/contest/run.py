"""Running a contest: playing and analysing the games that its journal lacks.

Lanes finish in any order, so a later result may retire a bot earlier, or undo a retirement. So
after playing everything a run looks again for missing games, or for the next round, until there are
none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from time import monotonic

import numpy as np

from arena.analysis.analysis import GameAnalysis, analyse
from arena.analysis.worth import Appraiser
from arena.common.errors import OutOfMemoryError
from arena.contest.estimate import Forecast, Known, blended
from arena.contest.index import Ends, Places, index_of
from arena.contest.queue import Queue
from arena.contest.retirement import KINDS, SHARE, Retakes, Retirement, forfeit, retirements
from arena.contest.rounds import Rounds, TimeLeft
from arena.game.record import GameKey, GameRecord
from arena.game.verdict import Verdict
from arena.journal.database import Journal
from arena.playing.batches import play_batch
from arena.playing.driver import Batch, Driver, LaneExecutor, abandoned_lines
from arena.playing.log import about
from arena.rules import Ruleset
from arena.settings.contest import ScheduledGame

PATIENCE = 20  # The search for retired bots is repeated after PATIENCE times its last duration.
log = logging.getLogger("arena.contest")


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    lane: int
    game: ScheduledGame
    """The first game. Finished games return after half a second, so a slower batch is still at
    this."""

    following: int
    seconds: float


class Run:
    def __init__(
        self,
        games: Sequence[ScheduledGame],
        journal: Journal,
        executor: LaneExecutor,
        retire_after: int = 0,
        rounds: Rounds | None = None,
        seconds: float = inf,
        *,
        listens: bool = False,
        last: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """Prepare a run of all games, or of those of `rounds`.

        For `retire_after` see `Schedule`. The run ends after `seconds`; if these are over, it plays
        only games that every bot needs for a grade. A run that `listens` yields records with what
        bots print. Games of the bots that `last` returns come last.
        """
        self._journal = journal
        self._executor = executor
        self._retire_after = retire_after
        self._suspects: set[str] = set()
        self._rounds = rounds
        self._listens, self._last = listens, last
        self._only_needed = seconds <= 0
        self._until = inf if self._only_needed else monotonic() + seconds  # by the monotonic clock
        self._expected: Mapping[str, float] = {}
        self._forecast = Forecast(executor.lanes)
        self._index = index_of(games)
        self._ends = Ends(self._index)
        self._needs_check, self._next_check = False, 0.0
        self.retired: Mapping[str, Retirement] = {}
        self._retakes = Retakes(self._index, journal.retakes())
        for digest, verdict, winner in journal.ends():
            self._add_end(digest, verdict, winner)
        self.abandoned: dict[str, str] = {}
        """Reasons (a clause) of abandoned games by key digest."""
        self._to_play = self._missing()
        self.missing = len(self._to_play)
        """Number of keys to play, by current knowledge."""
        self.expect({}, ())

    def expect(self, seconds: Mapping[str, float], suspects: Iterable[str]) -> None:
        """Order the games, before the first is played.

        `seconds` has each known bot's part of a game. Games that decide on `suspects` come first.
        """
        if self._retire_after:
            self._suspects.update(suspects)
        self._expected = seconds
        self._put_in_order(seconds)

    def _put_in_order(self, seconds: Mapping[str, float]) -> None:
        self._queue = Queue(self._index, seconds, self._until, self._last())
        self._queue.suspect(self._suspects, SHARE * self._retire_after)
        self._queue.put(self._to_play, self._executor.lanes)
        self._driver = Driver(
            self._executor,
            play_batch,
            is_wanted=self._is_wanted,
            key_of=lambda key: key.digest,
            prepared=lambda batch: replace(
                batch, new_process=self._retakes.new_process, listens=self._listens
            ),
            settled=self._settled,
        )
        self._driver.add(self._queue)

    def __iter__(self) -> Iterator[list[GameRecord]]:
        """Play, and yield new games after they are stored; sometimes an empty list.

        Stopping early loses only games in progress. Raises InputError and StorageError.
        """
        while self.missing:
            for ended in self._driver:
                self.abandoned.update((key.digest, why) for key, why in ended.abandoned)
                suspects = len(self._suspects)
                records = [self._counted(record) for record in ended.results]
                for record in records:
                    self._add_end(record.key, record.verdict, record.winner)
                    self._add_time(record)
                if self._needs_check and monotonic() >= self._next_check:
                    self._update_retired()
                # the rest of a batch would be played next, and may have games of suspects
                rests = (rest.names.values() for rest in self._driver.rests)
                if len(self._suspects) > suspects or any(
                    not self._suspects.isdisjoint(names) for names in rests
                ):
                    self._put_suspects_first()
                self._driver.fill()  # lanes play on while the games are written and shown
                self._journal.add(records)
                yield records
            self._to_play = self._missing()
            self.missing = len(self._to_play)
            if self._is_timed:
                self._put_in_order(self._usual())
            else:
                self._queue.put(self._to_play, self._executor.lanes)
        if self._rounds is not None:
            self._rounds.end()

    def known(self) -> Iterator[GameRecord]:
        for record in self._journal.records():
            if self._index.key(record.key) is not None:
                yield record

    def not_played(self) -> list[str]:
        return abandoned_lines(self.abandoned.values(), "played")

    def running(self) -> list[Playing]:
        return [
            Playing(
                lane=each.lane,
                game=self._game(each.batch.items[0]),
                following=len(each.batch.items) - 1,
                seconds=each.seconds,
            )
            for each in self._driver.running()
        ]

    def _game(self, key: GameKey) -> ScheduledGame:
        number = self._index.key(key.digest)
        assert number is not None
        return self._index.first(number)

    def _counted(self, record: GameRecord) -> GameRecord:
        if not record.retakes:
            return record
        key = self._index.key(record.key)
        if key is None or self._ends.of(key):  # a repeated result counts once
            return replace(record, retakes=())
        return self._retakes.counted(record)

    def _settled(self, error: OutOfMemoryError) -> GameRecord | None:
        """Return a game's record if it ran out of memory and gets no retry, else None."""
        if not isinstance(error.record, GameRecord):
            return None
        record = self._counted(error.record)
        self._journal.add_retakes(record.retakes)
        is_denied = len(record.retakes) < len(error.record.retakes)
        return replace(record, retakes=()) if is_denied else None

    def _add_end(self, digest: str, verdict: Verdict, winner: int | None) -> None:
        key = self._index.key(digest)
        if key is None or self._ends.of(key):  # a repeated result counts once
            return
        self._ends.add(key, verdict, winner)
        if verdict in KINDS and winner is not None:
            self._needs_check = True
            if self._retire_after:
                for game in self._index.with_key(key):
                    self._suspects.add((game.second, game.first)[winner])

    @property
    def _is_timed(self) -> bool:
        return self._until < inf

    def _add_time(self, record: GameRecord) -> None:
        key = self._index.key(record.key) if self._is_timed else None
        if key is not None:
            self._forecast.add(self._index.first(key).names, record)

    def _usual(self) -> dict[str, float]:
        known, nothing = self._forecast.known, Known(0, 0.0)
        found = {
            name: blended(self._expected.get(name), known.get(name, nothing))
            for name in self._expected.keys() | known.keys()
        }
        return {name: seconds for name, seconds in found.items() if seconds is not None}

    def _time_left(self) -> TimeLeft:
        left, lanes = self._until - monotonic(), self._executor.lanes
        usual = self._usual() if self._is_timed else {}
        return TimeLeft(left, usual, lanes, only_needed=self._only_needed)

    def _update_retired(self) -> None:
        started = monotonic()
        before = self.retired
        self.retired = retirements(self._index, self._ends, self._retire_after)
        for name in self.retired.keys() - before.keys():
            with about(bots=(name,)):
                log.info("%s is %s", name, self.retired[name])
        for name in before.keys() - self.retired.keys():
            with about(bots=(name,)):
                log.info("%s is no longer retired", name)
        self._needs_check = False
        self._next_check = monotonic() + PATIENCE * (monotonic() - started)

    def _put_suspects_first(self) -> None:
        for rest in self._driver.rests:
            self._queue.put_back(rest.items)
        self._driver.rests.clear()
        self._queue.suspect(self._suspects, SHARE * self._retire_after)

    def _is_wanted(self, key: GameKey) -> bool:
        number = self._index.key(key.digest) if self.retired or self._is_timed else None
        if number is None:
            return True
        if monotonic() >= self._until:
            other = self._index.keys[self._index.firsts[number] ^ 1]  # of the same opening
            if not self._ends.of(int(other)):
                return False
        return self._counts(number)

    def _counts(self, key: int) -> bool:
        return any(forfeit(game, self.retired) is None for game in self._index.with_key(key))

    def _missing(self) -> Places:
        self._update_retired()
        if self._rounds is not None:
            time = self._time_left()
            due = self._rounds.due(self._ends, self.retired, time, self.abandoned.keys())
            self._rounds.begin(due)
            return due
        is_missing = ~self._ends.are_known
        for digest in self.abandoned:
            is_missing[self._index.key(digest)] = False
        if self.retired:
            of_retired = np.unique(self._index.keys[self._index.are_with(self.retired)])
            for key in of_retired[is_missing[of_retired]].tolist():
                is_missing[key] = self._counts(key)
        return np.flatnonzero(is_missing).astype(np.int32)


MOST_ANALYSED = 50  # Games.
ANALYSIS_SHARES = 4  # Each lane gets at least this number of batches: all lanes end together.

# A batch ends after this time and is stored. Its games share a search cache.
ANALYSIS_SECONDS = 3.0


def unanalysed(
    records: Iterable[GameRecord], known: Mapping[str, GameAnalysis], nodes: int
) -> list[GameRecord]:

    def is_open(record: GameRecord) -> bool:
        analysis = known.get(record.key)
        return analysis is None or (analysis.nodes < nodes and not analysis.is_complete(record))

    by_key = {record.key: record for record in records}
    moved = (each for each in by_key.values() if len(each.columns) > each.opening_plies)
    return [record for record in moved if is_open(record)]


class Analyser:
    def __init__(
        self,
        rules: Ruleset,
        records: Sequence[GameRecord],
        journal: Journal,
        executor: LaneExecutor,
        nodes: int,
    ) -> None:
        """Prepare the analysis of these games; `nodes` limits the search for one move."""
        self.missing = sorted(records, key=lambda record: tuple(record.columns))
        """Games to analyse; games with the same start are together."""
        self._journal, self._executor = journal, executor
        self._driver = Driver(
            executor, partial(analyse_batch, rules, nodes), key_of=lambda record: record.key
        )
        self.abandoned: dict[str, str] = {}
        """Reasons (a clause) of abandoned games by key digest."""

    def __iter__(self) -> Iterator[GameAnalysis]:
        """Analyse the games, and yield each when it is stored. Raises StorageError."""
        share = len(self.missing) // (self._executor.lanes * ANALYSIS_SHARES)
        size = max(1, min(MOST_ANALYSED, share))
        for start in range(0, len(self.missing), size):
            records = tuple(self.missing[start : start + size])
            self._driver.add([Batch(f"the analysis of {len(records)} games", records)])
        for ended in self._driver:
            self.abandoned.update((record.key, why) for record, why in ended.abandoned)
            self._journal.add_analyses(ended.results)
            yield from ended.results

    def not_analysed(self) -> list[str]:
        return abandoned_lines(self.abandoned.values(), "analysed")


def analyse_batch(rules: Ruleset, nodes: int, batch: Batch[GameRecord]) -> list[GameAnalysis]:
    """Analyse games for ANALYSIS_SECONDS, at least one; others are submitted again."""
    started = monotonic()
    appraiser = Appraiser(rules, nodes)
    found: list[GameAnalysis] = []
    for record in batch.items:
        found.append(analyse(rules, record, appraiser=appraiser))
        if monotonic() - started > ANALYSIS_SECONDS:
            break
    return found
