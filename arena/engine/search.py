"""A small alpha-beta search in plain Python, for judging whether an opening is balanced."""

from __future__ import annotations

from arena.rules import Position, Weights, line_table

WON = 1_000_000
"""Value of a line, far above any static evaluation."""


class Search:
    """Fixed-depth alpha-beta over a line table, for one position and what follows from it."""

    def __init__(self, position: Position, weights: Weights) -> None:
        rules = position.rules
        table = line_table(rules)
        self._rows = rules.rows
        self._through = table.through
        self._complete = (table.complete(1), table.complete(2))
        self._steps = (1, rules.connect + 1)
        self._values = table.values(weights)
        cells = [cell for column in position.rack() for cell in column]
        self._holds = table.holds(cells)
        self._heights = [position.moves.count(column) for column in range(rules.columns)]
        self._score = sum(self._values[hold] for hold in self._holds)
        self._seat = position.ply % 2
        middle = (rules.columns - 1) / 2
        self._order = sorted(range(rules.columns), key=lambda column: abs(column - middle))

    def value(self, depth: int) -> int:
        """Value for the side to move after `depth` plies; WON and above is a forced win."""
        return self._negamax(self._seat, self._score, depth, -2 * WON, 2 * WON)

    def _negamax(self, seat: int, score: int, depth: int, alpha: int, beta: int) -> int:
        """`score` is the static evaluation for player 1, kept up move by move."""
        if depth == 0:
            return -score if seat else score
        rows, heights, holds, values = self._rows, self._heights, self._holds, self._values
        step, complete = self._steps[seat], self._complete[seat]
        best = -2 * WON
        for column in self._order:
            row = heights[column]
            if row == rows:
                continue
            lines = self._through[column * rows + row]
            after, won = score, False
            for line in lines:
                hold = holds[line]
                after += values[hold + step] - values[hold]
                holds[line] = hold + step
                won = won or hold + step == complete
            heights[column] = row + 1
            value = (
                WON + depth if won else -self._negamax(1 - seat, after, depth - 1, -beta, -alpha)
            )
            heights[column] = row
            for line in lines:
                holds[line] -= step
            best = max(best, value)
            alpha = max(alpha, value)
            if alpha >= beta:
                break
        return 0 if best == -2 * WON else best
