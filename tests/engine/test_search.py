"""The search: right on every board, within its budget, the same every time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest
from engine.brute_force import BruteForce, Grid

from arena.engine import WON, Engine
from arena.rules import Goal, Position, Ruleset, Weights, fifty_ten, powers_of_ten

SMALL = [
    Ruleset(rows, columns, connect, goal)
    for rows, columns, connect, goal in product((3, 4, 5), (3, 4, 5), (2, 3, 4), Goal)
]


def grid_of(position: Position) -> Grid:
    return tuple(tuple(disc for disc in column if disc) for column in position.rack())


def random_positions(rules: Ruleset, count: int, most_empty: int, seed: int) -> Iterator[Position]:
    """Positions of random games, each as near as it gets to a random number of empty cells."""
    rng = random.Random(f"{rules} {seed}")
    for _ in range(count):
        position = Position(rules)
        target = rules.cells - rng.randint(1, min(most_empty, rules.cells))
        while position.ply < target:
            harmless = [c for c in position.legal() if not ends(position, c)]
            if not harmless:
                break
            position.play(rng.choice(harmless))
        yield position


def ends(position: Position, column: int) -> bool:
    position.play(column)
    over = position.is_over
    position.undo()
    return over


def engines(rules: Ruleset, weights: Weights | None, *switches: str) -> Iterator[Engine]:
    """An engine for each way to set these switches, all others off."""
    every = ("table", "pruning", "ordering", "forced", "selective")
    for values in product((False, True), repeat=len(switches)):
        chosen = dict.fromkeys(every, False) | dict(zip(switches, values, strict=True))
        yield Engine(rules, weights, **chosen)


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_to_the_end_of_the_game_it_finds_what_brute_force_finds(rules: Ruleset) -> None:
    weights = fifty_ten(rules.connect)
    oracle = BruteForce(rules, weights)
    variants = [Engine(rules), *engines(rules, weights, "table", "pruning", "forced")]
    variants += engines(rules, weights, "table", "selective", "ordering", "pruning")
    for position in random_positions(rules, 20, 7, seed=1):
        grid, player = grid_of(position), position.to_move
        value = oracle.value(grid, player, rules.cells)
        for engine in variants:
            found = engine.search(position)
            assert found.score == value
            assert oracle.after(grid, player, found.column, rules.cells) == value


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_to_a_fixed_depth_it_finds_what_brute_force_finds(rules: Ruleset) -> None:
    weights = powers_of_ten(rules.connect) if rules.rows == 4 else fifty_ten(rules.connect)
    oracle = BruteForce(rules, weights)
    variants = list(engines(rules, weights, "table", "pruning", "ordering"))
    for number, position in enumerate(random_positions(rules, 20, rules.cells, seed=2)):
        grid, player, depth = grid_of(position), position.to_move, 1 + number % 4
        value = oracle.value(grid, player, depth)
        for engine in variants:
            found = engine.search(position, depth=depth)
            assert found.score == value
            assert oracle.after(grid, player, found.column, depth) == value
            assert found.depth <= depth
            assert WON - abs(value) <= depth or found.depth == min(
                depth, rules.cells - position.ply
            )
