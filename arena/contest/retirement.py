"""Which games count: a bot that costs its full limit again and again is retired.

It forfeits its remaining games. And after MOST second tries (`Retakes`) a bot's faults count.

Retirement saves time and must not change who is better. So only faults that take long count:
running out of time, and failing to load. A bot that fails quickly plays all its games. A bot is
retired once `retire_after` of its games were lost by one of these kinds, and by that kind one in
SHARE at least of the games it played.

The share is taken over a fair sample of the bot's games: those that come first in the order of
their keys. Keys are hashes, so that order is as good as random: it mixes opponents, openings and
sides, and the order of two games never changes, whatever is added to the schedule.

Who is retired depends on the games' records and that order, never on the order in which they were
played: a game that comes after its bot's retirement does not count, even if it was played.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from arena.contest.index import GameIndex
from arena.contest.people import NOBODY_LATE, Lateness
from arena.game.record import GameRecord, Retake
from arena.game.verdict import NO_MORE, Proof, Verdict
from arena.playing.log import about
from arena.settings.contest import ScheduledGame

KINDS = (Verdict.TIMEOUT, Verdict.LOAD_ERROR)
"""Faults that a bot is retired for: each takes a whole limit, or two starts and not one move."""

SHARE = 2
"""A bot is retired for a fault if it lost at least one game in so many by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """The reason why a bot no longer plays, and the game after which."""

    verdict: Verdict
    """The kind of fault it committed too often."""

    faults: int
    """Games that it lost by that."""

    played: int
    """Games that it had played by then, this one included."""

    after: tuple[str, int]
    """Place of the last of these games, see `sample_order`: those that follow are forfeits."""

    def __str__(self) -> str:
        return f"retired after losing {self.faults} of {self.played} games by {self.verdict.name}"


class SettledGame(NamedTuple):
    """A game of the schedule that has its result."""

    game: ScheduledGame
    record: GameRecord
    is_forfeit: bool
    """True if a bot was retired by then, and `record` is made up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A contest's games as they count."""

    games: list[SettledGame]
    """Those that have a result, played or forfeited, in the order of the schedule."""

    open: list[ScheduledGame]
    """Those that were not played."""

    due: list[ScheduledGame]
    """Those of them that are to be played, as far as is known: all, or a round of those that tell
    most, see `Rounds`."""

    retired: Mapping[str, Retirement]
    """The bots with forfeits, in the order in which they were retired."""

    forfeits: Mapping[str, int]
    """Games that each of them forfeits to an opponent."""

    nobodys: Mapping[str, int]
    """Games of theirs that are not counted, as the opponent is retired too."""

    lateness: Lateness = NOBODY_LATE
    """The bots that were handed in late."""

    undecided: Sequence[tuple[str, str]] = ()
    """Neighbours of which it is open who is better, in a contest that is played until that is
    settled, best first."""

    on_time: Settled | None = None
    """The games among the others, as they would count if the late had never handed in; None if
    nobody was late, or if grades do not depend on it."""

    @property
    def is_final(self) -> bool:
        """True if nothing more is to be played."""
        return not self.due


def settle(
    games: Iterable[ScheduledGame],
    records: Mapping[str, GameRecord],
    retire_after: int,
    lateness: Lateness = NOBODY_LATE,
    *,
    freeze: bool = False,
) -> Settled:
    """Return what each game of the schedule counts; `records` are by their keys' digests.

    With `freeze` also what the games count among those who were not late.
    """
    games = list(games)
    on_time = None
    if freeze and lateness.late:
        among = (game for game in games if lateness.late.isdisjoint(_names(game)))
        on_time = settle(among, records, retire_after)
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
        due=still_open,
        retired={name: why for name, why in retired.items() if forfeits[name] + nobodys[name]},
        forfeits=forfeits,
        nobodys=nobodys,
        lateness=lateness,
        on_time=on_time,
    )


def sample_order(games: Iterable[ScheduledGame]) -> list[ScheduledGame]:
    """Return the games in the order in which retirement looks at them, as good as random."""
    return sorted(games, key=_place)


def retirements(
    games: Sequence[ScheduledGame], records: Mapping[str, GameRecord], retire_after: int
) -> dict[str, Retirement]:
    """Return who is retired after `retire_after` faults of one kind (0: nobody), in order."""
    retired: dict[str, Retirement] = {}
    if not retire_after:
        return retired
    suspects = _suspects(games, records, retire_after)
    theirs = (game for game in games if not suspects.isdisjoint(_names(game)))
    played: Counter[str] = Counter()
    faults: Counter[tuple[str, Verdict]] = Counter()
    for game in sample_order(theirs):
        record = records.get(game.key.digest)
        if record is None or not record.is_game:
            continue
        if game.first in retired or game.second in retired:
            continue  # a forfeit, whatever was played
        played[game.first] += 1
        played[game.second] += 1
        if record.loser is None or record.verdict not in KINDS:
            continue
        loser = _names(game)[record.loser]
        faults[loser, record.verdict] += 1
        count = faults[loser, record.verdict]
        if count >= retire_after and count * SHARE >= played[loser]:
            retired[loser] = Retirement(
                verdict=record.verdict, faults=count, played=played[loser], after=_place(game)
            )
    return retired


