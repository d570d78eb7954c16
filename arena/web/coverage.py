"""A contest as it is told live: standings, the last upsets and faults, a game to look at.

All of it is kept up to date from the games that come, so it costs little; what takes longer, such
as grades, is in the editions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from time import monotonic, strftime
from typing import Any

from arena.contest import Contest, ScheduledGame
from arena.contest.retirement import KINDS, retirements, sample_order
from arena.referee import GameRecord
from arena.report.tally import Tally

SINCE_SECONDS = 300.0
"""Ranks are compared with those so long ago."""

PACE_SECONDS = 60.0
"""The pace of the contest is that of so long."""

UPSET = 200.0
"""Points of rating by which the loser of an upset was ahead: one in four such games is a win."""

KNOWN_GAMES = 8
"""Games after which a bot's rating means something."""

SHOWN = 6
"""Upsets and faults that are shown."""

MOMENT_SECONDS = 25.0
"""Seconds for which a game is the game of the moment: it is replayed meanwhile."""

FINAL_GAMES = 40
"""Games of a final that are shown, at most."""


Stand = tuple[float, str, int, Mapping[str, int]]
"""A moment by the monotonic clock and as people say it, games played, and each bot's rank, from 1.
"""


class Coverage:
    """Tells of one contest."""

    def __init__(self, contest: Contest, games: Sequence[ScheduledGame]) -> None:
        """Begin with no game."""
        self._contest = contest
        self._retire_after = contest.schedule.retire_after
        self._tally = Tally(contest, games)
        self._ordered = sample_order(games)
        self._by_key = {game.key.digest: game for game in reversed(games)}
        self._records: dict[str, GameRecord] = {}
        self._has_slow_faults = False
        self._stands: deque[Stand] = deque()
        self._upsets: list[dict[str, Any]] = []
        self._moment: dict[str, Any] | None = None
        self._moment_at = -MOMENT_SECONDS

    def add(self, records: Iterable[GameRecord]) -> None:
        """Take note of games that have come."""
        new = [record for record in records if record.key in self._by_key]
        if not new:
            return
        for record in new:
            self._records[record.key] = record
            self._tally.add(record)
            self._has_slow_faults |= record.verdict in KINDS
        if self._has_slow_faults and self._retire_after:
            self._tally.retire(retirements(self._ordered, self._records, self._retire_after))
        self._tally.find_same()
        self._look_for_upsets(new)

    def state(self, *, is_played: bool) -> dict[str, Any]:
        """Return what there is to tell now, as JSON has it."""
        rows = self._tally.standing()
        now, played = monotonic(), self._tally.played
        while self._stands and self._stands[0][0] < now - SINCE_SECONDS:
            self._stands.popleft()
        self._stands.append((now, strftime("%H:%M"), played, {row.name: row.rank for row in rows}))
        _, since, _, ranks_before = self._stands[0]
        return {
            "played": played,
            "forfeited": self._tally.forfeited,
            "total": self._tally.total,
            "at_most": bool(self._contest.schedule.until_settled),
            "is_played": is_played,
            "left": self._left() if is_played else None,
            "since": since,
            "standings": [
                {
                    "name": row.name,
                    "rank": row.rank,
                    "before": ranks_before[row.name],
                    "points": row.points,
                    "games": row.games,
                    "faults": row.faults,
                    "house": self._contest.bots[row.name].house,
                }
                for row in rows
            ],
            "upsets": self._upsets,
            "faults": [
                {
                    "bot": fault.name,
                    "verdict": fault.verdict.value,
                    "reason": fault.reason,
                    "game": fault.game,
                    "times": fault.times,
                }
                for fault in [*self._tally.faults.values()][: -SHOWN - 1 : -1]
            ],
            "moment": self._moment,
        }

    def final(self, best: Sequence[str]) -> list[dict[str, Any]]:
        """Return the games between the first two of these bots, by their numbers."""
        if len(best) < 2:
            return []
        pair = set(best[:2])
        games = (game for game in self._by_key.values() if {game.first, game.second} == pair)
        played = sorted(
            (game for game in games if game.key.digest in self._records),
            key=lambda game: game.number,
        )
        return [self._told(game, self._records[game.key.digest]) for game in played[:FINAL_GAMES]]

    def _left(self) -> float | None:
        """Return the seconds that the rest takes at the pace of the last minute."""
        now, _, played_now, _ = self._stands[-1]
        at, _, played_then, _ = next(each for each in self._stands if each[0] >= now - PACE_SECONDS)
        played, elapsed = played_now - played_then, now - at
        left = self._tally.total - self._tally.played - self._tally.forfeited
        return left * elapsed / played if played > 0 else None

    def _look_for_upsets(self, records: Iterable[GameRecord]) -> None:
        """Find the upsets among new games, and one that is worth to be looked at."""
        rows = self._tally.standing()
        places = {row.name: place for place, row in enumerate(rows)}
        known = {row.name for row in rows if row.games >= KNOWN_GAMES}
        ratings = self._tally.ratings()
        found: list[tuple[float, dict[str, Any]]] = []
        best: tuple[tuple[bool, int], GameRecord] | None = None
        for record in records:
            game = self._by_key[record.key]
            names = game.first, game.second
            if record.verdict.is_fault or not record.is_game:
                continue
            gap = 0.0
            if record.winner is not None and known.issuperset(names):
                winner, loser = names[record.winner], names[1 - record.winner]
                gap = ratings[loser] - ratings[winner]
                if gap >= UPSET:
                    told = {"winner": winner, "loser": loser}
                    found.append((gap, told | {"gap": round(gap), "game": game.number}))
            worth = gap >= UPSET, -sum(places[name] for name in names)
            if best is None or worth > best[0]:
                best = worth, record
        found.sort(key=lambda upset: -upset[0])
        self._upsets = [upset for _, upset in found[:SHOWN]] + self._upsets
        del self._upsets[SHOWN:]
        if best and monotonic() >= self._moment_at + MOMENT_SECONDS:
            self._moment = self._told(self._by_key[best[1].key], best[1])
            self._moment_at = monotonic()

    def _told(self, game: ScheduledGame, record: GameRecord) -> dict[str, Any]:
        return {
            "game": game.number,
            "names": [game.first, game.second],
            "moves": list(record.columns),
            "opening": record.opening_plies,
            "winner": record.winner,
            "reason": record.reason,
        }
