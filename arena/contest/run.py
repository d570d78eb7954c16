"""Running a contest: playing the games whose keys are missing from its journal.

Games of retired bots are not played. As lanes finish in any order, a bot may turn out to be
retired earlier than was known, or, its opponent's forfeits not counting, not to be retired at all:
so a run looks again for what is missing when it has played everything, until nothing is.
"""

from __future__ import annotations

import logging
import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace
from time import monotonic

from arena.contest.journal import Journal
from arena.contest.lanes import Batch, play_batch
from arena.contest.retirement import (
    KINDS,
    SHARE,
    Retirement,
    forfeit,
    retirements,
    sample_order,
)
from arena.contest.schedule import ScheduledGame
from arena.errors import InputError, OutOfMemoryError, StartError, StorageError
from arena.referee import Bot, GameKey, GameRecord, Verdict
from arena.referee.memory import oom_kills

MAX_BATCH = 200
"""Games in the longest batch."""

SHARES = 8
"""Into how many batches a lane's part of the contest is cut at least, so that all end together."""

TICK_SECONDS = 0.25
"""How often a run gives word even if no game has ended."""

ATTEMPTS = 3
"""How often a game may fail for no fault of a bot until it is given up."""

MEMORY_ATTEMPTS = 2
"""The same of one that runs out of memory: it takes long, and the second time it is alone."""

PATIENCE = 20
"""How much longer a run goes on than it last took to see who is retired, before it looks again."""

OUT_OF_MEMORY = "the machine ran out of memory"
NOT_STARTED = "the machine started no process for a bot"
LANE_LOST = "the process that plays it ended"
"""Why games fail for no fault of a bot."""

NO_FAULT = GameRecord(
    key="",
    columns=(),
    opening_plies=0,
    charged_ns=(),
    nodes=(),
    winner=0,
    verdict=Verdict.LINE,
    reason="",
)
"""Stands for every game that was lost on the board, or drawn: retirement asks no more of them."""

log = logging.getLogger("arena.contest")


