"""The time left of a contest under way: an estimate that games correct as they end.

Times of a bot's games are blended with its part of the estimate made before, which counts for a few
games. The end that this gives is approached, not jumped to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import exp
from statistics import median

from arena.contest.estimate import SITTING, WEIGHT, Estimate, Known
from arena.numbers import SECOND
from arena.referee import GameRecord

MACHINE_SECONDS = 5.0
"""Seconds of a lane, besides some games, after which the machine's speed in them counts half."""

LEAST_LAG, LAG = 2.0, 0.03
"""Time in which the shown end approaches the one computed: seconds, and their part of all that
is left."""

STALL = 0.1
"""What is left at least, as a part of the time since anything ended."""


class Forecast:
    """The times of bots' games, and the time left. It is told what time it is, in seconds."""

    def __init__(self, lanes: int) -> None:
        """Begin with nothing known, for a contest on so many lanes."""
        self._lanes = lanes
        self._expected: Mapping[str, float] = {}
        self._start: Mapping[str, float] = {}
        self._games: Counter[str] = Counter()
        self._seconds: dict[str, float] = {}
        self._work = 0.0
        self._speed = 1.0
        self._under_way = False
        self._began = self._looked_at = self._ended_at = 0.0
        self._end = 0.0
        self._approached = False

    def expect(self, estimate: Estimate) -> None:
        """Take an estimate made before as what is expected of each bot."""
        self._expected = {name: share.game for name, share in estimate.bots.items()}
        self._start = {name: share.start for name, share in estimate.bots.items()}
        self._speed = estimate.speed

    def begin(self, now: float) -> None:
        """Start the clock: what is added from now on was played from now on."""
        self._under_way = True
        self._began = self._looked_at = self._ended_at = now

    def add(self, names: tuple[str, str], record: GameRecord) -> None:
        """Take note of what a game cost its bots; `names` has the one that moves first in front."""
        for seat, name in enumerate(names):
            answers = record.charged_ns[record.seat_of_answer(seat) :: 2]
            seconds = SITTING + sum(answers) / SECOND
            self._games[name] += 1
            self._seconds[name] = self._seconds.get(name, 0.0) + seconds
            if self._under_way:
                self._work += seconds + self._start.get(name, 0.0)

    @property
    def known(self) -> dict[str, Known]:
        """The played games of each bot."""
        return {name: Known(self._games[name], spent) for name, spent in self._seconds.items()}

    def _game(self, name: str) -> float:
        """Return a bot's part of one of its games, in seconds; if it is unknown a usual one's."""
        games, expected = self._games[name], self._expected.get(name)
        if not games and expected is None:
            return self._usual()
        seconds = self._seconds.get(name, 0.0) + games * self._start.get(name, 0.0)
        weight = 0.0 if expected is None else WEIGHT
        return (weight * (expected or 0.0) + seconds) / (weight + games)

    def left(self, to_play: Mapping[str, float], now: float, *, is_news: bool) -> float | None:
        """Return the seconds left, if each bot still plays so many games.

        None while nothing is known of half of the bots.
        With `is_news` games have ended since the last time; without, time has passed.
        """
        told = sum(self._games[name] > 0 or name in self._expected for name in to_play)
        if 2 * told < len(to_play):
            return None
        costs = [(to_play[name], self._game(name)) for name in to_play]
        work = sum(count * game for count, game in costs)
        open_games = sum(to_play.values()) / 2
        if not work:
            return 0.0
        # a game that is found under way at any moment is likely to be a long one
        long = 2 * sum(count * game**2 for count, game in costs) / work
        is_news = is_news or not self._approached
        if is_news:
            self._ended_at = now
            computed = work / min(self._lanes, max(1.0, open_games)) * self._pace(long)
            self._approach(now + computed, now, LEAST_LAG + LAG * computed)
        queued = (self._end - self._ended_at) * max(0.0, 1 - self._lanes / open_games)
        return max(self._end - now, queued, STALL * (now - self._ended_at))

    def _pace(self, long: float) -> float:
        """Return how many seconds of a lane pass for one that is charged, as of the last news.

        `long` is the usual length of a game under way; half of it has been played unseen.
        """
        elapsed = self._lanes * (self._ended_at - self._began)
        under_way = min(elapsed, (self._lanes - 1) * long / 2)
        weight = MACHINE_SECONDS + WEIGHT * long
        return (weight * self._speed + elapsed) / (weight + self._work + under_way)

    def _approach(self, end: float, now: float, lag: float) -> None:
        """Move the shown end towards the computed one."""
        if not self._approached:
            self._end, self._approached = end, True
        self._end += (end - self._end) * (1 - exp((self._looked_at - now) / lag))
        self._looked_at = now

    def _usual(self) -> float:
        """Return the median of the bots' times of a game, of those that are known."""
        means = [self._seconds[name] / games for name, games in self._games.items() if games]
        return median([*means, *self._expected.values()])
