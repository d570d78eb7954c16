"""Estimate of the time that a contest takes, computed from its bots' paces.

A game costs its bots' loading, first move and usual number of later moves, averaged with the times
of played games; it counts as WEIGHT of these. At the end the lanes wait for the last game. A
`Forecast` corrects the estimate as games end.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, sqrt
from statistics import fmean, median
from typing import NamedTuple

from arena.common.text import SECOND
from arena.game.record import GameRecord
from arena.playing.batches import enough_seconds
from arena.rules import Goal, Position, Ruleset
from arena.settings.contest import Contest, ScheduledGame
from arena.trials.pace import Pace

# Seconds of a game per side besides thinking (rough); they matter for the fastest bots.
SITTING = 0.0005
START = 0.005  # Seconds of a bot's new process besides loading (rough).

# Games of bots are longer than random games by this part of the cells that those leave free. In
# contests among the demo bots it was between a fifth and a third.
LENGTHENING = 0.2
LENGTH_SPREAD = 0.25  # Relative standard error of the number of moves in a game.
PACE_SPREAD = 0.35  # Least relative standard error of a bot's time for a game, from a few moves.
MACHINE_SPREAD = 0.1  # Relative standard error of all times, measured games included.
WEIGHT = 2.0  # A bot's pace counts as this number of played games.
QUANTILE = 1.645  # Standard errors on both sides of the estimate: a 90 % interval.
RANDOM_GAMES = 30  # Random games played to find the usual length of a game.


class Known(NamedTuple):
    games: int
    seconds: float


class BotShare(NamedTuple):
    """A bot's share of the contest's time, in seconds of one lane."""

    game: float
    """One game, without the opponent's part."""

    start: float
    first: float
    move: float
    """Each later move, or any move if the pace is unknown."""

    total: float
    spread: float
    """Relative standard error of `total`."""

    limit: float
    """The limit that the bot exceeded in its trial; else 0."""


@dataclass(frozen=True)
class Plan:
    contest: Contest
    games: Mapping[tuple[str, str], int]
    paces: Mapping[str, Pace]
    known: Mapping[str, Known]
    lanes: int

    @cached_property
    def moves(self) -> float:
        schedule = self.contest.schedule
        return moves_in_a_game(self.contest.rules, (schedule.min_plies, schedule.max_plies))


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    lanes: int
    seconds: float
    low: float
    high: float
    """`low` to `high` is a 90 % interval."""

    bots: Mapping[str, BotShare]

    @property
    def slow(self) -> list[str]:
        """Bots with over twice the average `total`; the slowest first."""
        total = sum(share.total for share in self.bots.values())
        by_total = sorted(self.bots, key=lambda name: -self.bots[name].total)
        return [name for name in by_total if self.bots[name].total * len(self.bots) > 2 * total]


def blended(expected: float | None, known: Known) -> float | None:
    if expected is None:
        return known.seconds / known.games if known.games else None
    return (WEIGHT * expected + known.seconds) / (WEIGHT + known.games)


def moves_in_a_game(rules: Ruleset, openings: Sequence[int]) -> float:
    """Return each bot's moves in a game of usual length; `openings` are lengths."""
    if rules.goal is Goal.MOST:
        return (rules.cells - fmean(openings)) / 2
    draw, lengths = random.Random(0), []
    for number in range(RANDOM_GAMES):
        opening = openings[number % len(openings)]
        position = Position(rules)
        while not position.is_over:
            columns = position.legal()
            if position.ply < opening:  # openings contain no line
                player = position.to_move
                columns = [c for c in columns if not position.wins_at(c, player)] or columns
            position.play(draw.choice(columns))
        lengths.append(max(1, position.ply - opening))
    shortest = fmean(lengths)
    return (shortest + LENGTHENING * (rules.cells - fmean(openings) - shortest)) / 2


def to_play(games: Iterable[ScheduledGame]) -> Counter[tuple[str, str]]:
    pairs: dict[str, tuple[str, str]] = {}
    for game in games:
        pairs.setdefault(game.key.digest, game.names)
    return Counter((min(pair), max(pair)) for pair in pairs.values())


