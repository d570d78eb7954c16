"""A game in progress."""

from __future__ import annotations

from collections.abc import Iterable

from arena.common.errors import IllegalMoveError
from arena.rules.lines import Weights, line_table
from arena.rules.ruleset import Goal, Ruleset

# rack[c][r], r = 0 at the bottom: 0 empty, 1 disc of player 0, 2 of player 1.
Rack = tuple[tuple[int, ...], ...]


class Position:
    """A position that can be played forward and undone.

    Players are 0 and 1; player 0 moves first. Columns count from 0 on the left.

    >>> from arena import Position, Ruleset
    >>> position = Position(Ruleset(), [3, 0, 3, 0, 3, 0])
    >>> position.play(3)
    >>> position.is_over, position.winner, position.ply
    (True, 0, 7)
    """

    __slots__ = (
        "_complete",
        "_first_wins",
        "_full",
        "_heights",
        "_holds",
        "_lines_made",
        "_moves",
        "_rows",
        "_steps",
        "_table",
        "_through",
        "is_over",
        "rules",
        "winner",
    )

    rules: Ruleset

    winner: int | None
    """The winner, 0 or 1; None during the game and after a draw."""

    is_over: bool

    def __init__(self, rules: Ruleset, moves: Iterable[int] = ()) -> None:
        """Play `moves` from the empty board. Raises IllegalMoveError."""
        self.rules = rules
        self.winner = None
        self.is_over = False
        self._table = line_table(rules)
        self._through = self._table.through
        self._first_wins = rules.goal is Goal.FIRST
        self._rows = rules.rows
        self._full = rules.cells
        self._heights = [0] * rules.columns
        self._holds = [0] * len(self._table.lines)
        self._steps = (1, rules.connect + 1)
        self._complete = (self._table.complete(0), self._table.complete(1))
        self._lines_made = [0, 0]
        self._moves: list[int] = []
        for column in moves:
            self.play(column)

    def play(self, column: int) -> None:
        """Drop a disc. Raises IllegalMoveError, and leaves the position unchanged then."""
        heights = self._heights
        if not 0 <= column < len(heights):
            raise IllegalMoveError(f"column {column} does not exist")
        row = heights[column]
        if row == self._rows:
            raise IllegalMoveError(f"column {column} is full")
        if self.is_over:
            raise IllegalMoveError("the game is over")
        moves, holds = self._moves, self._holds
        player = len(moves) & 1
        step, complete = self._steps[player], self._complete[player]
        for line in self._through[column * self._rows + row]:
            hold = holds[line] = holds[line] + step
            if hold == complete:
                self._lines_made[player] += 1
        heights[column] = row + 1
        moves.append(column)
        over = len(moves) == self._full
        one, two = self._lines_made
        if one != two and (over or self._first_wins):
            self.winner = 0 if one > two else 1
            over = True
        self.is_over = over

    def undo(self) -> int:
        """Remove the last disc and return its column. Raises IndexError if there is none."""
        column = self._moves.pop()
        self.winner = None
        self.is_over = False
        player = len(self._moves) & 1
        step, complete = self._steps[player], self._complete[player]
        row = self._heights[column] - 1
        self._heights[column] = row
        for line in self._through[column * self._rows + row]:
            if self._holds[line] == complete:
                self._lines_made[player] -= 1
            self._holds[line] -= step
        return column

    @property
    def moves(self) -> tuple[int, ...]:
        return tuple(self._moves)

    @property
    def ply(self) -> int:
        return len(self._moves)

    @property
    def to_move(self) -> int:
        return len(self._moves) & 1

    @property
    def lines_made(self) -> tuple[int, int]:
        """The numbers of complete lines of player 0 and of player 1."""
        return self._lines_made[0], self._lines_made[1]

    @property
    def is_full(self) -> bool:
        return len(self._moves) == self._full

    def can_play(self, column: int) -> bool:
        """Return whether the column exists and has room."""
        return 0 <= column < len(self._heights) and self._heights[column] < self._rows

    def legal(self) -> list[int]:
        """Return the columns with room; empty once the game is over."""
        if self.is_over:
            return []
        return [column for column, height in enumerate(self._heights) if height < self._rows]

    def wins_at(self, column: int, player: int) -> bool:
        """Return whether the player's disc in this column with room completes a line."""
        before = self._complete[player] - self._steps[player]
        cell = column * self._rows + self._heights[column]
        return any(self._holds[line] == before for line in self._table.through[cell])

    def lines_of(self, player: int) -> list[tuple[int, ...]]:
        """Return the player's complete lines, with cells as `column * rows + row`."""
        complete = self._complete[player]
        lines = zip(self._table.lines, self._holds, strict=True)
        return [line for line, hold in lines if hold == complete]

    def evaluate(self, weights: Weights) -> int:
        """Return the sum of all lines' worth for player 0 under these weights."""
        values = self._table.values(weights)
        return sum(values[hold] for hold in self._holds)

    def rack(self) -> Rack:
        """Return rack[c][r], r = 0 at the bottom: 0 empty, 1 and 2 the players 0 and 1."""
        columns: list[list[int]] = [[] for _ in range(self.rules.columns)]
        for ply, column in enumerate(self._moves):
            columns[column].append((ply & 1) + 1)
        return tuple(tuple(cells + [0] * (self._rows - len(cells))) for cells in columns)
