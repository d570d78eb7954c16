"""The simplest minimax, which shares nothing with the engine."""

from __future__ import annotations

from arena.rules import Goal, Ruleset, Weights

Grid = tuple[tuple[int, ...], ...]  # Columns of discs, bottom first.
WON, DECIDED, LINE_WORTH = 1_000_000, 500_000, 1_000
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))


def powers_of_ten(connect: int) -> Weights:
    """Return the `pick_move` course's weights: 1, 10, 100 … for 1, 2, 3 … discs."""
    return (0, *(10**discs for discs in range(connect - 1)), 0)


class BruteForce:
    """Values for the side to move, in the engine's units."""

    def __init__(self, rules: Ruleset, weights: Weights) -> None:
        self.rules, self.weights = rules, weights
        self.known: dict[tuple[Grid, int, int], int] = {}
        self.lines = []
        for column in range(rules.columns):
            for row in range(rules.rows):
                for across, up in STEPS:
                    cells = [(column + i * across, row + i * up) for i in range(rules.connect)]
                    if all(0 <= c < rules.columns and 0 <= r < rules.rows for c, r in cells):
                        self.lines.append(cells)

    def holds(self, grid: Grid) -> list[tuple[int, int]]:
        """Return the discs of player 1 and of player 2 on each line."""
        discs = {(c, r): disc for c, column in enumerate(grid) for r, disc in enumerate(column)}
        held = [[discs.get(cell, 0) for cell in line] for line in self.lines]
        return [(line.count(1), line.count(2)) for line in held]

    def made(self, grid: Grid) -> tuple[int, int]:
        holds, full = self.holds(grid), self.rules.connect
        return sum(one == full for one, _ in holds), sum(two == full for _, two in holds)

    def evaluate(self, grid: Grid, weights: Weights) -> int:
        """Return the sum of the lines' weights for player 1."""
        holds = self.holds(grid)
        return sum(weights[one] for one, two in holds if one and not two) - sum(
            weights[two] for one, two in holds if two and not one
        )

    def static(self, grid: Grid, player: int) -> int:
        total = self.evaluate(grid, self.weights)
        if self.rules.goal is Goal.MOST:
            one, two = self.made(grid)
            total += LINE_WORTH * (one - two)
        return total if player == 1 else -total

    def value(self, grid: Grid, player: int, depth: int) -> int:
        """Return the value `depth` plies deep, with static evaluation there."""
        key = grid, player, depth
        if key not in self.known:
            self.known[key] = self.work_out(grid, player, depth)
        return self.known[key]

    def work_out(self, grid: Grid, player: int, depth: int) -> int:
        free = [c for c, column in enumerate(grid) if len(column) < self.rules.rows]
        if not free:
            one, two = self.made(grid)
            difference = one - two if player == 1 else two - one
            if self.rules.goal is Goal.FIRST or difference == 0:
                return 0
            return difference + (DECIDED if difference > 0 else -DECIDED)
        if depth == 0:
            return self.static(grid, player)
        return max(self.after(grid, player, column, depth) for column in free)

    def after(self, grid: Grid, player: int, column: int, depth: int) -> int:
        """Return the value of a move for its player."""
        grown = (*grid[:column], (*grid[column], player), *grid[column + 1 :])
        if self.rules.goal is Goal.FIRST and self.made(grown)[player - 1]:
            return WON - 1
        value = -self.value(grown, 3 - player, depth - 1)
        if abs(value) > 900_000:
            value += -1 if value > 0 else 1
        return value
