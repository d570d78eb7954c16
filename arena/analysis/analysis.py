"""What the moves of a game were worth, and which of them were mistakes.

Every position in which a bot was asked has a worth for each column (`arena.analysis.worth`): exact
as far back from the game's end as the solver gets, and estimated before that. Both are *expected
points* of the mover: 1 for a win, ½ for a draw, 0 for a loss, and in between where they are an
estimate. So one rule serves for both:

- A move is a *blunder* if another column was worth at least `MARGIN` points more. Of exact values
  that is a move that gave a win or a draw away.
- A move *matters* if some column there would have been a blunder. *Accuracy* is the share of the
  moves that matter that were no blunders.
- The *wrong turn* of a lost game is the loser's first blunder after which it never had an even
  chance again: no column in any later position of its was worth half a point. A game that was lost
  by a fault has none.

The plies of an opening are nobody's moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.analysis.worth import Appraiser, Worth, Worths, outcome
from arena.game.record import GameRecord
from arena.rules import Goal, Position, Ruleset

VERSION = 3
"""Part of every analysis that is kept: raised when values or definitions mean something else."""

SMALL = 42
"""Cells of the largest boards that are known from nearly any opening on, where the first line wins:
6×7."""

NODES, LARGE_NODES = 50_000_000, 2_000_000
"""Positions searched for all columns of a position, on such boards and on others: there every game
has its last plies known, and then a position that no number of them solves."""

MARGIN = 0.3
"""Expected points that a blunder gives away at least. With this margin about as many moves on 6×7
are blunders by estimates as by their exact values; with a smaller one, more, and wrongly so."""

EVEN = 0.5
"""Points of an even chance."""


def usual_nodes(rules: Ruleset) -> int:
    """Positions to be searched for one position unless somebody says otherwise."""
    return NODES if rules.goal is Goal.FIRST and rules.cells <= SMALL else LARGE_NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionAnalysis:
    """A position in which a bot was asked."""

    ply: int
    """Discs on the board; the place of the move in the record's `columns`."""

    columns: Worths
    """What each column is worth for whoever moves; None where there is no room."""

    @property
    def numbers(self) -> tuple[float | None, ...]:
        """What each column is worth as one number, see `Worth.number`; None for no room."""
        return tuple(None if worth is None else worth.number for worth in self.columns)

    @property
    def is_exact(self) -> bool:
        """True if every column's exact value is known."""
        return all(worth is None or worth.exact is not None for worth in self.columns)

    @property
    def value(self) -> int | None:
        """Exact value of the position; None if some column's is not known."""
        if not self.is_exact:
            return None
        return max(worth.exact for worth in self.columns if worth and worth.exact is not None)

    @property
    def chance(self) -> float:
        """Expected points of whoever moves: those of the best column."""
        return max(worth.chance for worth in self.columns if worth is not None)

    @property
    def matters(self) -> bool:
        """True if one column at least is a blunder."""
        worst = min(worth.chance for worth in self.columns if worth is not None)
        return round(self.chance - worst, 3) >= MARGIN

    @property
    def best(self) -> tuple[int, ...]:
        """The columns that are worth most, from left to right; of exact wins the fastest."""
        ranked = {
            column: (self.worth(column).chance, self.worth(column).exact or 0)
            for column in self._legal
        }
        most = max(ranked.values())
        return tuple(column for column, worth in ranked.items() if worth == most)

    @property
    def held_by(self) -> tuple[int, ...]:
        """The columns that are no blunders, from left to right."""
        return tuple(column for column in self._legal if self.loss(column) < MARGIN)

    def worth(self, column: int) -> Worth:
        """Return what a column with room is worth."""
        worth = self.columns[column]
        assert worth is not None
        return worth

    def loss(self, column: int) -> float:
        """Expected points that a column with room gives away."""
        # estimates have three decimals, and so have their differences
        return round(self.chance - self.worth(column).chance, 3)

    @property
    def _legal(self) -> list[int]:
        return [column for column, worth in enumerate(self.columns) if worth is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveAnalysis:
    """A move in a position of which every column's exact value is known."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedMove:
    """A bot's move, judged by what all columns were worth."""

    column: int
    """The column played."""

    position: PositionAnalysis
    """The position before it."""

    @property
    def ply(self) -> int:
        """Discs on the board before it."""
        return self.position.ply

    @property
    def worth(self) -> Worth:
        """What it was worth."""
        return self.position.worth(self.column)

    @property
    def matters(self) -> bool:
        """True if a blunder could have been played."""
        return self.position.matters

    @property
    def is_blunder(self) -> bool:
        """True if it gave away at least `MARGIN` points."""
        return self.position.loss(self.column) >= MARGIN

    @property
    def is_estimate(self) -> bool:
        """True if the judgement rests on an estimate."""
        return not self.position.is_exact


@dataclass(frozen=True, slots=True, kw_only=True)
class GameAnalysis:
    """A game with the worth of every column in each position in which a bot was asked."""

    key: str
    """Digest of the game's key."""

    nodes: int
    """Positions that the solver could search for one position."""

    positions: tuple[PositionAnalysis, ...]
    """The positions from the opening's end on; that in which a fault was made is the last."""

    moves: tuple[MoveAnalysis, ...]
    """The last moves of the bots in order, as far back as the solver could tell."""

    def is_complete(self, record: GameRecord) -> bool:
        """Return whether the exact value of every move is known."""
        return len(self.moves) == len(record.columns) - record.opening_plies

    def judged(self, record: GameRecord) -> tuple[JudgedMove, ...]:
        """Every move of the bots, in order."""
        moves = record.columns[record.opening_plies :]
        return tuple(
            JudgedMove(column=column, position=position)
            for column, position in zip(moves, self.positions, strict=False)
        )

    def blunders(self, record: GameRecord) -> tuple[JudgedMove, ...]:
        """The blunders of both bots, in order."""
        return tuple(move for move in self.judged(record) if move.is_blunder)

    def wrong_turn(self, record: GameRecord) -> JudgedMove | None:
        """Return the loser's first blunder after which it never had an even chance again.

        None if there is none: it never had one, or lost it without a blunder, by estimates that
        fell in small steps or were too high. A game that was lost by a fault has none either.
        """
        if record.loser is None or record.verdict.is_fault:
            return None
        turn: JudgedMove | None = None
        for move in self.judged(record):
            if move.ply % 2 != record.loser:
                continue
            if move.position.chance >= EVEN:
                turn = None
            if turn is None and move.is_blunder and move.worth.chance < EVEN:
                turn = move
        return turn


def analyse(
    rules: Ruleset,
    record: GameRecord,
    nodes: int | None = None,
    appraiser: Appraiser | None = None,
) -> GameAnalysis:
    """Analyse one game: the worth of every column wherever a bot was asked.

    The solver works from the end of the game backwards, with so many `nodes` for a position or the
    usual number; from the first position that it does not solve, all before are estimated. Games
    analysed with one `appraiser` share what they have in common, and come out the same as without.
    """
    appraiser = appraiser or Appraiser(rules, nodes or usual_nodes(rules))
    position = Position(rules, record.columns)
    positions: list[PositionAnalysis] = []
    solves = True
    while position.ply >= record.opening_plies:
        if not position.is_over:
            worths = appraiser.solved(position) if solves else None
            solves = worths is not None
            columns = worths or appraiser.estimated(position)
            positions.append(PositionAnalysis(ply=position.ply, columns=columns))
        if not position.ply:
            break
        position.undo()
    positions.reverse()
    return GameAnalysis(
        key=record.key,
        nodes=appraiser.nodes,
        positions=tuple(positions),
        moves=exact_moves(record, positions),
    )


def exact_moves(
    record: GameRecord, positions: Sequence[PositionAnalysis]
) -> tuple[MoveAnalysis, ...]:
    """Return the moves of a game's last positions, as far back as all values are exact."""
    moves: list[MoveAnalysis] = []
    for position in reversed(positions):
        if not position.is_exact:
            break
        if position.ply < len(record.columns):
            moves.append(_exact_move(position, record.columns[position.ply]))
    return tuple(reversed(moves))


def _exact_move(position: PositionAnalysis, column: int) -> MoveAnalysis:
    values = {
        other: worth.exact
        for other, worth in enumerate(position.columns)
        if worth is not None and worth.exact is not None
    }
    before, value = max(values.values()), values[column]
    is_blunder = outcome(value) < outcome(before)
    best = tuple(other for other, worth in values.items() if worth == before)
    return MoveAnalysis(
        ply=position.ply,
        before=before,
        value=value,
        matters=position.matters,
        best=best if is_blunder else (),
        held_by=position.held_by if is_blunder else (),
    )
