"""Asking one bot again what it was asked in a game: its opponent's moves come from the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arena.referee.game import play
from arena.referee.player import Answer, Fault, Player
from arena.referee.record import GameKey, GameRecord
from arena.referee.verdict import Verdict
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
    """A player whose random numbers have another seed."""

    def __init__(self, player: Player, seed: int) -> None:
        self._player, self._seed = player, seed
        self.ask, self.dismiss = player.ask, player.dismiss

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Seat the player with its own seed."""
        return self._player.sit(player, rules, opening, self._seed)
