"""The second tries of a contest's bots: each bot gets MOST, then its faults count."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from arena.contest.game_index import GameIndex
from arena.contest.log import about
from arena.contest.retirement import SettledGame
from arena.contest.schedule import ScheduledGame
from arena.referee import GameRecord, Proof, Retake
from arena.referee.verdict import NO_MORE

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
