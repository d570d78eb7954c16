"""Running a contest: playing the games whose keys are missing from its journal.

Games of retired bots are not played. As lanes finish in any order, a bot may turn out to be
retired earlier than was known, or, its opponent's forfeits not counting, not to be retired at all:
so a run looks again for what is missing when it has played everything, until nothing is. That is
also how a contest goes on from one round to the next that is played until it is settled.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from time import monotonic
from types import MappingProxyType

from arena.contest.driver import Batch, Driver, given_up_lines
from arena.contest.journal import Journal
from arena.contest.lanes import play_batch
from arena.contest.retirement import (
    KINDS,
    SHARE,
    Retirement,
    forfeit,
    retirements,
    sample_order,
)
from arena.contest.rounds import Rounds
from arena.contest.schedule import ScheduledGame
from arena.referee import GameKey, GameRecord, Verdict

MAX_BATCH = 200
"""Games in the longest batch."""

SHARES = 8
"""Into how many batches a lane's part of the contest is cut at least, so that all end together."""

PATIENCE = 20
"""Looking who is retired is repeated after so many times as long as it took last."""

NO_FAULT: Mapping[int | None, GameRecord] = MappingProxyType(
    {
        winner: GameRecord(
            key="",
            columns=(),
            opening_plies=0,
            charged_ns=(),
            nodes=(),
            winner=winner,
            verdict=Verdict.LINE,
            reason="",
        )
        for winner in (0, 1, None)
    }
)
"""Stand, by the winner, for every game that ended on the board: a run asks no more of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    """The games that a lane has been given, all of one pairing."""

    lane: int
    """The lane, from 0."""

    game: ScheduledGame
    """The first of the games. A lane hands back what has ended after half a second, so a game that
    takes longer is the one that is played now."""

    following: int
    """Number of games that follow it."""

    seconds: float
    """For how long the lane has been playing them."""


class Run:
    """One go at a contest's missing games. Iterate over it to play."""

    def __init__(
        self,
        games: Iterable[ScheduledGame],
        journal: Journal,
        executor: Executor,
        lanes: int,
        retire_after: int = 0,
        rounds: Rounds | None = None,
    ) -> None:
        """`lanes` is how many batches the executor can play at a time.

        After `retire_after` faults of one kind a bot is retired; 0 for never. Without `rounds`
        all games are played.
        """
        self._journal = journal
        self._lanes = lanes
        self._retire_after = retire_after
        self._rounds = rounds
        games = list(games)
        self._games = sample_order(games)
        self._by_key: dict[str, list[ScheduledGame]] = {}
        for game in games:
            self._by_key.setdefault(game.key.digest, []).append(game)
        self._known = dict.fromkeys(journal.keys() & self._by_key.keys(), NO_FAULT[None])
        self._doubt, self._look_at = False, 0.0
        self.retired: Mapping[str, Retirement] = {}
        """The bots that are retired, as far as is known."""
        self._suspects: set[str] = set()
        # to read only the faults is quicker, but rounds are chosen from all results
        told = [verdict for verdict in Verdict if verdict.is_fault or rounds is not None]
        self._learn(journal.records(told))
        self.given_up: dict[str, str] = {}
        """Games that failed every time, by their digests, with the reason as a clause."""
        self.missing = self._missing()
        """The games to play, as far as is known, one of each key."""
        self._driver = Driver(executor, lanes, play_batch, is_wanted=self._is_wanted)

    def __iter__(self) -> Iterator[list[GameRecord]]:
        """Play, yielding the games that ended since the last time, which are in the journal.

        Yields an empty list when nothing has happened for a moment. Stopping early loses only
        games under way. Raises InputError if this machine cannot confine bots, StorageError.
        """
        while self.missing:
            self._driver.add(self._suspects_first(_batches(self.missing, self._lanes)))
            for ended in self._driver:
                self.given_up.update((key.digest, why) for key, why in ended.given_up)
                self._journal.add(ended.results)
                if self._learn(ended.results):
                    self._driver.waiting = deque(self._suspects_first(self._driver.waiting))
                yield ended.results
            self.missing = self._missing()

    def known(self) -> Iterator[GameRecord]:
        """Yield the contest's games that are in the journal."""
        return (record for record in self._journal.records() if record.key in self._by_key)

    def not_played(self) -> list[str]:
        """Return what to say of the games that were given up: a line for each reason."""
        return given_up_lines(self.given_up.values(), "played")

    def under_way(self) -> list[Playing]:
        """Return what the lanes play that have given no word since, in the order of the lanes."""
        return [
            Playing(
                lane=each.lane,
                game=self._by_key[each.batch.items[0].digest][0],
                following=len(each.batch.items) - 1,
                seconds=each.seconds,
            )
            for each in self._driver.under_way()
        ]

    def _learn(self, records: Iterable[GameRecord]) -> bool:
        """See who is retired, now that these games are known; not more often than is cheap.

        Returns whether there are new suspects: bots that may have to be retired.
        """
        suspects = len(self._suspects)
        for record in records:
            if record.key not in self._by_key:
                continue
            is_fault = record.verdict.is_fault
            self._known[record.key] = record if is_fault else NO_FAULT[record.winner]
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

    def _suspects_first(self, waiting: Iterable[Batch[GameKey]]) -> list[Batch[GameKey]]:
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
        first: list[Batch[GameKey]] = []
        usual: list[Batch[GameKey]] = []
        last: list[Batch[GameKey]] = []
        for batch in waiting:
            told = [key for key in batch.items if key.digest in telling]
            first += (replace(batch, items=(key,)) for key in told)
            if rest := tuple(key for key in batch.items if key.digest not in telling):
                game = self._by_key[rest[0].digest][0]
                later = not self._suspects.isdisjoint((game.first, game.second))
                (last if later else usual).append(replace(batch, items=rest))
        first.sort(key=lambda batch: batch.items[0].digest)
        return [*first, *usual, *last]

    def _is_wanted(self, key: GameKey) -> bool:
        """True if the key's game counts anywhere: identical bots are not retired together."""
        return any(forfeit(game, self.retired) is None for game in self._by_key[key.digest])

    def _missing(self) -> list[ScheduledGame]:
        """One game of each key to be played: identical games are played once."""
        self._look()
        if self._rounds is not None:
            due = self._rounds.due(self._known, self.retired, self.given_up.keys())
            self._rounds.begin(due)
            return due
        done = self._journal.keys().union(self.given_up)
        firsts = (games[0] for digest, games in self._by_key.items() if digest not in done)
        return [game for game in firsts if self._is_wanted(game.key)]


def _batches(games: Sequence[ScheduledGame], lanes: int) -> Iterator[Batch[GameKey]]:
    """Games of the same pairing together, in batches that share out well."""
    size = max(2, min(MAX_BATCH, len(games) // (lanes * SHARES)))
    by_pairing: dict[int, list[ScheduledGame]] = {}
    for game in games:
        by_pairing.setdefault(game.pairing, []).append(game)
    for together in by_pairing.values():
        for start in range(0, len(together), size):
            keys = tuple(game.key for game in together[start : start + size])
            name = f"{together[0].first} – {together[0].second}"
            yield Batch(name, keys)