def estimate(plan: Plan) -> Estimate | None:
    shares = _shares(plan)
    if not shares:
        return None
    work = sum(share.total for share in shares.values()) or SITTING
    unplayed = sum(share.total for name, share in shares.items() if name not in plan.known)
    variance = sum((share.total * share.spread / work) ** 2 for share in shares.values())
    variance += (LENGTH_SPREAD * unplayed / work) ** 2 + MACHINE_SPREAD**2
    longest = max((shares[one].game + shares[other].game for one, other in plan.games), default=0)
    lanes = max(1, min(plan.lanes, sum(plan.games.values())))
    waiting = longest * (lanes - 1) / lanes / 2  # while another lane ends its last game
    seconds = work / lanes + waiting
    spread = exp(QUANTILE * sqrt(variance))
    return Estimate(
        lanes=plan.lanes,
        seconds=seconds,
        low=seconds / spread,
        high=seconds * spread,
        bots=shares,
    )


class _Cost(NamedTuple):
    start: float
    first: float
    later: float  # Each move after the first.


def _shares(plan: Plan) -> dict[str, BotShare]:
    costs = {name: _cost(pace, plan.moves) for name, pace in plan.paces.items()}
    scheduled: Counter[str] = Counter()
    for pair, count in plan.games.items():
        scheduled.update(dict.fromkeys(pair, count))
    likely: dict[str, float] = dict.fromkeys(scheduled, 0.0)
    total: dict[str, float] = dict.fromkeys(scheduled, 0.0)
    for pair, count in plan.games.items():
        played = count * _part(pair[0], scheduled, plan) * _part(pair[1], scheduled, plan)
        is_short = any(_is_short(plan.paces.get(name)) for name in pair)
        later = 0.0 if is_short else plan.moves - 1
        for name in pair:
            likely[name] += played
            if cost := costs.get(name):
                game = SITTING + cost.start + cost.first + later * cost.later
                total[name] += played * game
    shares: dict[str, BotShare] = {}
    for name in scheduled:
        by_pace = total[name] / likely[name] if name in costs and likely[name] else None
        mean_game = blended(by_pace, plan.known.get(name, Known(0, 0.0)))
        if mean_game is None:
            continue
        shares[name] = _share(name, plan, costs.get(name), mean_game, likely[name])
    if shares:
        usual = median(share.game for share in shares.values())
        for name in scheduled.keys() - shares.keys():
            shares[name] = BotShare(usual, 0.0, 0.0, 0.0, usual * likely[name], 1.0, 0.0)
    return shares


def _share(name: str, plan: Plan, cost: _Cost | None, game: float, likely: float) -> BotShare:
    pace, known = plan.paces.get(name), plan.known.get(name, Known(0, 0.0))
    later = pace.later if pace else ()
    spread = PACE_SPREAD
    if len(later) > 1 and (average := fmean(later)):
        variance = fmean([(each / average - 1) ** 2 for each in later])
        spread = max(spread, sqrt(variance / len(later)))
    return BotShare(
        game=game,
        start=cost.start if cost else 0.0,
        first=cost.first if cost else 0.0,
        move=cost.later if cost else game / plan.moves,
        total=game * likely,
        spread=spread / sqrt(1 + known.games / WEIGHT),
        limit=pace.limit if pace else 0.0,
    )


def _cost(pace: Pace, moves: float) -> _Cost:
    load, first = pace.load + START, pace.limit or pace.first
    later = fmean(pace.later) if pace.later else first
    game = first + (moves - 1) * later
    batch = enough_seconds([load])  # after that its process ends
    return _Cost(load / max(1.0, batch / max(game, SITTING)), first, later)


def _part(name: str, scheduled: Mapping[str, int], plan: Plan) -> float:
    pace = plan.paces.get(name)
    retire_after = plan.contest.schedule.retire_after
    if pace is None or not pace.limit or not retire_after:
        return 1.0
    return min(1.0, (retire_after + plan.lanes - 1) / scheduled[name])


