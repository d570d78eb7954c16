"""Seed 001's ComputerPlayer: evaluation, look-ahead, and pruning that changes no move."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from arena.rules import Rack, Ruleset
from support.positions import undecided_position


@pytest.fixture(scope="module")
def quartets(load_bot: Callable[[str], ModuleType]) -> ModuleType:
    return load_bot("quartets")


def rack_of(*columns: str, rows: int = 6) -> Rack:
    """Return a rack from columns of discs, bottom first."""
    return tuple(tuple(map(int, column.ljust(rows, "0"))) for column in columns)


def test_the_value_of_a_rack_is_the_sum_over_its_quartets(quartets: ModuleType) -> None:
    player = quartets.ComputerPlayer(1, 2)
    # one disc in the corner lies on three quartets, two beside each other share one
    assert player.set_up(rack_of("1", *[""] * 6)) == 3
    assert player.set_up(rack_of("1", "1", *[""] * 5)) == 10 + 1 + 2 + 2
    assert quartets.ComputerPlayer(2, 2).set_up(rack_of("1", *[""] * 6)) == -3


@pytest.mark.slow
def test_the_running_value_agrees_with_counting_anew(quartets: ModuleType) -> None:
    rng = random.Random(3)
    for _ in range(60):
        position = undecided_position(Ruleset(), rng, rng.randrange(30))
        player = quartets.ComputerPlayer(1, 1)
        value = player.set_up(position.rack())
        for column in position.legal():
            gain = player.drop(column, player.heights[column], 1 if position.to_move == 0 else -1)
            position.play(column)
            if not position.is_over:
                assert value + gain == quartets.ComputerPlayer(1, 1).set_up(position.rack())
            position.undo()
            player.lift(column, player.heights[column] - 1, 1 if position.to_move == 0 else -1)


@pytest.mark.slow
def test_pruning_changes_no_move_on_random_positions(quartets: ModuleType) -> None:
    rng = random.Random(1)
    sizes = [(6, 7), (8, 8), (4, 4), (5, 3), (3, 9), (7, 1)]
    played = pruned_calls = plain_calls = 0

    def counting(player: Any) -> Any:
        calls = [0]
        inner = player.search

        def search(*arguments: Any) -> Any:
            calls[0] += 1
            return inner(*arguments)

        player.search = search
        return calls

    while played < 250:
        rules = Ruleset(*rng.choice(sizes))
        position = undecided_position(rules, rng, rng.randrange(rules.cells * 2 // 3))
        level = rng.randint(1, 3)
        pruned = quartets.ComputerPlayer(position.to_move + 1, level)
        plain = quartets.ComputerPlayer(position.to_move + 1, level)
        plain.pruning = False
        with_pruning, without = counting(pruned), counting(plain)
        assert pruned.pick_move(position.rack()) == plain.pick_move(position.rack())
        pruned_calls += with_pruning[0]
        plain_calls += without[0]
        played += 1
    assert pruned_calls < 0.8 * plain_calls  # or it was never on


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_it_takes_a_win_at_once(quartets: ModuleType, level: int) -> None:
    rack = rack_of("1", "1", "1", "", "2", "2", "")
    assert quartets.ComputerPlayer(1, level).pick_move(rack) == 3
    upright = rack_of("222", "111", *[""] * 5)
    assert quartets.ComputerPlayer(1, level).pick_move(upright) == 1
    assert quartets.ComputerPlayer(2, level).pick_move(upright) == 0


@pytest.mark.parametrize("level", [2, 3, 4])
def test_it_blocks_a_loss(quartets: ModuleType, level: int) -> None:
    rack = rack_of("", "222", "", "1", "1", "", "1")
    assert quartets.ComputerPlayer(1, level).pick_move(rack) in (1, 5)
    level_threat = rack_of("2", "1", "1", "1", "", "2", "2")
    assert quartets.ComputerPlayer(2, level).pick_move(level_threat) == 4


@pytest.mark.parametrize("nodes", [1, 9, 60, 500])
def test_it_keeps_to_a_node_budget(quartets: ModuleType, nodes: int) -> None:
    player = quartets.ComputerPlayer(1, 6, nodes)
    calls = 0
    inner = player.search

    def search(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        return inner(*arguments)

    player.search = search
    assert 0 <= player.pick_move(rack_of(*[""] * 7)) < 7
    assert calls <= nodes
