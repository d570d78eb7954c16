"""Rounds of a contest whose games are chosen by earlier results.

Games are chosen by whole rounds, so that it does not matter which lane finished first. A file keeps
the current round, and a stopped run continues with it. All other games in the journal count too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.common.files import write_file
from arena.contest.index import NOBODY_WON, Ends, GameIndex, GamesAt, Places, index_of, outcomes
from arena.contest.queue import of_bots
from arena.contest.retirement import Retirement, Settled, forfeits
from arena.game.record import GameRecord
from arena.openings.pool import shared_places
from arena.settings.contest import Contest, ScheduledGame
from arena.statistics import choosing
from arena.statistics.bradley_terry import Evidence, Ratings, fit, with_shared_openings

# Least opening pairs of a round for each lane, so that lanes seldom wait for the last game. Rounds
# until settled do not depend on the lanes.
PAIRS_A_LANE = 4

# If all games are expected to take at most this part of the time left, they are one round: then
# quick bots start less often.
ALL_FITS = 0.5


class Stage(NamedTuple):
    ratings: Ratings
    played: choosing.Counts
    left: choosing.Counts
    is_open: choosing.Flags


class TimeLeft(NamedTuple):
    seconds: float
    """Infinite without a limit."""

    games: Mapping[str, float]
    """Expected seconds of each bot's part of a game, by name; unknown bots are missing."""

    lanes: int

    only_needed: bool = False
    """True if the contest's time is over: only games that every bot needs for a grade begin."""


NO_LIMIT = TimeLeft(inf, {}, 1)
ONLY_NEEDED = TimeLeft(inf, {}, 1, only_needed=True)


class Meetings:
    """The opening pairs of some games, as arrays.

    Identical bots are one player: games between them are left out, and their games from the same
    opening against another player are one opening pair.
    """

    def __init__(self, contest: Contest, index: GameIndex, among: choosing.Flags) -> None:
        """Use the games at which `among` is true; both games of a pair are in a row."""
        self._index = index
        numbers = np.unique(index.sides[among]).tolist()
        names = [index.names[number] for number in numbers]
        self.players = _players(contest, {name: index.bots[name].identity for name in names})
        self._of_bot = {name: player for player, each in enumerate(self.players) for name in each}
        self._player = np.full(len(index.names), -1)
        self._player[numbers] = [self._of_bot[name] for name in names]
        self.is_graded = np.array(
            [not all(contest.bots[name].house for name in each) for each in self.players]
        )
        self._is_yardstick = np.isin(index.names, contest.yardsticks)
        self._held = {
            self._of_bot[name]: elo for name, elo in contest.held.items() if name in self._of_bot
        }
        sides = self._player[index.sides]
        self._used = np.flatnonzero((among & (sides[:, 0] != sides[:, 1]))[::2]) * 2
        """Places of the first games of all pairs used."""
        keys = index.keys[self._used], index.keys[self._used + 1]
        least_place = np.minimum(index.firsts[keys[0]], index.firsts[keys[1]]) // 2
        _, chosen, group = np.unique(least_place, return_index=True, return_inverse=True)
        low, high = np.sort(sides[self._used[chosen]], axis=1).T
        meeting = low * len(self.players) + high
        # each pair of players has its own order of openings, with those that all share at the end,
        # so no opening dominates
        plan = contest.schedule
        shared = shared_places(plan.openings, plan.shared_openings)
        is_shared = np.isin(index.opening_places[self._used[chosen]], shared)
        order = np.lexsort((np.minimum(*keys)[chosen], is_shared, meeting))
        self._meeting = meeting[order]
        """For each opening pair, the number of its players' pair, ascending."""
        self._places = self._used[chosen[order]]
        """For each opening pair, the place of its first game; the second is the next."""
        self._group = np.argsort(order)[group]
        """For each place in `_used`, the index of its opening pair."""

    def stage(
        self, ends: Ends, retired: Mapping[str, Retirement], cannot_play: choosing.Flags
    ) -> Stage:
        """Return the stage; pairs with a game in `cannot_play` are not left."""
        index, count = self._index, len(self.players)
        made_up = forfeits(index, retired)
        numbers = np.where(made_up, made_up, ends.by_place)
        is_whole = self._are_all((numbers[self._used] > 0) & (numbers[self._used + 1] > 0))
        is_out = np.array([all(name in retired for name in names) for names in self.players])
        is_possible = ~(cannot_play[self._used] | cannot_play[self._used + 1])
        one, other = np.divmod(self._meeting, count)
        is_open = ~is_whole & self._are_all(is_possible) & ~is_out[one] & ~is_out[other]
        played, left = (self._table(self._meeting[which]) for which in (is_whole, is_open))
        return Stage(self._ratings(numbers), played, left, is_open)

    def seconds(self, games: Mapping[str, float]) -> NDArray[np.float64]:
        """Return the expected seconds of an opening pair, n × n; see `TimeLeft.games`."""
        of_player = of_bots([names[0] for names in self.players], games).astype(np.float64)
        return 2 * (of_player[:, None] + of_player[None, :])

    def next_open(self, stage: Stage, one: int, other: int, count: int) -> list[int]:
        """Return the first places of the next `count` open pairs between two players."""
        meeting = one * len(self.players) + other
        low, high = np.searchsorted(self._meeting, [meeting, meeting + 1])
        found: list[int] = self._places[low:high][stage.is_open[low:high]][:count].tolist()
        return found

    def _ratings(self, numbers: NDArray[np.uint8]) -> Ratings:
        index, count = self._index, len(self.players)
        both = np.concatenate([self._used, self._used + 1])
        group = np.concatenate([self._group, self._group])
        ended = numbers[both] > 0
        places, group = both[ended], group[ended]
        winner, is_fault, is_game = outcomes(numbers[places])
        columns = []
        for seat in (0, 1):
            bots, others = index.sides[places, seat], index.sides[places, 1 - seat]
            has_won = winner == seat
            counts = is_game & ~(has_won & is_fault & self._is_yardstick[bots])
            points = np.where(winner == NOBODY_WON, 0.5, has_won)
            side = self._player[bots], self._player[others], index.openings[places], points, group
            columns.append([column[counts] for column in side])
        who, whom, openings, points, group = map(np.concatenate, zip(*columns, strict=True))
        touched, unit = np.unique(group, return_inverse=True)
        one, other = np.divmod(self._meeting[touched], count)
        is_one = who == one[unit]
        games, sums = (
            [np.bincount(unit[own], of[own], len(touched)) for own in (is_one, ~is_one)]
            for of in (np.ones(len(unit)), points)
        )
        evidence = Evidence.of(count, one, other, (games[0], games[1]), (sums[0], sums[1]))
        _, opening = np.unique(openings, return_inverse=True)
        fitted = fit(evidence, held=self._held)
        return with_shared_openings(fitted, who, whom, opening, points)

    def _are_all(self, flags: choosing.Flags) -> choosing.Flags:
        found: choosing.Flags = np.bincount(self._group, ~flags, len(self._places)) == 0
        return found

    def _table(self, meetings: NDArray[np.int64]) -> choosing.Counts:
        count = len(self.players)
        table = np.bincount(meetings, minlength=count * count).reshape(count, count)
        return table + table.T


