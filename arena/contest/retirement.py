"""Retirement: a bot that uses up its limits again and again forfeits its games.

Retirement saves time and must not change who is better. So only slow faults count: timeouts, and
failures to load. A bot is retired after losing `retire_after` games by one of these faults, if they
are at least one in SHARE of its games.

This share is measured on a fair sample: the bot's games in the order of their keys. Keys are
hashes, so this order is as good as random, and stable when games are added. Retirement depends only
on records and this order: later games do not count, even if they were played.

Retries are counted here too: after MOST retries (`Retakes`) a bot's faults count.
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

# Faults that retire a bot: each takes a whole limit, or two starts without a move.
KINDS = (Verdict.TIMEOUT, Verdict.LOAD_ERROR)
SHARE = 2  # A bot is retired if a fault lost at least one in SHARE of its games.


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    verdict: Verdict
    faults: int

    played: int
    """The bot's games until its retirement."""

    after: tuple[str, int]
    """Place of the deciding game in `sample_order`; later games are forfeits."""

    def __str__(self) -> str:
        return f"retired after losing {self.faults} of {self.played} games by {self.verdict.name}"


class SettledGame(NamedTuple):
    game: ScheduledGame
    record: GameRecord
    is_forfeit: bool
    """True if a bot was retired before; `record` is then made up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A contest's games and how they count."""

    games: list[SettledGame]
    """Games with a result, played or forfeited, in schedule order."""

    open: list[ScheduledGame]
    """Games without a result."""

    due: list[ScheduledGame]
    """The games of `open` to play next: all, or a round's, see `Rounds`."""

    retired: Mapping[str, Retirement]
    """Bots with forfeits, in the order of retirement."""

    forfeits: Mapping[str, int]
    """By retired bot, number of games that the opponent wins."""

    nobodys: Mapping[str, int]
    """By retired bot, number of games that do not count, because both bots are retired."""

    lateness: Lateness = NOBODY_LATE

    undecided: Sequence[tuple[str, str]] = ()
    """Neighbours in rank whose order is undecided, if the contest plays until settled."""

    on_time: Settled | None = None
    """These results without the late bots; None if late bots are not ignored."""

    @property
    def is_final(self) -> bool:
        """True if nothing is left to play."""
        return not self.due


def settle(
    games: Iterable[ScheduledGame],
    records: Mapping[str, GameRecord],
    retire_after: int,
    lateness: Lateness = NOBODY_LATE,
    *,
    freeze: bool = False,
) -> Settled:
    """Return how each scheduled game counts; `records` are by key digest.

    With `freeze` also how they count without the late bots (`on_time`).
    """
    games = list(games)
    on_time = None
    if freeze and lateness.late:
        among = (game for game in games if lateness.late.isdisjoint(game.names))
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
            mine.update(name for name in game.names if name in retired)
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
    """Return the games in the order in which retirement counts them."""
    return sorted(games, key=_place)


def retirements(
    games: Sequence[ScheduledGame], records: Mapping[str, GameRecord], retire_after: int
) -> dict[str, Retirement]:
    """Return the bots retired after `retire_after` faults, in order; 0 retires none."""
    retired: dict[str, Retirement] = {}
    if not retire_after:
        return retired
    suspects = _suspects(games, records, retire_after)
    theirs = (game for game in games if not suspects.isdisjoint(game.names))
    played: Counter[str] = Counter()
    faults: Counter[tuple[str, Verdict]] = Counter()
    for game in sample_order(theirs):
        record = records.get(game.key.digest)
        if record is None or not record.is_game:
            continue
        if game.first in retired or game.second in retired:
            continue  # the game is a forfeit, even if it was played
        played[game.first] += 1
        played[game.second] += 1
        if record.loser is None or record.verdict not in KINDS:
            continue
        loser = game.names[record.loser]
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
    """Return the bots with enough faults: usually none, so nothing needs sorting."""
    faults: Counter[tuple[str, Verdict]] = Counter()
    for game in games:
        record = records.get(game.key.digest)
        if record is not None and record.verdict in KINDS and record.loser is not None:
            faults[game.names[record.loser], record.verdict] += 1
    return {name for (name, _), count in faults.items() if count >= retire_after}


def forfeit(game: ScheduledGame, retired: Mapping[str, Retirement]) -> GameRecord | None:
    """Return a made-up record if a bot was retired before this game, else None.

    The other bot wins. If it is retired too, before or after, the game counts for neither:
    otherwise a bot would gain from opponents that fail sooner.
    """
    if game.first not in retired and game.second not in retired:
        return None  # the usual case; a large contest calls this a million times
    place = _place(game)
    if not any(name in retired and retired[name].after < place for name in game.names):
        return None
    winner: int | None
    match [retired.get(name) for name in game.names]:
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


MOST = 3  # Retries of a bot in a contest, of games and moves together.
log = logging.getLogger("arena.contest")


class Retakes:
    def __init__(self, index: GameIndex, known: Iterable[Retake]) -> None:
        """Begin with the retries so far; those of other contests are ignored."""
        self._index = index
        self._used: Counter[str] = Counter()
        self.new_process: frozenset[str] = frozenset()
        """Identities of bots that must start in a new process for each game."""
        for retake in known:
            if player := self._player(retake):
                self._use(retake, player[0])

    def counted(self, record: GameRecord) -> GameRecord:
        """Return a game as it is recorded: with at most MOST retries of a bot.

        The next retry is not accepted: the game ends with the fault that led to it.
        """
        kept = tuple(replace(retake, instead=None) for retake in record.retakes)
        for number, retake in enumerate(record.retakes):
            player = self._player(retake)
            assert player is not None and retake.instead is not None
            bot, name = player
            if self._used[bot] >= MOST:
                stands = retake.instead
                log.info("game %s: no further retry: a bot %s", record.key, stands.reason)
                reason = NO_MORE.format(reason=stands.reason)
                return replace(stands, reason=reason, retakes=kept[:number])
            self._use(retake, bot)
            with about(key=record.key, bots=(name,)):
                log.warning("%s %s", name, retry_in_words(retake))
        return replace(record, retakes=kept)

    def _use(self, retake: Retake, bot: str) -> None:
        self._used[bot] += 1
        if retake.proof is Proof.WORN:
            self.new_process |= {bot}

    def _player(self, retake: Retake) -> tuple[str, str] | None:
        """Return identity and name of a retry's bot; None for another contest's game."""
        number = self._index.key(retake.key)
        if number is None:
            return None
        game = self._index.first(number)
        return (game.key.first, game.key.second)[retake.seat].identity, game.names[retake.seat]


# Retries by bot name, each with its game.
Tries = Mapping[str, Sequence[tuple[ScheduledGame, Retake]]]


def retries_of(games: Iterable[SettledGame]) -> Tries:
    tries: dict[str, list[tuple[ScheduledGame, Retake]]] = {}
    for game, record, _ in games:
        for retake in record.retakes:
            tries.setdefault(game.names[retake.seat], []).append((game, retake))
    return tries


def retry_in_words(retake: Retake) -> str:
    """Return the rest of a sentence about the bot: which retry the bot got, and why."""
    what = "was asked for a move again" if retake.proof is Proof.WORN else "played a game again"
    when = f" at ply {retake.ply}" if retake.ply else ""
    return f"{what}, as it {retake.reason}{when}: {retake.proof.value}"
