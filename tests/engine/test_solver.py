"""The solver against exhaustive search and against published values."""

from __future__ import annotations

import random

import pytest

from arena.engine.solver import Solver
from arena.rules import Position, Ruleset


def exhaustive(position: Position, known: dict[object, int]) -> int:
    """The value by looking at every game that can follow; `known` holds what it has found out."""
    rack = position.rack()
    if rack not in known:
        left = position.rules.cells - position.ply
        values = []
        for column in position.legal():
            position.play(column)
            if position.winner:
                values.append((left + 1) // 2)
            elif position.is_over:
                values.append(0)
            else:
                values.append(-exhaustive(position, known))
            position.undo()
        known[rack] = max(values)
    return known[rack]


def random_position(rules: Ruleset, plies: int, source: random.Random) -> Position:
    """A position after that many random moves, with the game not over."""
    while True:
        position = Position(rules)
        while position.ply < plies:
            quiet = [
                column
                for column in position.legal()
                if not position.wins_at(column, position.to_move)
            ]
            if not quiet:
                break
            position.play(source.choice(quiet))
        if position.ply == plies and not position.is_over:
            return position


SMALL = [
    Ruleset(4, 4),
    Ruleset(3, 5, 4),
    Ruleset(5, 3, 4),
    Ruleset(3, 4, 4),
    Ruleset(7, 2, 4),
    Ruleset(1, 9, 4),
    Ruleset(9, 1, 4),
    Ruleset(2, 6, 5),
]


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_values_of_small_boards_are_those_of_exhaustive_search(rules: Ruleset) -> None:
    source = random.Random(str(rules))
    solver, known = Solver(rules), {}
    for _ in range(15):
        position = random_position(rules, source.randint(rules.cells // 3, rules.cells - 1), source)
        value = exhaustive(position, known)
        assert solver.value(position) == value, position.moves


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_a_value_of_which_only_a_part_is_asked_is_cut_to_that(rules: Ruleset) -> None:
    source = random.Random(str(rules))
    solver, known = Solver(rules), {}
    for _ in range(15):
        position = random_position(rules, source.randint(rules.cells // 3, rules.cells - 1), source)
        value = exhaustive(position, known)
        low = source.randint(-3, 3)
        high = low + source.randint(0, 2)
        assert solver.value(position, low=low, high=high) == min(max(value, low), high)
        assert solver.value(position) == value


LARGE = [
    Ruleset(8, 8),
    Ruleset(8, 7),
    Ruleset(7, 8),
    Ruleset(9, 7),
    Ruleset(10, 6, 5),
    Ruleset(64, 1),
    Ruleset(7, 7, 5),
    Ruleset(8, 8, 5),
    Ruleset(7, 6),
    Ruleset(6, 7),
]


@pytest.mark.parametrize("rules", LARGE, ids=str)
def test_late_values_of_large_boards_are_those_of_exhaustive_search(rules: Ruleset) -> None:
    source = random.Random(str(rules))
    solver = Solver(rules)
    for _ in range(12):
        position = random_position(rules, rules.cells - source.randint(1, 12), source)
        assert solver.value(position) == exhaustive(position, {}), position.moves
