"""Perfect play on tiny boards, by playing every game."""

from __future__ import annotations

import random

from arena.analysis.analysis import GameAnalysis, analyse
from arena.analysis.worth import Appraiser
from arena.game.record import Bot, GameRecord
from arena.game.verdict import Verdict
from arena.rules import Goal, Position, Rack, Ruleset
from arena.settings.contest import ScheduledGame
from support.bots import key, record
from support.positions import random_position


class BruteForce:
    """Answers like a solver, from the rules alone."""

    nodes = 0

    def __init__(self) -> None:
        self._known: dict[Rack, int] = {}

    def value(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        low: int = -1000,
        high: int = 1000,
    ) -> int:
        """Return the exact value for the side to move, within bounds."""
        rack = position.rack()
        if rack not in self._known:
            self._known[rack] = max(self.columns(position).values())
        return min(max(self._known[rack], low), high)

    def columns(self, position: Position) -> dict[int, int]:
        """Return the value of each column with room."""
        return {column: self._worth(position, column) for column in position.legal()}

    def _worth(self, position: Position, column: int) -> int:
        mover = position.to_move
        position.play(column)
        if not position.is_over:
            value = -self.value(position)
        elif position.rules.goal is Goal.MOST:
            value = position.lines_made[mover] - position.lines_made[1 - mover]
        elif position.winner is not None:
            # a win with the last disc that the mover will ever have is 1
            ply, cells = position.ply, position.rules.cells
            value = 1 + sum(1 for later in range(ply + 1, cells + 1) if (later - ply) % 2 == 0)
        else:
            value = 0
        position.undo()
        return value


def brute_analysis(
    rules: Ruleset, record: GameRecord, nodes: int = 1, solver: BruteForce | None = None
) -> GameAnalysis:
    brute = solver or BruteForce()
    return analyse(rules, record, appraiser=Appraiser(rules, nodes, lambda: brute))  # type: ignore


def played_game(
    rules: Ruleset, columns: tuple[int, ...], opening_plies: int = 0, number: int = 1
) -> tuple[ScheduledGame, GameRecord]:
    """Return a game of `ann` against `bob`.

    In an unfinished game the side to move ran out of time.
    """
    position = Position(rules, columns)
    loser = len(columns) % 2
    winner = position.winner if position.is_over else 1 - loser
    game = ScheduledGame(
        number=number,
        pairing=1,
        opening=number,
        first="ann",
        second="bob",
        key=key(
            Bot(content_hash="a", root=""),
            Bot(content_hash="b", root=""),
            rules=rules,
            opening=columns[:opening_plies],
            seed=number,
        ),
    )
    verdict = Verdict.LINE if position.is_over else Verdict.TIMEOUT
    if winner is None:
        verdict = Verdict.BOARD_FULL
    spent = (0,) * (len(columns) - opening_plies)
    facts = {"charged_ns": spent, "nodes": spent, "reason": "so it went"}
    return game, record(game.key, columns, verdict, winner, **facts)


def random_columns(rules: Ruleset, draw: random.Random, plies: int = 1000) -> tuple[int, ...]:
    """Return random legal moves, `plies` unless the game ends first."""
    return random_position(rules, draw, plies).moves
