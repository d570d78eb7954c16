"""The rules against an independent brute-force oracle that knows no line table."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.common.errors import IllegalMoveError
from arena.rules import Goal, Position, Ruleset, fifty_ten, line_table
from engine.brute_force import BruteForce, Grid, powers_of_ten

rulesets = st.builds(
    Ruleset,
    rows=st.integers(1, 9),
    columns=st.integers(1, 9),
    connect=st.integers(2, 6),
    goal=st.sampled_from(Goal),
)


@given(rules=rulesets, seed=st.integers(0, 2**32))
def test_a_random_game_agrees_with_brute_force_at_every_ply(rules: Ruleset, seed: int) -> None:
    rng = random.Random(seed)
    position = Position(rules)
    oracle = BruteForce(rules, fifty_ten(rules.connect))
    grid: Grid = ((),) * rules.columns
    over, lines = False, (0, 0)
    while not over:
        assert not position.is_over
        assert position.winner is None
        free = [c for c, column in enumerate(grid) if len(column) < rules.rows]
        assert position.legal() == free
        column = rng.choice(free)
        player = position.to_move
        won = position.wins_at(column, player)
        before = lines[player]
        position.play(column)
        grid = (*grid[:column], (*grid[column], player + 1), *grid[column + 1 :])
        lines = oracle.made(grid)
        assert won == (lines[player] > before)
        assert position.lines_made == lines
        for weights in (fifty_ten(rules.connect), powers_of_ten(rules.connect)):
            assert position.evaluate(weights) == oracle.evaluate(grid, weights)
        air = [(0,) * (rules.rows - len(column)) for column in grid]
        assert position.rack() == tuple(a + b for a, b in zip(grid, air, strict=True))
        full = all(len(column) == rules.rows for column in grid)
        over = full or (rules.goal is Goal.FIRST and max(lines) > 0)
        if over:
            expected = None if lines[0] == lines[1] else int(lines[1] > lines[0])
            assert position.winner == expected
    assert position.is_over
    assert position.legal() == []


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