def _suspects(
    games: Iterable[ScheduledGame], records: Mapping[str, GameRecord], retire_after: int
) -> set[str]:
    """Return the bots with so many faults of one kind in all their games: most contests have none,
    and need not look at games in sample order."""
    faults: Counter[tuple[str, Verdict]] = Counter()
    for game in games:
        record = records.get(game.key.digest)
        if record is not None and record.verdict in KINDS and record.loser is not None:
            faults[_names(game)[record.loser], record.verdict] += 1
    return {name for (name, _), count in faults.items() if count >= retire_after}


def forfeit(game: ScheduledGame, retired: Mapping[str, Retirement]) -> GameRecord | None:
    """Return the made-up record of a game in which a bot is retired already, else None.

    The other bot wins, unless it is retired as well, then or later: a bot that mostly fails is
    not to gain by meeting others that fail sooner. Between two such it is no game.
    """
    if game.first not in retired and game.second not in retired:
        return None  # as almost always: a large contest asks this a million times
    place = _place(game)
    if not any(name in retired and retired[name].after < place for name in _names(game)):
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


def _place(game: ScheduledGame) -> tuple[str, int]:
    return game.key.digest, game.number  # identical bots share keys, so the number decides


def _names(game: ScheduledGame) -> tuple[str, str]:
    return game.first, game.second


MOST = 3
"""Second tries that a bot gets in a contest, of games and of moves together."""

log = logging.getLogger("arena.contest")


class Retakes:
    """The second tries that bots got so far in the games of an index."""

    def __init__(self, index: GameIndex, known: Iterable[Retake]) -> None:
        """Begin with those that are `known`, which may be of other games as well."""
        self._index = index
        self._used: Counter[str] = Counter()
        self.afresh: frozenset[str] = frozenset()
        """Identities of the bots that must start in a new process for each game."""
        for retake in known:
            if (bot := self._bot_of(retake)) is not None:
                self._use(retake, bot)

    def counted(self, record: GameRecord) -> GameRecord:
        """Return a game as it is recorded: it ends with the first second try that is too many."""
        kept = tuple(replace(retake, instead=None) for retake in record.retakes)
        for number, retake in enumerate(record.retakes):
            bot = self._bot_of(retake)
            assert bot is not None and retake.instead is not None
            if self._used[bot] >= MOST:
                stands = retake.instead
                log.info("game %s: no further second try: a bot %s", record.key, stands.reason)
                reason = NO_MORE.format(reason=stands.reason)
                return replace(stands, reason=reason, retakes=kept[:number])
            self._use(retake, bot)
            with about(key=record.key, bots=(self._name_of(retake),)):
                log.warning("%s %s", self._name_of(retake), told(retake))
        return replace(record, retakes=kept)

    def _use(self, retake: Retake, bot: str) -> None:
        self._used[bot] += 1
        if retake.proof is Proof.WORN:
            self.afresh |= {bot}

    def _bot_of(self, retake: Retake) -> str | None:
        """Return the identity of a second try's bot; None if it is of none of these games."""
        number = self._index.key(retake.key)
        if number is None:
            return None
        key = self._index.first(number).key
        return (key.first, key.second)[retake.seat].identity

    def _name_of(self, retake: Retake) -> str:
        number = self._index.key(retake.key)
        assert number is not None
        game = self._index.first(number)
        return (game.first, game.second)[retake.seat]


Tries = Mapping[str, Sequence[tuple[ScheduledGame, Retake]]]
"""Second tries by the name of the bot, each with its game."""


def second_tries(games: Iterable[SettledGame]) -> Tries:
    """Return the second tries on the way to the games that count."""
    tries: dict[str, list[tuple[ScheduledGame, Retake]]] = {}
    for game, record, _ in games:
        for retake in record.retakes:
            tries.setdefault((game.first, game.second)[retake.seat], []).append((game, retake))
    return tries


def told(retake: Retake) -> str:
    """Return what a bot got a second try of, and why, as a predicate."""
    what = "was asked for a move again" if retake.proof is Proof.WORN else "played a game again"
    when = f" at ply {retake.ply}" if retake.ply else ""
    return f"{what}, as it {retake.reason}{when}: {retake.proof.value}"
