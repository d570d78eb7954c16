"""Bots that stay loaded from game to game, and replays of one side of a game."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import replace

from arena.game.bot_player import BotPlayer
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.player import Answer, Fault, Player
from arena.game.record import Bot, GameKey, GameRecord
from arena.game.starter import Starter
from arena.game.verdict import Verdict
from arena.machine.capacity import RESTING_BYTES
from arena.rules import Ruleset

# Reason of the opponent's fault after its last recorded move.
NO_MOVE_LEFT = "has no move left in the record"


def replay_side(key: GameKey, seat: int, columns: Sequence[int], player: Player) -> GameRecord:
    """Replay one side of a game whose moves were `columns`; return the new record.

    The opponent makes its recorded moves and then loses by a fault. The record's `output` is the
    end of the player's output, even without a fault.
    """
    opponent = _Recorded(columns[len(key.opening) :], len(key.opening))
    record = play(key, *((player, opponent) if seat == 0 else (opponent, player)))
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


# Bytes of a bot's memory that it shares with its zygote; a bot that has played has about 4 MB more.
ZYGOTE_BYTES = 16 << 20


# Most bots that rest in a lane: each has some eight descriptors here and a process.
MOST_RESTING = 32


class Seats:
    """The players of some bots that play in turns, each with its own process.

    Each game executes the bot's modules again. Bots outside the current game are stopped
    (`BotPlayer.rest`). Together they may use RESTING_BYTES; beyond that, the largest process ends.
    Beyond MOST_RESTING, the one that has rested longest ends.
    """

    def __init__(self, starter: Starter, limits: Limits) -> None:
        self.starter, self.limits = starter, limits
        self.new_process: Collection[str] = ()
        """Identities of bots that never stay loaded."""
        self._players: dict[tuple[str, str, bool], BotPlayer] = {}
        self._playing: tuple[BotPlayer, ...] = ()
        self._resting: dict[BotPlayer, int] = {}  # stopped players, and their unshared bytes

    def __enter__(self) -> Seats:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with ExitStack() as each:  # all, even if one fails because the starter has ended
            for player in self._players.values():
                each.callback(player.dismiss)

    def at(self, first: Bot, second: Bot) -> tuple[BotPlayer, BotPlayer]:
        """Return the two players of a game, and stop all others.

        A bot that meets itself gets two players.
        """
        playing = (
            self._player(first, False),
            self._player(second, first.identity == second.identity),
        )
        for player in playing:
            self._resting.pop(player, None)
        self._rest_all_but(playing)
        return playing

    def rest(self) -> None:
        """Stop all players until their next game."""
        self._rest_all_but(())

    def _player(self, bot: Bot, is_twin: bool) -> BotPlayer:
        seat = bot.identity, bot.root, is_twin
        if seat not in self._players:
            self._players[seat] = BotPlayer(self.starter, bot, self.limits)
        player = self._players[seat]
        player.new_process = player.new_process or bot.identity in self.new_process
        return player

    def _rest_all_but(self, playing: tuple[BotPlayer, ...]) -> None:
        resting = self._resting
        for player in self._playing:
            if player not in playing and (held := player.rest()):
                resting[player] = max(0, held - ZYGOTE_BYTES)
        while len(resting) > MOST_RESTING or sum(resting.values()) > RESTING_BYTES:
            is_crowd = len(resting) > MOST_RESTING
            last = next(iter(resting)) if is_crowd else max(resting, key=resting.__getitem__)
            del resting[last]
            last.dismiss()
        self._playing = playing
