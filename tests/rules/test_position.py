"""The rules against an independent brute-force board that knows no line table."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.common.errors import IllegalMoveError
from arena.rules import Goal, Position, Ruleset, fifty_ten, line_table, powers_of_ten


class Board:
    """Brute force: a grid of cells, scanned from every cell in every direction."""

    def __init__(self, rows: int, columns: int, connect: int) -> None:
        self.grid = [[0] * columns for _ in range(rows)]
        self.places = []
        for r in range(rows):
            for c in range(columns):
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    cells = [(r + dr * k, c + dc * k) for k in range(connect)]
                    if all(0 <= a < rows and 0 <= b < columns for a, b in cells):
                        self.places.append(cells)

    def drop(self, column: int, player: int) -> bool:
        for row in self.grid:
            if row[column] == 0:
                row[column] = player
                return True
        return False

    def runs(self) -> list[list[int]]:
        """Cells of every straight run of `connect` cells on the board."""
        return [[self.grid[a][b] for a, b in cells] for cells in self.places]

    def lines(self, player: int) -> int:
        return sum(run.count(player) == len(run) for run in self.runs())

    def evaluate(self, weights: tuple[int, ...]) -> int:
        total = 0
        for run in self.runs():
            mine, theirs = run.count(1), run.count(2)
            if mine and not theirs:
                total += weights[mine]
            elif theirs and not mine:
                total -= weights[theirs]
        return total


rulesets = st.builds(
    Ruleset,
    rows=st.integers(1, 9),
    columns=st.integers(1, 9),
    connect=st.integers(2, 6),
    goal=st.sampled_from(Goal),
)


@pytest.mark.slow
@settings(max_examples=300)
@given(rules=rulesets, seed=st.integers(0, 2**32))
def test_a_random_game_agrees_with_brute_force_at_every_ply(rules: Ruleset, seed: int) -> None:
    rng = random.Random(seed)
    position = Position(rules)
    board = Board(rules.rows, rules.columns, rules.connect)
    over, lines = False, (0, 0)
    while not over:
        assert not position.is_over
        assert position.winner is None
        free = [c for c in range(rules.columns) if board.grid[-1][c] == 0]
        assert position.legal() == free
        column = rng.choice(free)
        player = position.to_move
        won = position.wins_at(column, player)
        before = lines[player]
        position.play(column)
        assert board.drop(column, player + 1)
        lines = board.lines(1), board.lines(2)
        assert won == (lines[player] > before)
        assert position.lines_made == lines
        assert position.evaluate(fifty_ten(rules.connect)) == board.evaluate(
            fifty_ten(rules.connect)
        )
        assert position.evaluate(powers_of_ten(rules.connect)) == board.evaluate(
            powers_of_ten(rules.connect)
        )
        rack = position.rack()
        assert all(
            rack[c][r] == board.grid[r][c] for c in range(rules.columns) for r in range(rules.rows)
        )
        full = all(cell for cell in board.grid[-1])
        over = full or (rules.goal is Goal.FIRST and max(lines) > 0)
        if over:
            expected = None if lines[0] == lines[1] else int(lines[1] > lines[0])
            assert position.winner == expected
    assert position.is_over
    assert position.legal() == []


@pytest.mark.slow
@settings(max_examples=100)
@given(rules=rulesets, seed=st.integers(0, 2**32))
def test_undo_takes_a_game_back_to_the_empty_board(rules: Ruleset, seed: int) -> None:
    rng = random.Random(seed)
    position = Position(rules)
    racks = [position.rack()]
    while not position.is_over:
        position.play(rng.choice(position.legal()))
        racks.append(position.rack())
    weights = fifty_ten(rules.connect)
    while position.ply:
        assert position.rack() == racks.pop()
        position.undo()
        again = Position(rules, position.moves)
        assert position.evaluate(weights) == again.evaluate(weights)
        assert (position.winner, position.lines_made) == (again.winner, again.lines_made)
    assert position.rack() == racks.pop()


def test_the_standard_rack_has_69_lines() -> None:
    lines = line_table(Ruleset()).lines
    steps = [sorted(line)[1] - sorted(line)[0] for line in lines]
    assert len(lines) == 69
    assert (steps.count(6), steps.count(1)) == (24, 21)
    assert steps.count(7) == steps.count(5) == 12


def test_illegal_moves_are_refused_and_change_nothing() -> None:
    position = Position(Ruleset(rows=2, columns=2, connect=2), [0])
    for column in (-1, 2, 99):
        with pytest.raises(IllegalMoveError, match="does not exist"):
            position.play(column)
    full = Position(Ruleset(rows=1, columns=3, connect=3), [0])
    with pytest.raises(IllegalMoveError, match="full"):
        full.play(0)
    won = Position(Ruleset(), [0, 1, 0, 1, 0, 1, 0])
    with pytest.raises(IllegalMoveError, match="over"):
        won.play(3)
    assert won.ply == 7
    assert position.moves == (0,)


@pytest.mark.parametrize("name", ["rows", "columns", "connect"])
@pytest.mark.parametrize("value", [0, -1, 65])
def test_boards_that_cannot_exist_are_refused(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name} = {value}: expected"):
        Ruleset(**{name: value})  # type: ignore[arg-type]