class Run:
    """One go at a contest's missing games. Iterate over it to play."""

    def __init__(
        self,
        games: Iterable[ScheduledGame],
        journal: Journal,
        executor: Executor,
        lanes: int,
        retire_after: int = 0,
    ) -> None:
        """`lanes` is how many batches the executor can play at a time.

        After `retire_after` faults of one kind a bot is retired; 0 for never.
        """
        self._journal = journal
        self._executor = executor
        self._lanes = lanes
        self._retire_after = retire_after
        games = list(games)
        self._games = sample_order(games)
        self._by_key: dict[str, list[ScheduledGame]] = {}
        for game in games:
            self._by_key.setdefault(game.key.digest, []).append(game)
        self._known = dict.fromkeys(journal.keys() & self._by_key.keys(), NO_FAULT)
        self._doubt, self._look_at = False, 0.0
        self.retired: Mapping[str, Retirement] = {}
        """The bots that are retired, as far as is known."""
        self._suspects: set[str] = set()
        self._learn(journal.records(verdict for verdict in Verdict if verdict.is_fault))
        self.given_up: dict[str, str] = {}
        """Why games could not be played, a clause, by digest: they failed every time."""
        self._failures: Counter[str] = Counter()
        self._warned: set[str] = set()
        self._oom_kills = oom_kills()
        self._short: list[Batch] = []  # of games that the machine had not the memory for
        self.missing = self._missing()
        """The games to play, as far as is known, one of each key."""
        self._playing: dict[Future[list[GameRecord]], Batch] = {}
        self._since: dict[Future[list[GameRecord]], float] = {}

    def __iter__(self) -> Iterator[list[GameRecord]]:
        """Play, yielding the games that ended since the last time, which are in the journal.

        Yields an empty list when nothing happened for TICK_SECONDS. Stopping early loses only
        games under way. Raises InputError if this machine cannot confine bots, StorageError.
        """
        while self.missing:
            batches = _batches(self.missing, self._lanes)
            yield from self._play(deque(self._suspects_first(batches)), self._lanes)
            while self._short:  # alone, a game has all the memory there is
                short, self._short = self._short, []
                yield from self._play(deque(short), 1)
            self.missing = self._missing()

    def _play(self, waiting: deque[Batch], lanes: int) -> Iterator[list[GameRecord]]:
        """Play batches, but for games that turn out to be forfeits before their turn comes."""
        playing = self._playing
        while waiting or playing:
            while waiting and len(playing) < lanes:
                batch = waiting.popleft()
                if keys := tuple(key for key in batch.keys if self._is_wanted(key)):
                    batch = replace(batch, keys=keys)
                    future = self._executor.submit(play_batch, batch)
                    playing[future], self._since[future] = batch, monotonic()
            done, _ = wait(playing, TICK_SECONDS, FIRST_COMPLETED)
            records: list[GameRecord] = []
            for future in done:
                batch = playing.pop(future)
                del self._since[future]
                error = future.exception()
                if error is None:
                    played = future.result()
                    if any(record.verdict is Verdict.LOAD_ERROR for record in played):
                        require_files(batch.one, batch.other)
                    records.extend(played)
                    if rest := batch.keys[len(played) :]:
                        waiting.appendleft(replace(batch, keys=rest))
                elif isinstance(error, InputError):
                    require_files(batch.one, batch.other)
                    raise error
                else:
                    why = self._why(error)
                    level = logging.INFO if why in self._warned else logging.WARNING
                    self._warned.add(why)
                    log.log(level, "%s is played again: %s", batch.name, why, exc_info=error)
                    again = self._again(batch, why)
                    (self._short if why == OUT_OF_MEMORY else waiting).extend(again)
            self._journal.add(records)
            if self._learn(records):
                waiting = deque(self._suspects_first(waiting))
            yield records

    def not_played(self) -> list[str]:
        """What to say of the games that were given up: a line for each reason."""
        counts = Counter(self.given_up.values()).items()
        return [
            f"{count} {'game' if count == 1 else 'games'} could not be played: {why}, each time"
            for why, count in counts
        ]

    def longest_under_way(self) -> tuple[str, float]:
        """The pairing that has been playing for longest without a word, and its seconds."""
        if not self._since:
            return "", 0.0
        future = min(self._since, key=self._since.__getitem__)
        return self._playing[future].name, monotonic() - self._since[future]

    def _learn(self, records: Iterable[GameRecord]) -> bool:
        """See who is retired, now that these games are known; not more often than is cheap.

        Returns whether there are new suspects: bots that may have to be retired.
        """
        suspects = len(self._suspects)
        for record in records:
            if record.key not in self._by_key:
                continue
            self._known[record.key] = record if record.verdict.is_fault else NO_FAULT
            if self._retire_after and record.verdict in KINDS and record.loser is not None:
                self._doubt = True
                games = self._by_key[record.key]
                self._suspects.update((game.first, game.second)[record.loser] for game in games)
        if self._doubt and monotonic() >= self._look_at:
            self._look()
        return len(self._suspects) > suspects

    def _look(self) -> None:
        started = monotonic()
        self.retired = retirements(self._games, self._known, self._retire_after)
        self._doubt = False
        self._look_at = monotonic() + PATIENCE * (monotonic() - started)

    def _suspects_first(self, waiting: Iterable[Batch]) -> list[Batch]:
        """The waiting batches in another order, so that a bot that hangs soon plays no more.

        The games that tell whether a suspect is to be retired come first, one by one in sample
        order, and its other games last.
        """
        needed: Counter[str] = Counter()
        telling: set[str] = set()
        for game in self._games:
            for name in self._suspects.intersection((game.first, game.second)):
                needed[name] += 1
                if needed[name] <= SHARE * self._retire_after:
                    telling.add(game.key.digest)
        first: list[Batch] = []
        usual: list[Batch] = []
        last: list[Batch] = []
        for batch in waiting:
            told = [key for key in batch.keys if key.digest in telling]
            first += (replace(batch, keys=(key,)) for key in told)
            if rest := tuple(key for key in batch.keys if key.digest not in telling):
                game = self._by_key[rest[0].digest][0]
                later = not self._suspects.isdisjoint((game.first, game.second))
                (last if later else usual).append(replace(batch, keys=rest))
        first.sort(key=lambda batch: batch.keys[0].digest)
        return [*first, *usual, *last]

    def _is_wanted(self, key: GameKey) -> bool:
        """Whether the key's game counts somewhere: identical bots are not retired together."""
        return any(forfeit(game, self.retired) is None for game in self._by_key[key.digest])

    def _missing(self) -> list[ScheduledGame]:
        """One game of each key to be played: identical games are played once."""
        self._look()
        done = self._journal.keys().union(self.given_up)
        firsts = (games[0] for digest, games in self._by_key.items() if digest not in done)
        return [game for game in firsts if self._is_wanted(game.key)]

    def _why(self, error: BaseException) -> str:
        """Why a batch failed for no fault of a bot, a clause."""
        before, self._oom_kills = self._oom_kills, oom_kills()
        if isinstance(error, OutOfMemoryError) or self._oom_kills > before:
            return OUT_OF_MEMORY
        return NOT_STARTED if isinstance(error, StartError) else LANE_LOST

    def _again(self, batch: Batch, why: str) -> list[Batch]:
        """What to play of a batch that failed: game by game, to find the one that makes it fail."""
        if len(batch.keys) == 1:
            digest = batch.keys[0].digest
            self._failures[digest] += 1
            attempts = MEMORY_ATTEMPTS if why == OUT_OF_MEMORY else ATTEMPTS
            if self._failures[digest] >= attempts:
                log.info("%s: a game is given up: %s, each time", batch.name, why)
                self.given_up[digest] = why
                return []
        return [replace(batch, keys=(key,)) for key in batch.keys]


def require_files(*bots: Bot) -> None:
    """See that bots' folders are there, before one is blamed for what it lacks.

    Raises StorageError.
    """
    for bot in bots:
        if not os.path.isdir(bot.root):
            raise StorageError(
                f"{bot.root}: the files of a bot are gone; the arena run that made this contest "
                "puts them back"
            )


def _batches(games: Sequence[ScheduledGame], lanes: int) -> Iterator[Batch]:
    """Games of the same pairing together, in batches that share out well."""
    size = max(2, min(MAX_BATCH, len(games) // (lanes * SHARES)))
    by_pairing: dict[int, list[ScheduledGame]] = {}
    for game in games:
        by_pairing.setdefault(game.pairing, []).append(game)
    for together in by_pairing.values():
        for start in range(0, len(together), size):
            keys = tuple(game.key for game in together[start : start + size])
            name = f"{together[0].first} – {together[0].second}"
            yield Batch(keys[0].first, keys[0].second, keys, name)