def _is_short(pace: Pace | None) -> bool:
    return pace is not None and (pace.fails or pace.limit > 0)


# Seconds of a lane (plus some games) after which their measured speed counts half.
MACHINE_SECONDS = 5.0

# The displayed end approaches the computed one in this time: seconds, and a part of the time left.
LEAST_LAG, LAG = 2.0, 0.03
STALL = 0.1  # Least time left, as a part of the time since a game ended.


class Forecast:
    """Forecast of the time left. The caller passes the current time, in seconds."""

    def __init__(self, lanes: int) -> None:
        self._lanes = lanes
        self._expected: Mapping[str, float] = {}
        self._start: Mapping[str, float] = {}
        self._games: Counter[str] = Counter()
        self._seconds: dict[str, float] = {}
        self._work = 0.0
        self._running = False
        self._began = self._looked_at = self._ended_at = 0.0
        self._end = 0.0
        self._approached = False

    def expect(self, estimate: Estimate) -> None:
        self._expected = {name: share.game for name, share in estimate.bots.items()}
        self._start = {name: share.start for name, share in estimate.bots.items()}

    def begin(self, now: float) -> None:
        """Start the clock: games added later count as played after `now`."""
        self._running = True
        self._began = self._looked_at = self._ended_at = now

    def add(self, names: tuple[str, str], record: GameRecord) -> None:
        """Add the time of a game; `names` has the first mover first."""
        for seat, name in enumerate(names):
            answers = record.charged_ns[record.seat_of_answer(seat) :: 2]
            seconds = SITTING + sum(answers) / SECOND
            self._games[name] += 1
            self._seconds[name] = self._seconds.get(name, 0.0) + seconds
            if self._running:
                self._work += seconds + self._start.get(name, 0.0)

    @property
    def known(self) -> dict[str, Known]:
        return {name: Known(self._games[name], spent) for name, spent in self._seconds.items()}

    def _game(self, name: str) -> float:
        games = self._games[name]
        seconds = self._seconds.get(name, 0.0) + games * self._start.get(name, 0.0)
        found = blended(self._expected.get(name), Known(games, seconds))
        if found is None:
            means = [self._seconds[each] / games for each, games in self._games.items() if games]
            return median([*means, *self._expected.values()])
        return found

    def left(self, to_play: Mapping[str, float], now: float, *, is_news: bool) -> float | None:
        """Return the seconds left; None if the times of most bots are unknown.

        `to_play` is the number of games left by bot; `is_news` is true if games ended since the
        last call.
        """
        known = sum(self._games[name] > 0 or name in self._expected for name in to_play)
        if 2 * known < len(to_play):
            return None
        costs = [(to_play[name], self._game(name)) for name in to_play]
        work = sum(count * game for count, game in costs)
        open_games = sum(to_play.values()) / 2
        if not work:
            return 0.0
        # a game in progress is likely to be a long one
        long = 2 * sum(count * game**2 for count, game in costs) / work
        is_news = is_news or not self._approached
        if is_news:
            self._ended_at = now
            computed = work / min(self._lanes, max(1.0, open_games)) * self._pace(long)
            self._approach(now + computed, now, LEAST_LAG + LAG * computed)
        queued = (self._end - self._ended_at) * max(0.0, 1 - self._lanes / open_games)
        return max(self._end - now, queued, STALL * (now - self._ended_at))

    def _pace(self, long: float) -> float:
        """Return the real seconds per charged second; `long` is a running game's usual time."""
        elapsed = self._lanes * (self._ended_at - self._began)
        running = min(elapsed, (self._lanes - 1) * long / 2)
        weight = MACHINE_SECONDS + WEIGHT * long
        return (weight + elapsed) / (weight + self._work + running)

    def _approach(self, end: float, now: float, lag: float) -> None:
        if not self._approached:
            self._end, self._approached = end, True
        self._end += (end - self._end) * (1 - exp((self._looked_at - now) / lag))
        self._looked_at = now
