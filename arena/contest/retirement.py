"""Retirement: a bot that commits one kind of fault again and again forfeits its remaining games.

Often is not enough: one game in SHARE, of those it has played, must have been lost so. A bot that
hangs is out soon; one that plays well and fails now and then keeps all its games.

Who is retired depends on the games' records and their order in the schedule, never on the order in
which they were played: a game that was played before its bot was found to be retired earlier in
the schedule stays in the journal and does not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from arena.contest.schedule import ScheduledGame
from arena.referee import GameRecord, Verdict

SHARE = 4
"""A fault is retired for if at least one game in so many was lost by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """Why a bot no longer plays, and from when on."""

    verdict: Verdict
    """The kind of fault it committed too often."""

    faults: int
    """How many games it lost by that."""

    after: int
    """Number of the last of these games: all of its later games are forfeits."""

    def __str__(self) -> str:
        return f"retired after {_games(self.faults)} lost by {self.verdict.name}"


class SettledGame(NamedTuple):
    """A game of the schedule that has its result."""

    game: ScheduledGame
    record: GameRecord
    is_forfeit: bool
    """Whether a bot was retired by then, and `record` is made up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A contest's games as they count."""

    games: list[SettledGame]
    """Those that have a result, played or forfeited, in the order of the schedule."""

    open: list[ScheduledGame]
    """Those still to be played."""

    retired: Mapping[str, Retirement]
    """The bots with forfeits, in the order in which they were retired."""

    forfeits: Mapping[str, int]
    """How many games each of them forfeits to an opponent."""

    nobodys: Mapping[str, int]
    """How many count for nobody, as the opponent is retired too."""

    def sentence(self, bot: str) -> str:
        """What is to be said of a retired bot, which is the sentence's subject."""
        said = f"was {self.retired[bot]}; {_games(self.forfeits[bot])} more "
        said += "is a forfeit" if self.forfeits[bot] == 1 else "are forfeits"
        if nobodys := self.nobodys[bot]:
            said += f", and {_games(nobodys)} with others that were retired "
            said += "counts for nobody" if nobodys == 1 else "count for nobody"
        return said


def settle(
    games: Iterable[ScheduledGame], records: Mapping[str, GameRecord], retire_after: int
) -> Settled:
    """What each game of the schedule counts, from `records` by their keys' digests."""
    games = list(games)
    retired = retirements(games, records, retire_after)
    forfeits: Counter[str] = Counter()
    nobodys: Counter[str] = Counter()
    settled: list[SettledGame] = []
    still_open: list[ScheduledGame] = []
    for game in games:
        if made_up := forfeit(game, retired):
            settled.append(SettledGame(game, made_up, True))
            mine = forfeits if made_up.is_game else nobodys
            mine.update(name for name in _names(game) if name in retired)
        elif record := records.get(game.key.digest):
            settled.append(SettledGame(game, record, False))
        else:
            still_open.append(game)
    return Settled(
        games=settled,
        open=still_open,
        retired={name: why for name, why in retired.items() if forfeits[name] + nobodys[name]},
        forfeits=forfeits,
        nobodys=nobodys,
    )


def retirements(
    games: Iterable[ScheduledGame], records: Mapping[str, GameRecord], retire_after: int
) -> dict[str, Retirement]:
    """Who is retired after `retire_after` faults of one kind (0: nobody), in order.

    `games` are in the order of the schedule.
    """
    retired: dict[str, Retirement] = {}
    if not retire_after:
        return retired
    played: Counter[str] = Counter()
    faults: Counter[tuple[str, Verdict]] = Counter()
    for game in games:
        record = records.get(game.key.digest)
        if record is None or not record.is_game:
            continue
        if game.first in retired or game.second in retired:
            continue  # a forfeit, whatever was played
        played[game.first] += 1
        played[game.second] += 1
        if record.loser is None or not record.verdict.is_fault:
            continue
        loser = _names(game)[record.loser]
        faults[loser, record.verdict] += 1
        count = faults[loser, record.verdict]
        if count >= retire_after and count * SHARE >= played[loser]:
            retired[loser] = Retirement(verdict=record.verdict, faults=count, after=game.number)
    return retired


def forfeit(game: ScheduledGame, retired: Mapping[str, Retirement]) -> GameRecord | None:
    """The made-up record of a game in which a bot is retired already; else None.

    The other bot wins, unless it is retired as well, then or later: a bot that mostly fails is
    not to gain by meeting others that fail sooner. Between two such it is no game.
    """
    if not any(_is_out(name, game, retired) for name in _names(game)):
        return None
    winner: int | None
    match [retired.get(name) for name in _names(game)]:
        case [Retirement() as one, Retirement() as other]:
            winner, verdict = None, one.verdict
            reason = f"neither bot plays: the first was {one}; the second was {other}"
        case [Retirement() as one, None]:
            winner, verdict, reason = 1, one.verdict, f"was {one} and forfeits this game"
        case [None, Retirement() as other]:
            winner, verdict, reason = 0, other.verdict, f"was {other} and forfeits this game"
    return GameRecord(
        key=game.key.digest,
        columns=game.key.opening,
        opening_plies=len(game.key.opening),
        charged_ns=(),
        nodes=(),
        winner=winner,
        verdict=verdict,
        reason=reason,
    )


def _games(count: int) -> str:
    """`1 game`, `5 games`."""
    return "1 game" if count == 1 else f"{count:,} games"


def _names(game: ScheduledGame) -> tuple[str, str]:
    return game.first, game.second


def _is_out(name: str, game: ScheduledGame, retired: Mapping[str, Retirement]) -> bool:
    return name in retired and retired[name].after < game.number
