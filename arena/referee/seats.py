"""Bots that stay seated from game to game, so that one that plays several starts but once."""

from __future__ import annotations

from collections.abc import Collection

from arena.referee.bot_player import BotPlayer
from arena.referee.limits import Limits
from arena.referee.memory import RESTING_BYTES
from arena.referee.record import Bot
from arena.referee.zygote import Zygote

OF_ZYGOTE_BYTES = 16 << 20
"""Bytes of a bot's memory that are its zygote's, and in memory but once; a bot that has played has
some 4 MB more."""


class Seats:
    """The players of bots that play some games in turn, each with a process of its own.

    A bot meets all its opponents in that process, its modules executed afresh for every game, as
    it meets one of them in several games. Who is not at the game is stopped, and who cannot be, or
    holds much, starts anew for its next game, see `BotPlayer.rest`. The bots at rest may hold
    RESTING_BYTES together; beyond that the process of the largest is ended.
    """

    def __init__(self, zygote: Zygote, limits: Limits, afresh: Collection[str] = ()) -> None:
        """Bots whose identities are in `afresh` start anew for each game."""
        self._zygote, self._limits, self._afresh = zygote, limits, afresh
        self._players: dict[tuple[str, bool], BotPlayer] = {}
        self._at_table: tuple[BotPlayer, ...] = ()
        self._resting: dict[BotPlayer, int] = {}  # bytes that each has of its own

    def __enter__(self) -> Seats:
        return self

    def __exit__(self, *_: object) -> None:
        for player in self._players.values():
            player.dismiss()

    def at(self, first: Bot, second: Bot) -> tuple[BotPlayer, BotPlayer]:
        """Return the players of a game, all others being at rest.

        A bot that meets itself is at two seats, each with a process of its own.
        """
        seat, others = (first.identity, False), (second.identity, first.identity == second.identity)
        for new, bot in ((seat, first), (others, second)):
            if new not in self._players:
                afresh = bot.identity in self._afresh
                self._players[new] = BotPlayer(self._zygote, bot, self._limits, afresh=afresh)
        playing = self._players[seat], self._players[others]
        for player in self._at_table:
            if player not in playing:
                self._resting[player] = max(0, player.rest() - OF_ZYGOTE_BYTES)
        for player in playing:
            self._resting.pop(player, None)
        while sum(self._resting.values()) > RESTING_BYTES:
            largest = max(self._resting, key=self._resting.__getitem__)
            del self._resting[largest]
            largest.dismiss()
        self._at_table = playing
        return playing
