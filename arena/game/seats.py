"""Who is asked in games: bots that stay seated from game to game, so that one that plays several
starts but once; and one bot that is asked again alone what it was asked in a game."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.player import Answer, Fault, Player
from arena.game.record import Bot, GameKey, GameRecord
from arena.game.verdict import Verdict
from arena.machine.capacity import RESTING_BYTES
from arena.rules import Ruleset

NO_MOVE_LEFT = "has no move left in the record"
"""The reason by which a game ends that goes on where the record ends."""


def ask_again(
    key: GameKey, seat: int, columns: Sequence[int], player: Player, seed: int | None = None
) -> GameRecord:
    """Ask the player in a seat what it was asked in a game with these columns; return its game.

    That differs from the record from the first answer on that differs. Where the record has no move
    of the opponent, the game ends by a fault of the opponent. `output` is the last that the player
    printed, also if it committed no fault. A `seed` takes the place of the one that follows from
    the key.
    """
    asked = player if seed is None else _Seeded(player, seed)
    opponent = _Recorded(columns[len(key.opening) :], len(key.opening))
    record = play(key, *((asked, opponent) if seat == 0 else (opponent, asked)))
    is_own = record.loser == seat and record.verdict.is_fault
    return record if is_own else replace(record, output=player.dismiss())


class _Recorded:
    """A player that makes the moves of a record, one after the other."""

    def __init__(self, columns: Sequence[int], opening_plies: int) -> None:
        """`columns` are those of both players after the opening."""
        self._columns, self._opening_plies = columns, opening_plies
        self._left = iter(columns)

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Begin with the first move of that player."""
        self._left = iter(self._columns[(player - self._opening_plies) % 2 :: 2])
        return None

    def ask(self, seen: int) -> Answer | Fault:
        """Return the next move of the record, whatever was seen."""
        column = next(self._left, None)
        if column is None:
            return Fault(Verdict.PROTOCOL, NO_MOVE_LEFT)
        return column, 0, -1

    def dismiss(self) -> str:
        """Return nothing: it prints nothing."""
        return ""


class _Seeded:
    def __init__(self, player: Player, seed: int) -> None:
        self._player, self._seed = player, seed
        self.ask, self.dismiss = player.ask, player.dismiss

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Seat the player with its own seed."""
        return self._player.sit(player, rules, opening, self._seed)


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
