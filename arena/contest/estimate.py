"""Estimating the time that a contest takes, from its bots' paces: arithmetic, nothing is played.

The cost of a game is the sum of its bots' costs: loading, a first move, and later moves for as long
as a game usually lasts. Played games tell more about a bot than its pace does, and count more with
their number. Lanes share all of it; at the end one may wait for the other's last game.

A `Forecast` corrects the estimate while games end: times of a bot's games are blended with its part
of the estimate made before, which counts for a few games. The end that this gives is approached,
not jumped to.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, sqrt
from statistics import median
from typing import NamedTuple

from arena.check.pace import Pace
from arena.common.text import SECOND, mean
from arena.game.limits import Limits
from arena.game.record import GameRecord
from arena.playing.lanes import enough_seconds
from arena.rules import Goal, Position, Ruleset
from arena.settings.contest import Contest, ScheduledGame

SITTING = 0.0005
"""Rough seconds of a game for each side besides thinking; they matter for the fastest bots."""

START = 0.005
"""Rough seconds of a bot's new process besides loading."""

LENGTHENING = 0.2
"""Part of the way from the length of a random game to a full board that a bots' game goes further;
in contests among the demo bots it was between a fifth and a third."""

LENGTH_SPREAD = 0.25
"""Relative standard error of the number of moves in a game."""

PACE_SPREAD = 0.35
"""Least relative standard error of a bot's time for a game, from a few moves."""

MACHINE_SPREAD = 0.1
"""Relative standard error of everything, played games included."""

WEIGHT = 2.0
"""Played games that a bot's pace counts for."""

QUANTILE = 1.645
"""Standard errors on either side of the estimate: nine in ten contests end within the range."""

RANDOM_GAMES = 30
"""Random games that tell how long a game lasts on a board."""

TRIAL = 0.002
"""Rough seconds that timing a bot takes besides its thinking."""


class Known(NamedTuple):
    """The games of a bot that were played."""

    games: int
    seconds: float
    """Seconds of them all."""


class BotShare(NamedTuple):
    """A bot's part in the time that a contest takes. Times are in seconds of one lane."""

    game: float
    """A game of its own, without its opponent's part."""

    start: float
    """The part of that for loading it."""

    first: float
    """Its first move; 0 if that is not known."""

    move: float
    """Each other move, or any move, as its games tell."""

    total: float
    """All of its games to be played."""

    spread: float
    """Relative standard error of that."""

    limit: float
    """The limit that it may use up, if it was waited for in vain; else 0."""

    more: float
    """Seconds that it takes on top of `total` if it does move, each time just within that limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The games to be played, and what is known of those who play them."""

    games: Mapping[tuple[str, str], int]
    """Number of games for each pairing."""

    paces: Mapping[str, Pace]
    """The paces of bots, as far as they were measured."""

    known: Mapping[str, Known]
    """The played games of bots, if there are any."""

    limits: Limits
    """The contest's limits."""

    moves: float
    """Moves of each bot in a game that nobody loses by a fault, see `moves_in_a_game`."""

    retire_after: int
    """Games that a bot loses by hanging until it is retired; 0 if never."""

    lanes: int
    """Games that are played at a time."""

    retired: Mapping[str, float] = field(default_factory=dict)
    """The bots that are retired by the games that were played, with the part of their games in
    `games` that is likely to be played until they are retired again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The time that a plan takes, and who takes it."""

    games: int
    """Games to be played, as far as nobody is retired."""

    lanes: int
    """Games that are played at a time."""

    seconds: float
    """Expected time."""

    low: float
    high: float
    """The range in which it is in nine of ten contests."""

    speed: float
    """Seconds that pass for one that is charged: more than one on a busy machine."""

    bots: Mapping[str, BotShare]
    """The part of each bot."""

    retired: tuple[str, ...] = ()
    """Those of them that are retired already."""

    @property
    def slow(self) -> list[str]:
        """The bots that take most, slowest first: those with twice the share that all would have.

        None if they are all alike. A bot that is retired is not slow: it hangs.
        """
        total = sum(share.total for share in self.bots.values())
        able = self.bots.keys() - set(self.retired)
        by_total = sorted(able, key=lambda name: -self.bots[name].total)
        return [name for name in by_total if self.bots[name].total * len(self.bots) > 2 * total]


