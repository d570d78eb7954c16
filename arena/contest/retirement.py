"""Retirement: a bot that uses up its limits again and again forfeits its games.

It saves time and must not change who is better. So a bot is retired after losing `retire_after`
games by one slow fault, a timeout or a failure to load, if they are at least one in SHARE of its
games. Games are counted in the order of keys, as good as random and stable when games are added;
later games do not count, even if they were played.

After MOST retries (`Retakes`) a bot's faults count.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arena.contest.index import NUMBERS, STAND_INS, Ends, GameIndex, GamesAt, index_of
from arena.contest.people import NOBODY_LATE, Lateness
from arena.contest.settled import SettledGame, SettledGames
from arena.game.record import GameRecord, Retake
from arena.game.verdict import NO_MORE, Proof, Verdict
from arena.journal.packed import PackedGames
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
    after: tuple[str, int]
    """Digest and number of the deciding game. Games after it, in this order, are forfeits."""

    def __str__(self) -> str:
        return f"retired after losing {self.faults} of {self.played} games by {self.verdict.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    games: Sequence[SettledGame]
    """Games with a result, played or forfeited, in schedule order."""

    open: Sequence[ScheduledGame]
    due: Sequence[ScheduledGame]
    """The games of `open` to play next: all, or a round's, see `Rounds`."""

    retired: Mapping[str, Retirement]
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
        return not self.due


def settle(
    games: Sequence[ScheduledGame],
    records: Mapping[str, GameRecord],
    retire_after: int,
    lateness: Lateness = NOBODY_LATE,
    *,
    freeze: bool = False,
) -> Settled:
    """Return how each game counts; with `freeze` also without late bots (`on_time`)."""
    index = index_of(games)
    table = records if isinstance(records, PackedGames) else PackedGames.of(records.values())
    ends = Ends.from_records(index, table)
    settled = _settled(index, ends, table, retire_after, np.ones(len(games), np.bool_))
    on_time = None
    if freeze and lateness.late:
        on_time = _settled(index, ends, table, retire_after, ~index.are_with(lateness.late))
    return replace(settled, lateness=lateness, on_time=on_time)


def _settled(
    index: GameIndex,
    ends: Ends,
    records: PackedGames,
    retire_after: int,
    among: NDArray[np.bool_],
) -> Settled:
    retired = retirements(index, ends, retire_after, among)
    is_forfeit = forfeits(index, retired) > 0
    is_known = (ends.by_place > 0) & ~is_forfeit
    won: Counter[str] = Counter()
    nobodys: Counter[str] = Counter()
    made_up: dict[int, GameRecord] = {}
    for place in np.flatnonzero(among & is_forfeit).tolist():
        game = index.games[place]
        record = forfeit(game, retired)
        assert record is not None
        made_up[place] = record
        mine = won if record.is_game else nobodys
        mine.update(name for name in game.names if name in retired)
    places = np.flatnonzero(among & (is_known | is_forfeit)).astype(np.int32)
    is_open = among & ~is_known & ~is_forfeit
    still_open = GamesAt(index.games, np.flatnonzero(is_open).astype(np.int32))
    return Settled(
        games=SettledGames.at(index, places, records, made_up),
        open=still_open,
        due=still_open,
        retired={name: why for name, why in retired.items() if won[name] + nobodys[name]},
        forfeits=won,
        nobodys=nobodys,
    )


def retirements(
    index: GameIndex, ends: Ends, retire_after: int, among: NDArray[np.bool_] | None = None
) -> dict[str, Retirement]:
    """Return the bots retired after `retire_after` faults `among` games; 0: none."""
    retired: dict[str, Retirement] = {}
    numbers = ends.by_place if among is None else np.where(among, ends.by_place, 0)
    if not retire_after or not (suspects := _suspects(index, numbers, retire_after)):
        return retired
    played: Counter[str] = Counter()
    faults: Counter[tuple[str, Verdict]] = Counter()
    places = index.sampled_with(suspects)
    for place in places[numbers[places] > 0].tolist():
        end = STAND_INS[numbers[place] - 1]
        names = [index.names[side] for side in index.sides[place]]
        if not end.is_game or not retired.keys().isdisjoint(names):
            continue  # with a retired bot the game is a forfeit, even if it was played
        played.update(names)
        if end.loser is None or end.verdict not in KINDS:
            continue
        loser = names[end.loser]
        faults[loser, end.verdict] += 1
        count = faults[loser, end.verdict]
        if count >= retire_after and count * SHARE >= played[loser]:
            after = _place(index.games[place])
            retired[loser] = Retirement(
                verdict=end.verdict, faults=count, played=played[loser], after=after
            )
    return retired


def _suspects(index: GameIndex, numbers: NDArray[np.uint8], retire_after: int) -> list[str]:
    suspects = np.zeros(len(index.names), np.bool_)
    for verdict in KINDS:
        faults = np.zeros(len(index.names), np.int64)
        for winner in (0, 1):
            lost = index.sides[numbers == NUMBERS[verdict, winner], 1 - winner]
            faults += np.bincount(lost, minlength=len(faults))
        suspects |= faults >= retire_after
    return [index.names[bot] for bot in np.flatnonzero(suspects)]


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


def forfeits(index: GameIndex, retired: Mapping[str, Retirement]) -> NDArray[np.uint8]:
    """Return for each game its end's number in NUMBERS if it is a forfeit, else 0."""
    numbers = np.zeros(len(index.games), np.uint8)
    for place in np.flatnonzero(index.are_with(retired)).tolist():
        if made_up := forfeit(index.games[place], retired):
            numbers[place] = NUMBERS[made_up.verdict, made_up.winner]
    return numbers


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
        """Return a game with at most MOST retries of a bot: the next one's fault ends it."""
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
        number = self._index.key(retake.key)
        if number is None:
            return None
        game = self._index.first(number)
        return (game.key.first, game.key.second)[retake.seat].identity, game.names[retake.seat]


# Retries by bot name, each with its game.
Tries = Mapping[str, Sequence[tuple[ScheduledGame, Retake]]]


def retries_of(games: Iterable[SettledGame]) -> Tries:
    tries: dict[str, list[tuple[ScheduledGame, Retake]]] = {}
    for game, record, _ in SettledGames.of(games).with_retries():
        for retake in record.retakes:
            tries.setdefault(game.names[retake.seat], []).append((game, retake))
    return tries


def retry_in_words(retake: Retake) -> str:
    """Return the rest of a sentence about the bot: which retry the bot got, and why."""
    what = "was asked for a move again" if retake.proof is Proof.WORN else "played a game again"
    when = f" at ply {retake.ply}" if retake.ply else ""
    return f"{what}, as it {retake.reason}{when}: {retake.proof.value}"
