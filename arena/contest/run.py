"""Running a contest: playing the games whose keys are missing from its journal."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace
from time import monotonic

from arena.contest.journal import Journal
from arena.contest.lanes import Batch, play_batch
from arena.contest.schedule import ScheduledGame
from arena.errors import InputError
from arena.referee import GameRecord

MAX_BATCH = 200
"""Games in the longest batch."""

SHARES = 8
"""Into how many batches a lane's part of the contest is cut at least, so that all end together."""

TICK_SECONDS = 0.25
"""How often a run gives word even if no game has ended."""

ATTEMPTS = 3
"""How often a game may take its lane down before it is given up."""

log = logging.getLogger("arena.contest")


class Run:
    """One go at a contest's missing games. Iterate over it to play."""

    def __init__(
        self, games: Sequence[ScheduledGame], journal: Journal, executor: Executor, lanes: int
    ) -> None:
        """`lanes` is how many batches the executor can play at a time."""
        self._journal = journal
        self._executor = executor
        self._lanes = lanes
        known = journal.keys()
        self.missing = [game for game in _distinct(games) if game.key.digest not in known]
        """The games to play, one of each key."""
        self.given_up: list[str] = []
        """Digests of games that took their lane down every time they were tried."""
        self._playing: dict[Future[list[GameRecord]], Batch] = {}
        self._since: dict[Future[list[GameRecord]], float] = {}

    def __iter__(self) -> Iterator[list[GameRecord]]:
        """Play, yielding the games that ended since the last time, which are in the journal.

        Yields an empty list when nothing happened for TICK_SECONDS. Stopping early loses only
        games under way. Raises InputError if this machine cannot confine bots.
        """
        waiting = deque(_batches(self.missing, self._lanes))
        playing = self._playing
        crashes: Counter[str] = Counter()
        while waiting or playing:
            while waiting and len(playing) < self._lanes:
                batch = waiting.popleft()
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
                    records.extend(played)
                    if rest := batch.keys[len(played) :]:
                        waiting.appendleft(replace(batch, keys=rest))
                elif isinstance(error, InputError):
                    raise error
                else:
                    log.warning("a lane failed, %s is played again", batch.name, exc_info=error)
                    waiting.extend(self._again(batch, crashes))
            self._journal.add(records)
            yield records

    def longest_under_way(self) -> tuple[str, float]:
        """The pairing that has been playing for longest without a word, and its seconds."""
        if not self._since:
            return "", 0.0
        future = min(self._since, key=self._since.__getitem__)
        return self._playing[future].name, monotonic() - self._since[future]

    def _again(self, batch: Batch, crashes: Counter[str]) -> list[Batch]:
        """What to play of a batch that took its lane down: game by game, to find the culprit."""
        if len(batch.keys) == 1:
            digest = batch.keys[0].digest
            crashes[digest] += 1
            if crashes[digest] == ATTEMPTS:
                log.error("%s: a game took its lane down %d times: given up", batch.name, ATTEMPTS)
                self.given_up.append(digest)
                return []
        return [replace(batch, keys=(key,)) for key in batch.keys]


def _distinct(games: Sequence[ScheduledGame]) -> list[ScheduledGame]:
    """One game of each key: identical bots have identical games, which are played once."""
    return list({game.key.digest: game for game in reversed(games)}.values())[::-1]


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
