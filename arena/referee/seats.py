"""Bots that stay seated from game to game, so that one that plays several starts but once."""

from __future__ import annotations

from collections.abc import Collection

from arena.referee.bot_player import BotPlayer
from arena.referee.limits import Limits
from arena.referee.record import Bot
from arena.referee.zygote import Zygote


class Seats:
    """The players of bots that play some games in turn, each with a process of its own.

    A bot meets all its opponents in that process, its modules executed afresh for every game, as
    it meets one of them in several games. Who is not at the game is stopped, and who cannot be, or
    holds much, starts anew for its next game, see `BotPlayer.rest`.
    """

    def __init__(self, zygote: Zygote, limits: Limits, afresh: Collection[str] = ()) -> None:
        """Bots whose identities are in `afresh` start anew for each game."""
        self._zygote, self._limits, self._afresh = zygote, limits, afresh
        self._players: dict[tuple[str, bool], BotPlayer] = {}
        self._at_table: tuple[BotPlayer, ...] = ()

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
                player.rest()
        self._at_table = playing
        return playing