def blended(expected: float | None, known: Known) -> float | None:
    """Return the seconds of a bot's part of a game, from what is expected and what was played.

    None if neither tells anything.
    """
    if expected is None:
        return known.seconds / known.games if known.games else None
    return (WEIGHT * expected + known.seconds) / (WEIGHT + known.games)


def moves_in_a_game(rules: Ruleset, openings: Sequence[int]) -> float:
    """Return how many moves each bot makes in a usual game, from openings of so many plies."""
    if rules.goal is Goal.MOST:
        return (rules.cells - mean(openings)) / 2
    draw, lengths = random.Random(0), []
    for number in range(RANDOM_GAMES):
        opening = openings[number % len(openings)]
        position = Position(rules)
        while not position.is_over:
            columns = position.legal()
            if position.ply < opening:  # which has no line
                player = position.to_move
                columns = [c for c in columns if not position.wins_at(c, player)] or columns
            position.play(draw.choice(columns))
        lengths.append(max(1, position.ply - opening))
    shortest = mean(lengths)
    return (shortest + LENGTHENING * (rules.cells - mean(openings) - shortest)) / 2


def to_play(games: Iterable[ScheduledGame]) -> Counter[tuple[str, str]]:
    """Return the number of games of each pairing; identical games are played once."""
    pairs: dict[str, tuple[str, str]] = {}
    for game in games:
        pairs.setdefault(game.key.digest, (game.first, game.second))
    return Counter((min(pair), max(pair)) for pair in pairs.values())


def plan_of(
    contest: Contest,
    games: Mapping[tuple[str, str], int],
    paces: Mapping[str, Pace],
    known: Mapping[str, Known],
    lanes: int,
) -> Plan:
    """Return the plan of playing so many games of these pairings of a contest."""
    schedule = contest.schedule
    return Plan(
        games=games,
        paces=paces,
        known=known,
        limits=contest.limits,
        moves=moves_in_a_game(contest.rules, (schedule.min_plies, schedule.max_plies)),
        retire_after=schedule.retire_after,
        lanes=lanes,
    )


def estimate(plan: Plan) -> Estimate | None:
    """Return the time that a plan takes; None if nothing is to be played, or no bot is known."""
    shares = _shares(plan)
    if not shares:
        return None
    work = sum(share.total for share in shares.values()) or SITTING
    unplayed = sum(share.total for name, share in shares.items() if name not in plan.known)
    variance = sum((share.total * share.spread / work) ** 2 for share in shares.values())
    variance += (LENGTH_SPREAD * unplayed / work) ** 2 + MACHINE_SPREAD**2
    longest = max((shares[one].game + shares[other].game for one, other in plan.games), default=0)
    games = sum(plan.games.values())
    lanes = max(1, min(plan.lanes, games))
    waiting = longest * (lanes - 1) / lanes / 2  # for the last game of another lane
    speed = _speed(plan.paces.values())
    seconds = (work / lanes + waiting) * speed
    spread = exp(QUANTILE * sqrt(variance))
    return Estimate(
        games=games,
        lanes=plan.lanes,
        seconds=seconds,
        low=seconds / spread,
        high=seconds * spread,
        speed=speed,
        bots=shares,
        retired=tuple(name for name in plan.retired if name in shares),
    )


def game_seconds(contest: Contest, paces: Mapping[str, Pace]) -> dict[str, float]:
    """Return each bot's part of a usual game in seconds, by its pace alone."""
    schedule = contest.schedule
    moves = moves_in_a_game(contest.rules, (schedule.min_plies, schedule.max_plies))
    costs = {name: (_cost(pace, moves), _is_short(pace)) for name, pace in paces.items()}
    return {
        name: SITTING + cost.start + cost.first + (0.0 if is_short else (moves - 1) * cost.later)
        for name, (cost, is_short) in costs.items()
    }


