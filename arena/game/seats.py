"""Bots that stay loaded from game to game, and replays of one side of a game."""

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

# Reason of the opponent's fault after its last recorded move.
NO_MOVE_LEFT = "has no move left in the record"


def replay_side(
    key: GameKey, seat: int, columns: Sequence[int], player: Player, seed: int | None = None
) -> GameRecord:
    """Replay one side of a game whose moves were `columns`; return the new record.

    The opponent makes its recorded moves and then loses by a fault. The record's `output` is the
    end of the player's output, even without a fault. `seed`, if given, replaces the player's seed.
    """
    asked = player if seed is None else _Seeded(player, seed)
    opponent = _Recorded(columns[len(key.opening) :], len(key.opening))
    record = play(key, *((asked, opponent) if seat == 0 else (opponent, asked)))
    is_own = record.loser == seat and record.verdict.is_fault
    return record if is_own else replace(record, output=player.dismiss())


class _Recorded:
    def __init__(self, columns: Sequence[int], opening_plies: int) -> None:
        self._columns, self._opening_plies = columns, opening_plies
        self._left = iter(columns)

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        self._left = iter(self._columns[(player - self._opening_plies) % 2 :: 2])
        return None

    def ask(self, seen: int) -> Answer | Fault:
        column = next(self._left, None)
        if column is None:
            return Fault(Verdict.PROTOCOL, NO_MOVE_LEFT)
        return column, 0, -1

    def dismiss(self) -> str:
        return ""


class _Seeded:
    def __init__(self, player: Player, seed: int) -> None:
        self._player, self._seed = player, seed
        self.ask, self.dismiss = player.ask, player.dismiss

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        return self._player.sit(player, rules, opening, self._seed)


# Bytes of a bot's memory that it shares with its zygote; a bot that has played has about 4 MB more.
ZYGOTE_BYTES = 16 << 20


class Seats:
    """The players of some bots that play in turns, each with its own process.

    Each game executes the bot's modules again. Bots outside the current game are stopped
    (`BotPlayer.rest`). Together they may use RESTING_BYTES; beyond that, the largest process ends.
    """

    def __init__(self, zygote: Zygote, limits: Limits, new_process: Collection[str] = ()) -> None:
        """Start without players; bots with an identity in `new_process` never stay loaded."""
        self._zygote, self._limits, self._afresh = zygote, limits, new_process
        self._players: dict[tuple[str, bool], BotPlayer] = {}
        self._playing: tuple[BotPlayer, ...] = ()
        self._resting: dict[BotPlayer, int] = {}  # stopped players, and their unshared bytes

    def __enter__(self) -> Seats:
        return self

    def __exit__(self, *_: object) -> None:
        for player in self._players.values():
            player.dismiss()

    def at(self, first: Bot, second: Bot) -> tuple[BotPlayer, BotPlayer]:
        """Return the two players of a game, and stop all others.

        A bot that meets itself gets two players.
        """
        seat, others = (first.identity, False), (second.identity, first.identity == second.identity)
        for new, bot in ((seat, first), (others, second)):
            if new not in self._players:
                new_process = bot.identity in self._afresh
                self._players[new] = BotPlayer(
                    self._zygote, bot, self._limits, new_process=new_process
                )
        playing = self._players[seat], self._players[others]
        for player in self._playing:
            if player not in playing:
                self._resting[player] = max(0, player.rest() - ZYGOTE_BYTES)
        for player in playing:
            self._resting.pop(player, None)
        while sum(self._resting.values()) > RESTING_BYTES:
            largest = max(self._resting, key=self._resting.__getitem__)
            del self._resting[largest]
            largest.dismiss()
        self._playing = playing
        return playing
