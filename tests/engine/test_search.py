"""The search: right on every board, within its budget, and repeatable."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, product

import pytest

from arena.engine import WON, Engine
from arena.engine.tree import search
from arena.rules import Goal, Position, Ruleset, Weights, fifty_ten
from engine.brute_force import BruteForce, Grid, powers_of_ten
from support.positions import quiet_position

SMALL = [
    Ruleset(rows, columns, connect, goal)
    for rows, columns, connect, goal in product((3, 4, 5), (3, 4, 5), (2, 3, 4), Goal)
]


def grid_of(position: Position) -> Grid:
    return tuple(tuple(disc for disc in column if disc) for column in position.rack())


def random_positions(rules: Ruleset, count: int, most_empty: int, seed: int) -> Iterator[Position]:
    """Yield quiet positions with a random number of empty cells, up to `most_empty`."""
    draw = random.Random(f"{rules} {seed}")
    for _ in range(count):
        left = draw.randint(1, min(most_empty, rules.cells))
        yield quiet_position(rules, draw, rules.cells - left)


EVERY = ("table", "pruning", "ordering", "forced", "selective")
# Switches that change no value at a fixed depth; no switch changes a value at the game's end.
EXACT = ("table", "pruning", "ordering")


def engines(rules: Ruleset, switches: tuple[str, ...], weights: Weights) -> list[Engine]:
    """Return an engine for each setting of these switches, all others off."""
    return [
        Engine(rules, weights, **{switch: switch in chosen for switch in EVERY})
        for count in range(len(switches) + 1)
        for chosen in combinations(switches, count)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_to_the_end_of_the_game_it_finds_what_brute_force_finds(rules: Ruleset) -> None:
    weights = fifty_ten(rules.connect)
    oracle = BruteForce(rules, weights)
    variants = engines(rules, EVERY, weights)
    for number, position in enumerate(random_positions(rules, 20, 6, seed=1)):
        grid, player = grid_of(position), position.to_move + 1
        value = oracle.value(grid, player, rules.cells)
        for engine in (Engine(rules), variants[-1], variants[number % len(variants)]):
            found = engine.search(position)
            assert found.score == value
            assert oracle.after(grid, player, found.column, rules.cells) == value


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_to_a_fixed_depth_it_finds_what_brute_force_finds(rules: Ruleset) -> None:
    weights = powers_of_ten(rules.connect) if rules.rows == 4 else fifty_ten(rules.connect)
    oracle = BruteForce(rules, weights)
    variants = engines(rules, EXACT, weights)
    for number, position in enumerate(random_positions(rules, 20, rules.cells, seed=2)):
        grid, player, depth = grid_of(position), position.to_move + 1, 1 + number % 4
        value = oracle.value(grid, player, depth)
        for engine in (variants[0], variants[-1], variants[number % len(variants)]):
            found = engine.search(position, depth=depth)
            assert found.score == value
            assert oracle.after(grid, player, found.column, depth) == value
            certain = value > WON - rules.cells or value < rules.cells - WON
            assert found.depth == min(depth, rules.cells - position.ply) or certain


@pytest.mark.parametrize("rules", [Ruleset(4, 4), Ruleset(5, 4, 3), Ruleset(4, 5, 4, Goal.MOST)])
def test_the_principal_variation_is_played_by_best_moves_only(rules: Ruleset) -> None:
    oracle, engine = BruteForce(rules, fifty_ten(rules.connect)), Engine(rules)
    for position in random_positions(rules, 30, 7, seed=3):
        found = engine.search(position)
        assert found.line[0] == found.column
        for column in found.line:
            grid, player = grid_of(position), position.to_move + 1
            value = oracle.value(grid, player, rules.cells)
            assert oracle.after(grid, player, column, rules.cells) == value
            position.play(column)


@pytest.mark.parametrize("rules", [Ruleset(), Ruleset(8, 8), Ruleset(goal=Goal.MOST)], ids=str)
@pytest.mark.parametrize("plain", [False, True])
def test_it_searches_all_positions_of_its_budget_and_not_one_more(
    rules: Ruleset, plain: bool
) -> None:
    engine = Engine.plain(rules) if plain else Engine(rules)
    for nodes in (1, 2, 7, 8, 100, 101, 1234, 10_000):
        found = engine.search(Position(rules, [3, 3]), nodes=nodes)
        assert found.nodes == nodes
        assert Position(rules, [3, 3]).can_play(found.column)


@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize("forced", [False, True])
def test_moves_searched_less_deep_end_where_the_depth_does(goal: Goal, forced: bool) -> None:
    found = Engine(Ruleset(goal=goal), forced=forced).search(
        Position(Ruleset(goal=goal)), depth=6, nodes=10_000
    )
    assert found.depth == 6


def test_a_position_counts_once_for_each_time_it_is_searched() -> None:
    engine = Engine.plain(Ruleset(2, 2))
    # the root and its 2 moves; then the root, 2 moves, and of 4 answers those that cannot be cut
    assert engine.search(Position(Ruleset(2, 2)), depth=1).nodes == 3
    minimax = Engine(Ruleset(2, 2), pruning=False, table=False, ordering=False, forced=False)
    assert minimax.search(Position(Ruleset(2, 2)), depth=2).nodes == 3 + 7


def test_a_depth_that_the_budget_cuts_short_makes_the_move_no_worse() -> None:
    rules = Ruleset(4, 4, 3)
    oracle, engine = BruteForce(rules, fifty_ten(3)), Engine.plain(rules)
    for position in random_positions(rules, 20, 10, seed=4):
        grid, player = grid_of(position), position.to_move + 1
        complete = engine.search(position, depth=2)
        deeper = engine.search(position, depth=3)
        for nodes in range(complete.nodes + 1, deeper.nodes):
            found = engine.search(position, nodes=nodes)
            before, now = (
                oracle.after(grid, player, column, 3) for column in (complete.column, found.column)
            )
            assert found.depth == 2
            assert now >= before


def test_the_same_question_has_the_same_answer_whatever_was_asked_before() -> None:
    engine, position = Engine(Ruleset()), Position(Ruleset(), [3, 3, 2])
    found = engine.search(position, nodes=5000)
    engine.search(Position(Ruleset(), [0, 1]), nodes=700)
    assert engine.search(position, nodes=5000) == found
    assert engine.search_rack(position.rack(), 1, nodes=5000) == found


@pytest.mark.parametrize("rules", [Ruleset(), Ruleset(goal=Goal.MOST)], ids=str)
def test_a_search_that_is_interrupted_all_the_time_finds_the_same(
    rules: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    for engine in (Engine(rules), Engine.plain(rules, table=True)):
        monkeypatch.undo()
        found = engine.search(Position(rules), nodes=3000)
        monkeypatch.setattr("arena.engine.search.PAUSE", 7)
        assert engine.search(Position(rules), nodes=3000) == found


@pytest.mark.parametrize("rules", [Ruleset(), Ruleset(8, 8), Ruleset(goal=Goal.MOST)], ids=str)
def test_a_mirrored_position_has_the_same_value(rules: Ruleset) -> None:
    engine = Engine(rules, fifty_ten(4), forced=False, selective=False)
    own = Engine(rules, selective=False, table=False, ordering=False)
    for position in random_positions(rules, 20, rules.cells, seed=5):
        mirrored = Position(rules, [rules.columns - 1 - column for column in position.moves])
        for variant in (engine, own):
            values = [variant.search(side, depth=4).score for side in (position, mirrored)]
            assert values[0] == values[1]


@pytest.mark.parametrize(
    "rules",
    [
        Ruleset(1, 1),
        Ruleset(1, 1, goal=Goal.MOST),
        Ruleset(1, 9, 2),
        Ruleset(9, 1, 3),
        Ruleset(3, 3, 9),
        Ruleset(32, 32),
        Ruleset(32, 32, goal=Goal.MOST),
        Ruleset(64, 64, 12),
        Ruleset(5, 8, 64, Goal.MOST),
    ],
    ids=str,
)
@pytest.mark.slow
def test_it_plays_a_whole_game_on_any_board(rules: Ruleset) -> None:
    engine, other = Engine(rules), Engine(rules, fifty_ten(rules.connect), selective=False)
    position = Position(rules)
    while not position.is_over and position.ply < 60:
        found = (engine, other)[position.ply % 2].search(position, nodes=300)
        assert found.nodes <= 300
        position.play(found.column)


def test_all_rules_share_one_compiled_function() -> None:
    for rules in (Ruleset(), Ruleset(1, 1), Ruleset(9, 9, 5, Goal.MOST), Ruleset(3, 3, 20)):
        Engine(rules).search(Position(rules), nodes=10)
        Engine.plain(rules).search(Position(rules), depth=1)
    assert len(search.signatures) == 1


def test_a_win_a_block_and_two_threats_at_once_are_seen_without_a_search() -> None:
    def look(*moves: int) -> tuple[int, int]:
        found = Engine(Ruleset()).search(Position(Ruleset(), moves), depth=1)
        return found.column, found.score

    assert look(3, 0, 3, 0, 3, 0) == (3, WON - 1)
    assert look(3, 0, 3, 1, 3)[0] == 3
    assert look(2, 0, 3, 0)[1] == WON - 3


def test_a_game_that_is_over_and_an_empty_budget_are_refused() -> None:
    rules = Ruleset(1, 1)
    with pytest.raises(ValueError, match="over"):
        Engine(rules).search(Position(rules, [0]))
    with pytest.raises(ValueError, match="full"):
        Engine(rules).search_rack(((1,),), 1)
    for limits in ({"nodes": 0}, {"depth": 0}):
        with pytest.raises(ValueError, match="at least"):
            Engine(rules).search(Position(rules), **limits)