def expected(
    contest: Contest, paces: Mapping[str, Pace]
) -> tuple[Mapping[str, float], Sequence[str]]:
    """Return what `Run.expect` wants to know: `game_seconds`, and who was waited for in vain."""
    return game_seconds(contest, paces), [name for name in paces if paces[name].limit]


class _Cost(NamedTuple):
    """A bot's part of a game, in seconds."""

    start: float
    first: float
    later: float
    """Each move after the first."""


def _shares(plan: Plan) -> dict[str, BotShare]:
    """Return the part of each bot of a plan; of those that are unknown it is the others' median."""
    costs = {name: _cost(pace, plan.moves) for name, pace in plan.paces.items()}
    scheduled: Counter[str] = Counter()
    for pair, count in plan.games.items():
        scheduled.update(dict.fromkeys(pair, count))
    likely: dict[str, float] = dict.fromkeys(scheduled, 0.0)
    total: dict[str, float] = dict.fromkeys(scheduled, 0.0)
    for pair, count in plan.games.items():
        played = count * _part(pair[0], scheduled, plan) * _part(pair[1], scheduled, plan)
        is_short = any(name in plan.retired or _is_short(plan.paces.get(name)) for name in pair)
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
        shares[name] = _share(name, plan, costs.get(name), mean_game, likely[name], scheduled[name])
    if shares:
        usual = median(share.game for share in shares.values())
        for name in scheduled.keys() - shares.keys():
            shares[name] = BotShare(usual, 0.0, 0.0, 0.0, usual * likely[name], 1.0, 0.0, 0.0)
    return shares


def _share(
    name: str, plan: Plan, cost: _Cost | None, game: float, likely: float, scheduled: int
) -> BotShare:
    """Return the part of a bot whose games are so long, in seconds."""
    pace, known = plan.paces.get(name), plan.known.get(name, Known(0, 0.0))
    later = pace.later if pace else ()
    spread = PACE_SPREAD
    if len(later) > 1 and (average := mean(later)):
        variance = mean([(each / average - 1) ** 2 for each in later])
        spread = max(spread, sqrt(variance / len(later)))
    total, limit = game * likely, pace.limit if pace else 0.0
    return BotShare(
        game=game,
        start=cost.start if cost else 0.0,
        first=cost.first if cost else 0.0,
        move=cost.later if cost else game / plan.moves,
        total=total,
        spread=spread / sqrt(1 + known.games / WEIGHT),
        limit=limit,
        more=max(0.0, scheduled * plan.moves * limit - total),
    )


def _cost(pace: Pace, moves: float) -> _Cost:
    """Return a bot's part of a game of so many moves of its, by its pace."""
    load, first = pace.load + START, pace.limit or pace.first
    later = mean(pace.later) if pace.later else first
    game = first + (moves - 1) * later
    batch = enough_seconds([load])  # then its process ends
    return _Cost(load / max(1.0, batch / max(game, SITTING)), first, later)


def _part(name: str, scheduled: Mapping[str, int], plan: Plan) -> float:
    """Return the part of a bot's games that are likely to be played: few if it hangs."""
    if name in plan.retired:
        return plan.retired[name]
    pace = plan.paces.get(name)
    if pace is None or not pace.limit or not plan.retire_after:
        return 1.0
    return min(1.0, (plan.retire_after + plan.lanes - 1) / scheduled[name])


def _is_short(pace: Pace | None) -> bool:
    """Return True if a bot is likely to lose its games at its first move."""
    return pace is not None and (pace.fails or pace.limit > 0)


def _speed(paces: Iterable[Pace]) -> float:
    """Return how many seconds pass for one that is charged: more than one on a busy machine."""
    timed = [pace for pace in paces if pace.wall]
    idle = sum(TRIAL + pace.charged for pace in timed)
    return max(1.0, sum(pace.wall for pace in timed) / idle) if timed else 1.0


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
        games = self._games[name]
        seconds = self._seconds.get(name, 0.0) + games * self._start.get(name, 0.0)
        found = blended(self._expected.get(name), Known(games, seconds))
        if found is None:
            means = [self._seconds[each] / games for each, games in self._games.items() if games]
            return median([*means, *self._expected.values()])
        return found

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
        if not self._approached:
            self._end, self._approached = end, True
        self._end += (end - self._end) * (1 - exp((self._looked_at - now) / lag))
        self._looked_at = now


