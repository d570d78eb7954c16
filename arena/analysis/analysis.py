"""The worth of a game's moves, and which of them were mistakes.

In every position where a bot was asked, each column has a worth (`arena.analysis.worth`): exact as
far back from the end as the solver reaches, estimated before. Both kinds are *expected points* of
the mover: 1 for a win, ½ for a draw, 0 for a loss.

- A move is a *blunder* if another column was worth at least `MARGIN` points more.
- A move *matters* if some column would have been a blunder. *Accuracy* is the share of
  non-blunders among the moves that matter.
- The *wrong turn* of a lost game is the loser's first blunder to less than half a point after
  which no column was worth that again. A game lost by a fault has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from arena.analysis.worth import Appraiser, Worth, Worths
from arena.game.record import GameRecord
from arena.rules import Goal, Position, Ruleset

VERSION = 3  # is stored with analyses; raise it when values or definitions change

# On boards of at most this size (6×7) where the first line wins, nearly all games are solved.
SMALL = 42

# Positions searched to solve all columns of a position, on such boards and on others. On others
# this solves the last plies; for earlier positions no number would be enough.
NODES, LARGE_NODES = 50_000_000, 2_000_000

# Expected points that a blunder loses, at least. With this margin, 6×7 has as many blunders by
# estimates as by exact values; a smaller one would add wrong ones.
MARGIN = 0.3
EVEN = 0.5  # expected points of an even chance


def usual_nodes(rules: Ruleset) -> int:
    return NODES if rules.goal is Goal.FIRST and rules.cells <= SMALL else LARGE_NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionAnalysis:
    """A position in which a bot was asked for a move."""

    ply: int
    """Discs on the board."""

    columns: Worths
    """Each column's worth for the mover; None if the column is full."""

    @property
    def numbers(self) -> tuple[float | None, ...]:
        return tuple(None if worth is None else worth.number for worth in self.columns)

    @property
    def is_exact(self) -> bool:
        return all(worth is None or worth.exact is not None for worth in self.columns)

    @property
    def value(self) -> int | None:
        """Exact value for the mover; None if unknown."""
        if not self.is_exact:
            return None
        return max(worth.exact for worth in self.columns if worth and worth.exact is not None)

    @property
    def chance(self) -> float:
        return max(worth.chance for worth in self.columns if worth is not None)

    @property
    def matters(self) -> bool:
        worst = min(worth.chance for worth in self.columns if worth is not None)
        return round(self.chance - worst, 3) >= MARGIN

    @property
    def best(self) -> tuple[int, ...]:
        """The best columns, left to right; of exact wins only the fastest."""
        ranked = {
            column: (self.worth(column).chance, self.worth(column).exact or 0)
            for column in self._legal
        }
        most = max(ranked.values())
        return tuple(column for column, worth in ranked.items() if worth == most)

    @property
    def held_by(self) -> tuple[int, ...]:
        """The columns that are no blunders, left to right."""
        return tuple(column for column in self._legal if self.loss(column) < MARGIN)

    def worth(self, column: int) -> Worth:
        worth = self.columns[column]
        assert worth is not None
        return worth

    def loss(self, column: int) -> float:
        # estimates have three decimals, and so have their differences
        return round(self.chance - self.worth(column).chance, 3)

    @property
    def _legal(self) -> list[int]:
        return [column for column, worth in enumerate(self.columns) if worth is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedMove:
    """A bot's move with the worth of all columns."""

    column: int
    position: PositionAnalysis

    @property
    def ply(self) -> int:
        return self.position.ply

    @property
    def worth(self) -> Worth:
        return self.position.worth(self.column)

    @property
    def matters(self) -> bool:
        return self.position.matters

    @property
    def is_blunder(self) -> bool:
        return self.position.loss(self.column) >= MARGIN

    @property
    def is_estimate(self) -> bool:
        return not self.position.is_exact


@dataclass(frozen=True, slots=True, kw_only=True)
class GameAnalysis:
    """A game with the worth of all columns where a bot was asked."""

    key: str
    """Digest of the game's key."""

    nodes: int
    """The solver's limit for one position."""

    positions: tuple[PositionAnalysis, ...]
    """Positions in order from the opening's end; a fault's position is the last."""

    values: Mapping[int, int]
    """Exact values of the last moves by ply, as far back as all columns have one."""

    def is_complete(self, record: GameRecord) -> bool:
        return len(self.values) == len(record.columns) - record.opening_plies

    def judged(self, record: GameRecord) -> tuple[JudgedMove, ...]:
        moves = record.columns[record.opening_plies :]
        return tuple(
            JudgedMove(column=column, position=position)
            for column, position in zip(moves, self.positions, strict=False)
        )

    def blunders(self, record: GameRecord) -> tuple[JudgedMove, ...]:
        return tuple(move for move in self.judged(record) if move.is_blunder)

    def wrong_turn(self, record: GameRecord) -> JudgedMove | None:
        """Return the loser's first blunder after which it never had an even chance."""
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
    """Return the worth of every column in each position where a bot was asked.

    Positions before an unsolved one are estimated. Games may share an `appraiser`.
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
        values=exact_values(record, positions),
    )


def exact_values(record: GameRecord, positions: Sequence[PositionAnalysis]) -> dict[int, int]:
    """Return the values of the last moves by ply, as far back as positions are exact."""
    exact = list(takewhile(lambda position: position.is_exact, reversed(positions)))[::-1]
    moves = zip(exact, record.columns[exact[0].ply :] if exact else (), strict=False)
    return {each.ply: each.worth(column).exact or 0 for each, column in moves}
