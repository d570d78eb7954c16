"""Estimating the time that a contest takes, from its bots' paces: arithmetic, nothing is played.

The cost of a game is the sum of its bots' costs: loading, a first move, and later moves for as long
as a game usually lasts. Played games tell more about a bot than its pace does, and count more with
their number. Lanes share all of it; at the end one may wait for the other's last game.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, sqrt
from statistics import median
from typing import NamedTuple

from arena.contest.config import Contest
from arena.contest.lanes import enough_seconds
from arena.contest.schedule import ScheduledGame
from arena.numbers import mean
from arena.referee import Limits
from arena.referee.pace import Pace
from arena.rules import Goal, Position, Ruleset

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
        known = plan.known.get(name, Known(0, 0.0))
        if by_pace is None and not known.games:
            continue
        weight = 0.0 if by_pace is None else WEIGHT
        game = ((by_pace or 0.0) * weight + known.seconds) / (weight + known.games)
        shares[name] = _share(name, plan, costs.get(name), game, likely[name], scheduled[name])
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