NICE = tuple(digit * 10.0**power for power in range(-1, 4) for digit in (1, 2, 5))
"""Limits that are worth proposing, in seconds."""

SHORT = 60.0
"""Seconds up to which nobody needs to save any."""

SPARE = 2
"""Multiple of the slowest move seen that is enough for all, as far as can be told."""

WORTHWHILE = 0.75
"""Part of the time that a smaller limit has to leave at most to be proposed."""


class Saving(NamedTuple):
    """A smaller number for an option, and the contest with it."""

    option: str
    """The option as it is typed, `--openings 5`."""

    estimate: Estimate
    """The time that the contest takes with it."""

    cut: tuple[str, ...]
    """Bots that took longer, or more nodes, than that when they were tried."""


def savings(plan: Plan, openings: int) -> Iterator[Saving]:
    """Yield what half of the openings and smaller limits would save, where that is much."""
    whole = estimate(plan)
    if whole is None or whole.seconds <= SHORT:
        return
    if openings > 1:
        fewer = openings // 2
        games = {pair: max(1, count * fewer // openings) for pair, count in plan.games.items()}
        if less := estimate(replace(plan, games=games)):
            yield Saving(f"--openings {fewer}", less, ())
    yield from _shorter_moves(plan, whole)
    if plan.limits.nodes is not None and plan.limits.nodes > 1:
        nodes = plan.limits.nodes // 2
        proposed, cut = _with_nodes(plan, nodes)
        if cut and (less := estimate(proposed)) and less.seconds < WORTHWHILE * whole.seconds:
            yield Saving(f"--nodes {nodes}", less, cut)


def _shorter_moves(plan: Plan, whole: Estimate) -> Iterator[Saving]:
    """Yield the shortest time for a move that is enough for all, or else the longest that saves.

    Enough is SPARE times what any bot took that answered.
    """
    shorter = [each for each in NICE if each < plan.limits.move_seconds]
    slowest = max((each for pace in plan.paces.values() for each in pace.later), default=0.0)
    enough = [each for each in shorter if each >= SPARE * slowest]
    too_short = [each for each in reversed(shorter) if each < slowest]
    for seconds in (*enough[:1], *too_short):
        proposed, cut = _limited(plan, seconds)
        if (less := estimate(proposed)) and less.seconds < WORTHWHILE * whole.seconds:
            yield Saving(f"--move-seconds {seconds:g}", less, cut)
            return


def _limited(plan: Plan, seconds: float) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan with a shorter time for a move, and who would need longer.

    Those run out of time, as far as is known; so they are taken to be retired.
    """
    limits = replace(plan.limits, move_seconds=seconds)
    longest = seconds + limits.first_move_seconds
    cut = tuple(name for name, pace in plan.paces.items() if max(pace.later, default=0) > seconds)
    paces = {
        name: replace(pace, limit=seconds)
        if name in cut
        else replace(pace, limit=min(pace.limit, longest))
        for name, pace in plan.paces.items()
    }
    known = {name: played for name, played in plan.known.items() if name not in cut}
    return replace(plan, limits=limits, paces=paces, known=known), cut


def _with_nodes(plan: Plan, nodes: int) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan with a smaller node budget, and who used more.

    Their moves are taken to be shorter in proportion.
    """
    paces, known = dict(plan.paces), dict(plan.known)
    cut = tuple(name for name, pace in paces.items() if pace.nodes > nodes)
    for name in cut:
        pace, part = paces[name], nodes / paces[name].nodes
        later = tuple(each * part for each in pace.later)
        paces[name] = replace(pace, first=pace.first * part, later=later)
        if name in known:
            known[name] = Known(known[name].games, known[name].seconds * part)
    return replace(plan, paces=paces, known=known), cut
