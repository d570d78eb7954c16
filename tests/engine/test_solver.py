"""The solver against published scores and against exhaustive search."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from arena.common.errors import UnsolvedError
from arena.engine import Solver
from arena.rules import Goal, Position, Ruleset
from support.perfect import BruteForce
from support.positions import undecided_position

SCORED = sorted((Path(__file__).parent / "positions").glob("Test_*"))

SMALL = [
    Ruleset(4, 4),
    Ruleset(3, 5, 4),
    Ruleset(5, 3, 4),
    Ruleset(3, 4, 3),
    Ruleset(7, 2, 4),
    Ruleset(1, 9, 4),
    Ruleset(9, 1, 4),
    Ruleset(2, 6, 5),
]

# With and without spare cells above the columns; the last one fits no bitboard.
LARGE = [
    Ruleset(),
    Ruleset(7, 6),
    Ruleset(7, 7, 5),
    Ruleset(8, 7),
    Ruleset(7, 8),
    Ruleset(8, 8),
    Ruleset(8, 8, 5),
    Ruleset(9, 7),
    Ruleset(10, 6, 5),
    Ruleset(64, 1),
    Ruleset(9, 9),
]

# The winner from the empty board (Tromp, solved sizes).
KNOWN = [
    (Ruleset(4, 4), 0),
    (Ruleset(4, 5), 0),
    (Ruleset(5, 4), 0),
    (Ruleset(4, 6), -1),
    (Ruleset(5, 5), 0),
]


@pytest.mark.parametrize("file", SCORED, ids=lambda file: file.name)
def test_published_scores_are_found(file: Path) -> None:
    solver = Solver(Ruleset())
    lines = [line.split() for line in file.read_text().splitlines()]
    assert len(lines) == 1000
    for moves, score in lines:
        position = Position(Ruleset(), (int(column) - 1 for column in moves))
        assert solver.value(position) == int(score), moves


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_values_of_small_boards_are_those_of_exhaustive_search(rules: Ruleset) -> None:
    source = random.Random(str(rules))
    solver = Solver(rules)
    oracle = BruteForce()
    for _ in range(15):
        plies = source.randint(rules.cells // 2 - 1, rules.cells - 1)
        position = undecided_position(rules, source, plies)
        value = oracle.value(position)
        assert solver.value(position) == value, position.moves
        low = source.randint(-3, 3)
        high = low + source.randint(0, 2)
        part = solver.value(position, low=low, high=high)
        assert part == min(max(value, low), high), position.moves


@pytest.mark.parametrize("rules", LARGE, ids=str)
def test_late_values_of_large_boards_are_those_of_exhaustive_search(rules: Ruleset) -> None:
    source = random.Random(str(rules))
    solver = Solver(rules)
    for _ in range(12):
        position = undecided_position(rules, source, rules.cells - source.randint(1, 11))
        assert solver.value(position) == BruteForce().value(position), position.moves


def test_with_most_lines_as_the_goal_the_value_is_the_difference_of_lines() -> None:
    rules = Ruleset(3, 4, 3, Goal.MOST)
    source = random.Random(4)
    solver = Solver(rules)
    for plies in (4, 7, 9, 11):
        position = undecided_position(rules, source, plies)
        assert solver.value(position) == BruteForce().value(position), position.moves


@pytest.mark.parametrize(("rules", "sign"), KNOWN, ids=str)
def test_empty_boards_have_their_known_values(rules: Ruleset, sign: int) -> None:
    value = Solver(rules).value(Position(rules))
    assert (value > 0) - (value < 0) == sign


@pytest.mark.parametrize("rules", [Ruleset(), Ruleset(8, 8)], ids=str)
def test_a_mirrored_position_has_the_mirrored_values(rules: Ruleset) -> None:
    source = random.Random(8)
    for left in (9, 14, 18):
        position = undecided_position(rules, source, rules.cells - left)
        mirrored = Position(rules, (rules.columns - 1 - column for column in position.moves))
        one, other = Solver(rules).solve(position), Solver(rules).solve(mirrored)
        assert one.columns == other.columns[::-1]
        assert one.value == other.value == Solver(rules).value(position)


def test_every_column_has_its_value_and_the_best_have_that_of_the_position() -> None:
    position = Position(Ruleset(), [3, 3, 3, 3, 3, 2, 4, 4, 5, 2, 3])
    position.undo()
    solved = Solver(Ruleset()).solve(position)
    assert solved.value == solved.columns[6] == 16
    assert solved.best == (6,)
    full = Solver(Ruleset()).solve(Position(Ruleset(), [3, 3, 3, 3, 3, 3, 0, 0, 1, 2, 6, 6]))
    assert full.columns[3] is None


@pytest.mark.parametrize("rules", [Ruleset(), Ruleset(8, 8), Ruleset(3, 4, 3, Goal.MOST)], ids=str)
def test_the_best_column_is_the_one_nearest_to_the_middle(rules: Ruleset) -> None:
    source = random.Random(3)
    middle = (rules.columns - 1) / 2
    for left in range(1, 12):
        position = undecided_position(rules, source, rules.cells - left)
        solved = Solver(rules).solve(position)
        known = BruteForce().value(position)
        assert solved.value == known == max(v for v in solved.columns if v is not None)
        assert Solver(rules).best(position) == min(solved.best, key=lambda c: abs(c - middle))


def test_the_best_column_costs_less_than_every_columns_value() -> None:
    position = undecided_position(Ruleset(), random.Random(2), 16)
    solver = Solver(Ruleset())
    solver.best(position)
    assert solver.nodes < Solver(Ruleset()).solve(position).nodes


def test_a_budget_that_runs_out_says_so_and_is_kept_to_the_node() -> None:
    hard = Position(Ruleset(), [3, 3, 3])
    counts = set()
    for _ in range(2):
        solver = Solver(Ruleset())
        with pytest.raises(UnsolvedError):
            solver.value(hard, nodes=200_000)
        counts.add(solver.nodes)
    assert counts == {200_000}
    with pytest.raises(UnsolvedError):
        Solver(Ruleset()).value(Position(Ruleset()), seconds=0)
    with pytest.raises(UnsolvedError):
        Solver(Ruleset(9, 9)).value(Position(Ruleset(9, 9)), nodes=1000)


def test_a_search_in_many_pieces_finds_what_one_in_a_piece_does() -> None:
    position = undecided_position(Ruleset(), random.Random(2), 16)
    solver = Solver(Ruleset())
    expected = Solver(Ruleset()).value(position)
    for nodes in range(1, 10_000, 50):
        try:
            value = solver.value(position, nodes=nodes)
        except UnsolvedError:
            assert solver.nodes == nodes
        else:
            assert value == expected
            break


def test_a_game_that_is_over_has_no_value() -> None:
    over = Position(Ruleset(), [0, 1, 0, 1, 0, 1, 0])
    with pytest.raises(ValueError, match="over"):
        Solver(Ruleset()).value(over)
    with pytest.raises(ValueError, match="over"):
        Solver(Ruleset()).solve(over)
