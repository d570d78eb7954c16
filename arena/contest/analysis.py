"""The values of a game's moves: each is compared with perfect play, from the end backwards.

A value is the exact result of a position or a move under perfect play of both sides, for the side
to move, in the solver's convention: positive wins, 0 draws, negative loses. Its sign is the
*outcome*. A move *matters* where legal moves of different outcome exist; it *keeps* the game if it
has the best outcome there is, and is a *blunder* if it has not. *Accuracy* is the share of the
moves that matter by which a bot kept the game. The *first blunder* of a lost game is the loser's
first move after which it was lost. The plies of an opening are nobody's moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.errors import UnsolvedError
from arena.referee import GameRecord
from arena.rules import Goal, Position, Ruleset

if TYPE_CHECKING:
    from arena.engine import Solver

VERSION = 1
"""Part of every analysis that is kept: raised when values or definitions mean something else."""

SMALL = 42
"""Cells of the largest boards that are known from an opening on, where the first line wins: 6×7."""

NODES, LARGE_NODES = 100_000_000, 5_000_000
"""Positions searched for one question, on such boards and on others: there every game has its last
plies known, and then a question that no number of them answers."""


def usual_nodes(rules: Ruleset) -> int:
    """Positions to be searched for one question unless somebody says otherwise."""
    return NODES if rules.goal is Goal.FIRST and rules.cells <= SMALL else LARGE_NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveAnalysis:
    """A move whose value is known."""

    ply: int
    """Discs on the board before it; its place in the record's `columns`."""

    before: int
    """Value of the position, which is that of the best move."""

    value: int
    """Value of the move that was played."""

    matters: bool
    """True if moves of different outcome could have been played."""

    best: tuple[int, ...] = ()
    """For a blunder: the columns that are worth `before`."""

    held_by: tuple[int, ...] = ()
    """For a blunder: all columns that would have kept the game, from left to right."""

    @property
    def is_blunder(self) -> bool:
        """True if it dropped a win or a draw."""
        return outcome(self.value) < outcome(self.before)

    @property
    def loses(self) -> bool:
        """True if the game was not lost before it, and is afterwards."""
        return self.value < 0 <= self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class GameAnalysis:
    """A game whose moves are known from some ply on to the end."""

    key: str
    """Digest of the game's key."""

    nodes: int
    """Positions that could be searched for one question."""

    moves: tuple[MoveAnalysis, ...]
    """The last moves of the bots in order, as far back as the solver could tell."""

    def is_complete(self, record: GameRecord) -> bool:
        """Return whether every move of the bots is known."""
        return len(self.moves) == len(record.columns) - record.opening_plies

    def first_blunder(self, record: GameRecord) -> MoveAnalysis | None:
        """The first of the known moves by which the loser came to be lost.

        None if there is none: the opening was lost, or the blunder lies before what is known. A
        game that was lost by a fault, not on the board, has none either.
        """
        if record.loser is None or record.verdict.is_fault:
            return None
        mine = (move for move in self.moves if move.ply % 2 == record.loser)
        return next((move for move in mine if move.loses), None)


def analyse(rules: Ruleset, record: GameRecord, solver: Solver, nodes: int) -> GameAnalysis:
    """The values of a game's moves, from its end back to the first that is not known.

    Each question to the solver may search so many nodes. Equal arguments with a solver that was
    asked nothing yet give equal results.
    """
    # the engine takes half a second to be imported, and most commands do without

    position = Position(rules, record.columns)
    moves: list[MoveAnalysis] = []
    try:
        after = end_value(position) if position.is_over else -solver.value(position, nodes=nodes)
        while position.ply > record.opening_plies:
            column = position.undo()
            moves.append(_judged(position, column, after, solver, nodes))
            after = -moves[-1].before
    except UnsolvedError:
        pass
    return GameAnalysis(key=record.key, nodes=nodes, moves=tuple(reversed(moves)))


def _judged(
    position: Position, column: int, value: int, solver: Solver, nodes: int
) -> MoveAnalysis:
    """A move of that value, in the position before it. Raises UnsolvedError."""
    others = [other for other in position.legal() if other != column]
    before = solver.value(position, low=value, nodes=nodes) if others else value
    worth = outcome(before)
    best: tuple[int, ...] = ()
    held_by: tuple[int, ...] = ()
    if outcome(value) < worth:
        # nothing is better than the best, and all moves that lose the value count the same
        values = {
            other: _worth(position, other, worth - 1, before, solver, nodes) for other in others
        }
        best = tuple(other for other in others if values[other] == before)
        held_by = tuple(other for other in others if values[other] >= worth)
        matters = True
    else:
        matters = worth >= 0 and (
            any(_is_answered_by_a_line(position, other) for other in others)
            or any(_worth(position, o, worth - 1, worth, solver, nodes) < worth for o in others)
        )
    return MoveAnalysis(
        ply=position.ply,
        before=before,
        value=value,
        matters=matters,
        best=best,
        held_by=held_by,
    )


def outcome(value: int) -> int:
    """1 for a win, 0 for a draw, -1 for a loss."""
    return (value > 0) - (value < 0)


def end_value(position: Position) -> int:
    """Value of a game that is over, for the player who made the last move."""
    mover = 1 - position.to_move
    if position.rules.goal is Goal.MOST:
        lines = position.lines_made
        return lines[mover] - lines[1 - mover]
    # a line ends the game, so it is the mover's; with the last disc of all it is worth 1
    return (position.rules.cells - position.ply + 2) // 2 if position.winner is not None else 0


def _is_answered_by_a_line(position: Position, column: int) -> bool:
    """Return whether a move lets the opponent win with the next disc; that takes no search."""
    if position.rules.goal is Goal.MOST:
        return False
    position.play(column)
    answered = any(position.wins_at(reply, position.to_move) for reply in position.legal())
    position.undo()
    return answered


def _worth(position: Position, column: int, low: int, high: int, solver: Solver, nodes: int) -> int:
    """Value of a move for whoever makes it, told apart between these bounds.

    Raises UnsolvedError.
    """
    position.play(column)
    if position.is_over:
        value = end_value(position)
    else:
        value = -solver.value(position, low=-high, high=-low, nodes=nodes)
    position.undo()
    return value
