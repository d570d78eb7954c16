"""The lines that bots print in each move of a match, for their authors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from arena.common.text import plain_lines
from arena.game.bot_player import BotPlayer
from arena.game.player import Answer, Fault
from arena.game.record import GameRecord
from arena.rules import Ruleset

LINES = 3  # Lines kept of each move, the last ones.
WIDTH = 132  # Characters kept of a line.

Heard = dict[int, tuple[str, ...]]  # The last lines printed in a move, by its ply from 1.


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardRecord(GameRecord):
    """A game with what its bots printed; a journal does not keep that."""

    heard: Mapping[int, tuple[str, ...]] = field(default_factory=dict, compare=False)
    """The last lines that a bot printed in a move, by the move's ply from 1."""

    @classmethod
    def of(cls, record: GameRecord, heard: Mapping[int, tuple[str, ...]]) -> HeardRecord:
        facts = {each.name: getattr(record, each.name) for each in fields(GameRecord)}
        return cls(**facts, heard=heard)


class Listener:
    """A player that stores what its bot printed in a move, once the clock has stopped."""

    def __init__(self, player: BotPlayer, heard: Heard) -> None:
        self._player, self._heard = player, heard
        self._ply = 0  # of the next move
        self.dismiss = player.dismiss

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        self._ply = len(opening) + 1 + (player - len(opening)) % 2
        fault = self._player.sit(player, rules, opening, seed)
        self._player.new_output()  # drops what the import printed
        return fault

    def ask(self, seen: int) -> Answer | Fault:
        answer = self._player.ask(seen)
        ply, self._ply = self._ply, self._ply + 2
        if not isinstance(answer, Fault):  # a fault's record has the output
            printed = plain_lines(self._player.new_output(), WIDTH)
            if lines := tuple(filter(None, printed))[-LINES:]:
                self._heard[ply] = lines
        return answer
