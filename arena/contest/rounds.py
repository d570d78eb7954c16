"""Rounds of a contest that is played until it is settled.

Games are chosen by earlier results, a round at a time: by whole rounds, so that it does not matter
which lane finished first. A file keeps the current round, and a stopped run continues with it. All
other games in the journal count too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from pathlib import Path

import numpy as np

from arena.common.files import write_file
from arena.contest.retirement import Retirement, Settled, forfeit
from arena.game.record import GameRecord
from arena.settings.contest import Contest, ScheduledGame
from arena.statistics.bradley_terry import Evidence, Ratings, fit, with_shared_openings
from arena.statistics.settling import Counts, OpeningPairs, next_round, undecided_neighbours


class Rounds:
    def __init__(
        self,
        contest: Contest,
        games: Sequence[ScheduledGame],
        file: Path,
        late: Set[str] = frozenset(),
    ) -> None:
        """`games` are all possible games; `file` keeps the current round.

        Games of bots on time are chosen as if `late` bots did not exist.
        """
        among = [game for game in games if late.isdisjoint(game.names)]
        self._on_time = Rounds(contest, among, file) if late and among else None
        self._late = late
        self._yardsticks = frozenset(contest.yardsticks)
        rule = contest.marking
        self._in_full = frozenset(rule.needs if rule and rule.by_shares else ())
        self._level = contest.schedule.until_settled
        self._file = file
        self._kept = _read(file)
        self.players = _players(contest, games)
        index = {name: player for player, names in enumerate(self.players) for name in names}
        units: dict[tuple[int, int], dict[int, list[ScheduledGame]]] = {}
        for game in games:
            low, high = sorted((index[game.first], index[game.second]))
            if low != high:  # games of identical bots carry no information
                units.setdefault((low, high), {}).setdefault(game.opening, []).append(game)
        # each pair of players has its own order of openings, so no opening dominates
        self._units = {pair: sorted(each.values(), key=_least) for pair, each in units.items()}
        """Games by player pair (lower index first) and opening."""
        self._by_key: dict[str, list[ScheduledGame]] = {}
        for game in games:
            self._by_key.setdefault(game.key.digest, []).append(game)
        self._index = index
        self._held = {index[name]: elo for name, elo in contest.held.items() if name in index}

    @classmethod
    def of(
        cls, contest: Contest, games: Sequence[ScheduledGame], file: Path, late: Set[str]
    ) -> Rounds | None:
        """Return the rounds of a contest that plays until settled; None for others."""
        if not contest.schedule.until_settled:
            return None
        return cls(contest, games, file, late if contest.grades.freeze else frozenset())

    def planned(self, settled: Settled, records: Mapping[str, GameRecord]) -> Settled:
        retired = settled.retired
        due, undecided = self.due(records, retired), self._undecided(records, retired)
        return replace(settled, due=due, undecided=undecided)

    def due(
        self,
        records: Mapping[str, GameRecord],
        retired: Mapping[str, Retirement],
        abandoned: Set[str] = frozenset(),
    ) -> list[ScheduledGame]:
        """Return the games to play now; none if no remaining game is informative enough.

        They are the missing games of the current round, or else a new round. `records` and
        `abandoned` are by key digest.
        """
        if self._on_time and (due := self._on_time.due(records, retired, abandoned)):
            return due
        done = records.keys() | abandoned
        missing = (self._by_key[digest] for digest in self._kept if digest in self._by_key)
        wanted = (
            games[0]
            for games in missing
            if games[0].key.digest not in done
            and any(forfeit(game, retired) is None for game in games)
        )
        return sorted(wanted, key=attrgetter("number")) or self._next(records, retired, abandoned)

    def begin(self, games: Sequence[ScheduledGame]) -> None:
        """Store these games as the current round. Raises OSError."""
        digests = frozenset(game.key.digest for game in games)
        if not digests <= self._kept:
            self._kept = digests
            if self._on_time:
                self._on_time._kept = digests
            write_file(self._file, json.dumps({"round": sorted(digests)}) + "\n", durable=True)

    def standing(
        self,
        records: Mapping[str, GameRecord],
        retired: Mapping[str, Retirement],
        abandoned: Set[str] = frozenset(),
    ) -> tuple[Ratings, Counts, Counts]:
        """Return ratings, and the numbers of opening pairs played and still playable.

        Both are tables by pair of players. An opening pair is an opening from both sides.
        """
        count = len(self.players)
        played = np.zeros((count, count), dtype=np.int64)
        left = np.zeros_like(played)
        is_out = [self._is_out(player, retired) for player in range(count)]
        units: list[tuple[int, int, float, float, float, float]] = []
        sides: list[tuple[int, int, int, float]] = []
        for (one, other), openings in self._units.items():
            for games in openings:
                results = [forfeit(game, retired) or records.get(game.key.digest) for game in games]
                has_result = [record is not None for record in results]
                if any(has_result):
                    counted = [*self._counted(games, results)]
                    sides += counted
                    points = [
                        [side[3] for side in counted if side[0] == who] for who in (one, other)
                    ]
                    numbers = (len(points[0]), len(points[1]), sum(points[0]), sum(points[1]))
                    units.append((one, other, *numbers))
                if all(has_result):
                    played[one, other] += 1
                elif not (is_out[one] or is_out[other]) and self._can_play(games, abandoned):
                    left[one, other] += 1
        ones, others, *sums = np.reshape(units, (-1, 6)).T
        evidence = Evidence.of(count, ones, others, (sums[0], sums[1]), (sums[2], sums[3]))
        columns = np.reshape(sides, (-1, 4)).T
        who, whom = columns[:2].astype(np.int64)
        _, opening = np.unique(columns[2], return_inverse=True)
        fitted = fit(evidence, held=self._held)
        ratings = with_shared_openings(fitted, who, whom, opening, columns[3])
        return ratings, played + played.T, left + left.T

    def _next(
        self,
        records: Mapping[str, GameRecord],
        retired: Mapping[str, Retirement],
        abandoned: Set[str],
    ) -> list[ScheduledGame]:
        """Return a new round. Games that grades need come first."""
        ratings, played, left = self.standing(records, retired, abandoned)
        pairs = self._needed(left) or next_round(ratings, played, left, self._level)
        chosen: dict[str, ScheduledGame] = {}
        for one, other, count in pairs:
            missing = (
                {
                    game.key.digest: game
                    for game in reversed(games)
                    if game.key.digest not in records
                }
                for games in self._units[one, other]
                if self._can_play(games, abandoned)
            )
            for games in islice(filter(None, missing), count):
                chosen |= games
        return sorted(chosen.values(), key=attrgetter("number"))

    def _needed(self, left: Counts) -> OpeningPairs:
        """Return all remaining opening pairs with house players that grades need."""
        is_measure = [not self._in_full.isdisjoint(names) for names in self.players]
        return [
            (one, other, int(left[one, other]))
            for one, other in self._units
            if left[one, other] and (is_measure[one] or is_measure[other])
        ]

    def _counted(
        self, games: Iterable[ScheduledGame], results: Iterable[GameRecord | None]
    ) -> Iterator[tuple[int, int, int, float]]:
        """Yield (player, opponent, opening, points) for each side of a game that counts."""
        for game, record in zip(games, results, strict=True):
            if record is None or not record.is_game:
                continue
            for seat, name in enumerate(game.names):
                has_won = record.winner == seat
                if not (has_won and record.verdict.is_fault and name in self._yardsticks):
                    points = 0.5 if record.winner is None else float(has_won)
                    yield self._index[name], self._index[game.names[1 - seat]], game.opening, points

    def _undecided(
        self, records: Mapping[str, GameRecord], retired: Mapping[str, Retirement]
    ) -> list[tuple[str, str]]:
        ratings, _, _ = self.standing(records, retired)
        pairs = undecided_neighbours(ratings, self._level)
        return [
            (self.players[one][0], self.players[other][0])
            for one, other in pairs
            if not (self._is_out(one, retired) or self._is_out(other, retired))
        ]

    def _can_play(self, games: Iterable[ScheduledGame], abandoned: Set[str]) -> bool:
        return all(
            game.key.digest not in abandoned
            and not (self._late and self._late.isdisjoint(game.names))
            for game in games
        )

    def _is_out(self, player: int, retired: Mapping[str, Retirement]) -> bool:
        return all(name in retired for name in self.players[player])


def _players(contest: Contest, games: Iterable[ScheduledGame]) -> list[list[str]]:
    """Return the names of each player's bots; identical bots are one player.

    The order decides who meets first. It is as good as random, and does not depend on late bots.
    """
    identities: dict[str, str] = {}
    for game in games:
        identities.setdefault(game.first, game.key.first.identity)
        identities.setdefault(game.second, game.key.second.identity)
    players: dict[str, list[str]] = {}
    for name, identity in identities.items():
        players.setdefault(identity, []).append(name)
    seed = contest.schedule.seed
    return sorted(
        players.values(), key=lambda names: hashlib.sha256(f"{seed}/{names[0]}".encode()).digest()
    )


def _least(games: Iterable[ScheduledGame]) -> str:
    return min(game.key.digest for game in games)


def _read(file: Path) -> frozenset[str]:
    try:
        return frozenset(map(str, json.loads(file.read_text(encoding="utf-8"))["round"]))
    except (OSError, ValueError, TypeError, KeyError):
        return frozenset()
