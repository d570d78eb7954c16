"""Running a contest: playing the games whose keys are missing from its journal.

Games of retired bots are not played. As lanes finish in any order, a bot may turn out to be
retired earlier than was known, or, its opponent's forfeits not counting, not to be retired at all:
so a run looks again for what is missing when it has played everything, until nothing is. That is
also how a contest goes on from one round to the next that is played until it is settled.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from arena.common.errors import OutOfMemoryError
from arena.contest.index import Ends, Places, index_of
from arena.contest.queue import Queue
from arena.contest.retirement import KINDS, SHARE, Retakes, Retirement, forfeit, retirements
from arena.contest.rounds import Rounds
from arena.game.record import GameKey, GameRecord
from arena.game.verdict import Verdict
from arena.journal.database import Journal
from arena.playing.driver import Driver, LaneExecutor, given_up_lines
from arena.playing.lanes import play_batch
from arena.playing.log import about
from arena.settings.contest import ScheduledGame

PATIENCE = 20
"""Looking who is retired is repeated after so many times as long as it took last."""


log = logging.getLogger("arena.contest")


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
        games: Sequence[ScheduledGame],
        journal: Journal,
        executor: LaneExecutor,
        retire_after: int = 0,
        rounds: Rounds | None = None,
        seconds: Mapping[str, float] | None = None,
        suspects: Collection[str] = (),
    ) -> None:
        """After `retire_after` faults of one kind a bot is retired; 0 for never. Without
        `rounds` all games are played. `seconds` and `suspects` are as for `expect`.
        """
        self._journal = journal
        self._executor = executor
        self._retire_after = retire_after
        self._suspects: set[str] = set()
        self._rounds = rounds
        self._index = index_of(games)
        self._ends = Ends(self._index)
        self._doubt, self._look_at = False, 0.0
        self.retired: Mapping[str, Retirement] = {}
        """The bots that are retired, as far as is known."""
        self._retakes = Retakes(self._index, journal.retakes())
        self._faults: Counter[tuple[str, Verdict]] = Counter()
        for digest, verdict, winner in journal.ends():
            self._learn(digest, verdict, winner)
        self.given_up: dict[str, str] = {}
        """Games that failed every time, by their digests, with the reason as a clause."""
        self._to_play = self._missing()
        self.missing = len(self._to_play)
        """The number of games to play, as far as is known, one of each key."""
        self.expect(seconds or {}, suspects)

    def expect(self, seconds: Mapping[str, float], suspects: Collection[str]) -> None:
        """Put the games in order, before the first is played.

        `seconds` is each bot's part of a game, as far as known: long games are played first. Before
        those come the games that tell whether `suspects`, which were waited for in vain in their
        trials, are to be retired.
        """
        if self._retire_after:
            self._suspects.update(suspects)
        self._queue = Queue(self._index, seconds)
        self._queue.suspect(self._suspects, SHARE * self._retire_after)
        self._queue.put(self._to_play, self._executor.lanes)
        self._driver = Driver(
            self._executor,
            play_batch,
            is_wanted=self._is_wanted,
            key_of=lambda key: key.digest,
            prepared=lambda batch: replace(batch, afresh=self._retakes.afresh),
            settled=self._settled,
        )
        self._driver.add(self._queue)

    def __iter__(self) -> Iterator[list[GameRecord]]:
        """Play, yielding the games that ended since the last time, which are in the journal.

        Yields an empty list when nothing has happened for a moment. Stopping early loses only
        games under way. Raises InputError if this machine cannot confine bots, StorageError.
        """
        while self.missing:
            for ended in self._driver:
                self.given_up.update((key.digest, why) for key, why in ended.given_up)
                suspects = len(self._suspects)
                records = [self._counted(record) for record in ended.results]
                for record in records:
                    self._learn(record.key, record.verdict, record.winner)
                if self._doubt and monotonic() >= self._look_at:
                    self._look()
                # what is left of a batch, which would be played next, may have games of such bots
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
            self._queue.put(self._to_play, self._executor.lanes)

    def known(self) -> Iterator[GameRecord]:
        """Yield the contest's games that are in the journal."""
        for record in self._journal.records():
            if self._index.key(record.key) is not None:
                yield record

    def not_played(self) -> list[str]:
        """Return what to say of the games that were given up: a line for each reason."""
        return given_up_lines(self.given_up.values(), "played")

    def under_way(self) -> list[Playing]:
        """Return what the lanes play that have given no word since, in the order of the lanes."""
        return [
            Playing(
                lane=each.lane,
                game=self._game(each.batch.items[0]),
                following=len(each.batch.items) - 1,
                seconds=each.seconds,
            )
            for each in self._driver.under_way()
        ]

    @property
    def held_up(self) -> str:
        """Why some or all lanes stand still, see `LaneExecutor`."""
        return self._executor.held_up

    @property
    def tail_seconds(self) -> float:
        """The seconds so far in which fewer games than lanes were left."""
        return self._driver.tail_seconds

    def _game(self, key: GameKey) -> ScheduledGame:
        number = self._index.key(key.digest)
        assert number is not None
        return self._index.first(number)

    def _counted(self, record: GameRecord) -> GameRecord:
        if not record.retakes:
            return record
        key = self._index.key(record.key)
        if key is None or self._ends.of(key):  # what comes twice counts once
            return replace(record, retakes=())
        return self._retakes.counted(record)

    def _settled(self, error: OutOfMemoryError) -> GameRecord | None:
        """Return a game for which memory ran out, if its bot gets no second try."""
        if not isinstance(error.record, GameRecord):
            return None
        record = self._counted(error.record)
        self._journal.add_retakes(record.retakes)
        is_denied = len(record.retakes) < len(error.record.retakes)
        return replace(record, retakes=()) if is_denied else None

    def _learn(self, digest: str, verdict: Verdict, winner: int | None) -> None:
        key = self._index.key(digest)
        if key is None or self._ends.of(key):  # what comes twice counts once
            return
        self._ends.add(key, verdict, winner)
        if verdict in KINDS and winner is not None:
            self._doubt = True
            for game in self._index.with_key(key):
                loser = (game.second, game.first)[winner]
                self._faults[loser, verdict] += 1
                if self._retire_after:
                    self._suspects.add(loser)

    def _look(self) -> None:
        """See who is retired, now that these games are known; not more often than is cheap."""
        started = monotonic()
        before = self.retired
        often = {name for (name, _), faults in self._faults.items() if faults >= self._retire_after}
        if self._retire_after and often:
            places = self._index.sampled_with(often)
            places = places[self._ends.are_known[self._index.keys[places]]]
            games = [self._index.games[place] for place in places.tolist()]
            self.retired = retirements(games, self._ends, self._retire_after)
        for name in self.retired.keys() - before.keys():
            with about(bots=(name,)):
                log.info("%s is %s", name, self.retired[name])
        for name in before.keys() - self.retired.keys():
            with about(bots=(name,)):
                log.info("%s is no longer retired", name)
        self._doubt = False
        self._look_at = monotonic() + PATIENCE * (monotonic() - started)

    def _put_suspects_first(self) -> None:
        """Change the order of all that waits: a bot that hangs soon plays no more."""
        for rest in self._driver.rests:
            self._queue.put_back(rest.items)
        self._driver.rests.clear()
        self._queue.suspect(self._suspects, SHARE * self._retire_after)

    def _is_wanted(self, key: GameKey) -> bool:
        """True if the key's game counts anywhere: identical bots are not retired together."""
        number = self._index.key(key.digest) if self.retired else None
        return number is None or self._counts(number)

    def _counts(self, key: int) -> bool:
        """True if a game with the key of this number is no forfeit."""
        return any(forfeit(game, self.retired) is None for game in self._index.with_key(key))

    def _missing(self) -> Places:
        """Return the numbers of the keys to be played: identical games are played once."""
        self._look()
        if self._rounds is not None:
            due = self._rounds.due(self._ends, self.retired, self.given_up.keys())
            self._rounds.begin(due)
            return np.array([self._index.key(game.key.digest) for game in due], np.int32)
        is_missing = ~self._ends.are_known
        for digest in self.given_up:
            is_missing[self._index.key(digest)] = False
        if self.retired:
            of_retired = np.unique(self._index.keys[self._index.are_with(self.retired)])
            for key in of_retired[is_missing[of_retired]].tolist():
                is_missing[key] = self._counts(key)
        return np.flatnonzero(is_missing).astype(np.int32)
