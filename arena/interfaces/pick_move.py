"""House players with Arena's engine, which get more than other bots.

Their constructors also take `position`, kept up to date; `seconds` for a move; and `count`, which
they call with the nodes of each move. This is no description, as no course has it.
"""

from __future__ import annotations

from typing import Any

from arena.interfaces.binding import Supply, always
from arena.interfaces.contract import Adapter, Setup
from arena.interfaces.described import Described, DescribedAdapter
from arena.rules import Position


class PickMove(Described):
    def adapt(self, entry: Any, setup: Setup) -> Adapter:
        if setup.count is None:
            return super().adapt(entry, setup)
        position = Position(setup.rules)
        more = {"position": position, "seconds": setup.move_seconds, "count": setup.count}
        supply: Supply = {(name,): always(value) for name, value in more.items()}
        adapter = DescribedAdapter(self, entry, setup, supply)
        show = adapter.see

        def see(player: int, column: int) -> None:
            show(player, column)
            position.play(column)

        adapter.see = see
        return adapter