class Rounds:
    def __init__(
        self,
        contest: Contest,
        games: Sequence[ScheduledGame],
        file: Path,
        late: Set[str] = frozenset(),
    ) -> None:
        """Choose among `games`, those of bots on time as if `late` bots did not exist."""
        self._index = index = index_of(games)
        is_late = index.are_with(late)
        self._is_on_time = ~is_late & bool(late)
        """For each game whether `_on_time` chooses it, not `meetings`."""
        self.meetings = Meetings(contest, index, np.ones(len(games), np.bool_))
        self._on_time = Meetings(contest, index, ~is_late) if self._is_on_time.any() else None
        rule = contest.marking
        self._in_full = frozenset(rule.needs if rule and rule.by_shares else ())
        self._level = contest.schedule.until_settled
        self._until = contest.schedule.until
        self._file = file
        self._kept, ended = _read(file)
        self._has_ended = self._until is not None and ended == self._until.isoformat()

    @classmethod
    def of(
        cls, contest: Contest, games: Sequence[ScheduledGame], file: Path, late: Set[str]
    ) -> Rounds | None:
        """Return the rounds of a contest that chooses its games; None for others."""
        if not contest.schedule.in_rounds:
            return None
        return cls(contest, games, file, late if contest.grades.freeze else frozenset())

    def planned(self, settled: Settled, records: Mapping[str, GameRecord]) -> Settled:
        """Return the results with the games due; after the contest's time, needed ones."""
        ends = Ends.from_records(self._index, records)
        time = ONLY_NEEDED if self._has_ended else NO_LIMIT
        due = self._index.firsts[self.due(ends, settled.retired, time)]
        undecided = self._undecided(ends, settled.retired) if self._level else ()
        return replace(settled, due=GamesAt(self._index.games, np.sort(due)), undecided=undecided)

    def due(
        self,
        ends: Ends,
        retired: Mapping[str, Retirement],
        time: TimeLeft,
        abandoned: Set[str] = frozenset(),
    ) -> Places:
        """Return the keys of the games to play now; none if no game is informative enough.

        Missing games of the current round and of begun pairs come before a new round.
        """
        index = self._index
        barred = self._are_among(abandoned)
        is_missing = ~ends.are_known & ~barred
        counts = np.zeros(len(is_missing), np.bool_)
        counts[index.keys[forfeits(index, retired) == 0]] = True
        is_second = ends.are_known[index.keys[index.firsts ^ 1]]  # of its opening pair
        # a run of all games may have stopped between the two games of a pair
        is_begun = is_second.copy()
        is_begun[index.keys[index.are_with(retired)]] = False
        is_due = is_missing & counts & (self._are_among(self._kept) | is_begun)
        due: Places = np.flatnonzero(is_due & (is_second | self._fit(time))).astype(np.int32)
        if not len(due):
            due = self._next(ends, retired, barred[index.keys], time)
        return due[is_missing[due]]

    def begin(self, keys: Places) -> None:
        digests = frozenset(map(self._index.digest, keys.tolist()))
        if not digests <= self._kept:
            self._kept = digests
            self._write()

    def end(self) -> None:
        if self._until is not None and not self._has_ended:
            self._has_ended = True
            self._write()

    def _write(self) -> None:
        values: dict[str, Any] = {"round": sorted(self._kept)}
        if self._until is not None and self._has_ended:
            values["ended"] = self._until.isoformat()
        write_file(self._file, json.dumps(values) + "\n", durable=True)

    def _fit(self, time: TimeLeft) -> choosing.Flags:
        of_bot = of_bots(self._index.names, time.games)
        seconds = 2 * of_bot[self._index.sides[self._index.firsts]].sum(axis=1)
        fits: choosing.Flags = (seconds <= time.seconds) & (not time.only_needed)
        return fits

    def _next(
        self,
        ends: Ends,
        retired: Mapping[str, Retirement],
        is_barred: choosing.Flags,
        time: TimeLeft,
    ) -> Places:
        """Return the keys of a new round. Games that every bot needs for a grade come first."""
        stages = [(self.meetings, self.meetings.stage(ends, retired, is_barred | self._is_on_time))]
        if self._on_time:
            stages.insert(0, (self._on_time, self._on_time.stage(ends, retired, is_barred)))
        for choose in (self._needed, self._informative):
            for meetings, stage in stages:
                if pairs := choose(meetings, stage, time):
                    found = [meetings.next_open(stage, *pair) for pair in pairs]
                    places = np.array(list(chain.from_iterable(found)), np.int32)
                    return np.unique(self._index.keys[np.concatenate([places, places + 1])])
        return np.zeros(0, np.int32)

    def _needed(self, meetings: Meetings, stage: Stage, time: TimeLeft) -> choosing.OpeningPairs:
        """Return missing opening pairs with players that count in full, else some that all need."""
        left = _fitting(meetings, stage, time)
        is_measure = [not self._in_full.isdisjoint(names) for names in meetings.players]
        in_full = [
            (one, other, int(left[one, other]))
            for one, other in np.argwhere(np.triu(left)).tolist()
            if is_measure[one] or is_measure[other]
        ]
        return in_full or choosing.first_round(stage.played, left)

    def _informative(
        self, meetings: Meetings, stage: Stage, time: TimeLeft
    ) -> choosing.OpeningPairs:
        if time.only_needed:
            return []
        ratings, played, left = stage.ratings, stage.played, _fitting(meetings, stage, time)
        if self._level:
            return choosing.order_round(ratings, played, left, self._level)
        least, seconds = PAIRS_A_LANE * time.lanes, meetings.seconds(time.games)
        expected = float((np.triu(left) * seconds).sum()) / time.lanes
        if expected <= ALL_FITS * time.seconds < inf:
            pairs = np.argwhere(np.triu(left)).tolist()
            return [(one, other, int(left[one, other])) for one, other in pairs]
        return choosing.accurate_round(ratings, played, left, meetings.is_graded, seconds, least)

    def _undecided(self, ends: Ends, retired: Mapping[str, Retirement]) -> list[tuple[str, str]]:
        nothing = np.zeros(len(self._index.games), np.bool_)
        players = self.meetings.players
        ratings = self.meetings.stage(ends, retired, nothing).ratings
        pairs = choosing.undecided_neighbours(ratings, self._level)
        return [
            (players[one][0], players[other][0])
            for one, other in pairs
            if not any(all(name in retired for name in players[each]) for each in (one, other))
        ]

    def _are_among(self, digests: Iterable[str]) -> choosing.Flags:
        found = np.zeros(len(self._index.firsts), np.bool_)
        found[[key for key in map(self._index.key, digests) if key is not None]] = True
        return found


def _fitting(meetings: Meetings, stage: Stage, time: TimeLeft) -> choosing.Counts:
    return np.where(meetings.seconds(time.games) <= time.seconds, stage.left, 0)


def _players(contest: Contest, identities: Mapping[str, str]) -> list[list[str]]:
    """Return the names of each player's bots; identical bots are one player.

    The order decides who meets first. It is as good as random, and does not depend on late bots.
    """
    players: dict[str, list[str]] = {}
    for name, identity in identities.items():
        players.setdefault(identity, []).append(name)
    seed = contest.schedule.seed
    return sorted(
        players.values(), key=lambda names: hashlib.sha256(f"{seed}/{names[0]}".encode()).digest()
    )


def _read(file: Path) -> tuple[frozenset[str], str]:
    """Return the digests of the current round, and the time for which the contest has ended."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return frozenset(map(str, found["round"])), str(found.get("ended", ""))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return frozenset(), ""
