"""The reference player: within its budget, and better than the other bots."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from arena.openings.drawing import find_openings
from arena.rules import Position, Ruleset

Reference = Callable[..., Any]


@pytest.fixture(scope="module")
def reference(load_bot: Callable[[str], ModuleType]) -> Reference:
    """A player as its interface builds it; `counted` lists the nodes of its moves."""
    module = load_bot("reference")

    def build(position: Position, **options: object) -> Any:
        counted: list[int] = []
        player = module.ComputerPlayer(
            position.to_move + 1,
            4,
            position=position,
            seconds=30.0,
            count=counted.append,
            **options,
        )
        player.counted = counted
        return player

    return build


@pytest.mark.parametrize("nodes", [*range(1, 12), 50, 500, 10_000])
def test_it_never_searches_more_nodes_than_its_budget(reference: Reference, nodes: int) -> None:
    for opening in find_openings(Ruleset(), 2, seed=nodes):
        position = Position(Ruleset(), opening.columns)
        player = reference(position, nodes=nodes)
        assert position.can_play(player.pick_move(position.rack()))
        assert len(player.counted) == 1
        assert 1 <= player.counted[0] <= nodes


def test_with_the_solver_it_has_one_budget_for_both(reference: Reference) -> None:
    empty = Position(Ruleset())
    player = reference(empty, nodes=2_000, solve=True)
    assert player.pick_move(empty.rack()) in range(7)
    assert 1_800 < player.counted[0] <= 2_000, "an empty board is not solved so quickly"


@pytest.mark.parametrize("solve", [False, True])
def test_it_solves_the_end_of_a_game(reference: Reference, solve: bool) -> None:
    """A 4x4 board is a draw, so a search that sees the end never loses."""
    rules = Ruleset(4, 4)
    rng = random.Random(5)
    for game in range(6):
        position = Position(rules)
        me = game % 2
        player = reference(position, nodes=50_000, solve=solve)
        while not position.is_over:
            column = player.pick_move(position.rack())
            position.play(column if position.to_move == me else rng.choice(position.legal()))
        assert position.winner in (None, me)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [Ruleset(), Ruleset(8, 8)], ids=str)
def test_it_beats_every_other_bot_here(
    reference: Reference, load_bot: Callable[[str], ModuleType], rules: Ruleset
) -> None:
    random.seed(1)
    quartets, chance = load_bot("quartets"), load_bot("random/any_column")
    opponents = {
        "quartets": lambda me: quartets.ComputerPlayer(me, 4, 10_000).pick_move,
        "random": lambda me: chance.pick_move,
    }
    for opponent in opponents.values():
        points = 0.0
        openings = find_openings(rules, 2, seed=7)
        for opening in openings:
            for me in (0, 1):
                position = Position(rules, opening.columns)
                mine = reference(position, nodes=4000).pick_move
                theirs = opponent(2 - me)
                while not position.is_over:
                    picks = mine if position.to_move == me else theirs
                    position.play(picks(position.rack()))
                points += 0.5 if position.winner is None else float(position.winner == me)
        assert points > len(openings)
