"""House players with Arena's engine, which get more than other bots.

Their constructors also take `position`, kept up to date; `seconds` for a move; and `count`, which
they call with the nodes of each move. This is no description, as no course has it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from arena.interfaces.binding import Supply
from arena.interfaces.contract import Adapter, Setup
from arena.interfaces.described import Described, DescribedAdapter
from arena.rules import Position


class PickMove(Described):
    def adapt(self, entry: Any, setup: Setup) -> Adapter:
        if setup.count is None:
            return super().adapt(entry, setup)
        return EngineAdapter(self, entry, setup)


class EngineAdapter:
    def __init__(self, described: Described, entry: Any, setup: Setup) -> None:
        self._position = Position(setup.rules)
        more = {"position": self._position, "seconds": setup.move_seconds, "count": setup.count}
        supply: Supply = {(name,): partial(more.get, name) for name in more}
        self._adapter = DescribedAdapter(described, entry, setup, supply)
        self.pick = self._adapter.pick

    def see(self, player: int, column: int) -> None:
        self._adapter.see(player, column)
        self._position.play(column)
