"""The quartets player against the numbers of the homework and against itself without pruning."""

import random
from collections import Counter
from collections.abc import Callable
from math import inf
from types import ModuleType
from typing import Any

import pytest

Rack = tuple[tuple[int, ...], ...]

SIZES = ((7, 6), (6, 7), (4, 4), (3, 3), (5, 4), (10, 2), (1, 7), (7, 1))
"""Columns and rows."""


@pytest.fixture
def bot(load_bot: Callable[[str], ModuleType]) -> ModuleType:
    return load_bot("quartets")


def rack_of(moves: str, columns: int = 7, rows: int = 6) -> Rack:
    """The rack after these moves, one digit a column; player 1 moves first."""
    stacks: list[list[int]] = [[] for _ in range(columns)]
    for ply, move in enumerate(moves):
        stacks[int(move)].append(1 + ply % 2)
    return tuple(tuple(stack + [0] * (rows - len(stack))) for stack in stacks)


def random_rack(columns: int, rows: int, rng: random.Random) -> tuple[Rack, int]:
    """A rack with room and the player to move. Now and then a quartet in it is complete."""
    stacks: list[list[int]] = [[] for _ in range(columns)]
    discs = rng.randrange(columns * rows)
    for ply in range(discs):
        rng.choice([stack for stack in stacks if len(stack) < rows]).append(1 + ply % 2)
    return tuple(tuple(s + [0] * (rows - len(s))) for s in stacks), 1 + discs % 2


def player(bot: ModuleType, level: int, id: int = 1, *, pruning: bool = True) -> Any:
    made = bot.ComputerPlayer(id, level)
    made.pruning = pruning
    return made


def test_a_standard_rack_has_69_quartets_in_three_families(bot: ModuleType) -> None:
    families = Counter()
    for cells in bot.find_quartets(7, 6):
        (column, row), (next_column, next_row) = cells[:2]
        families[next_column - column, next_row - row] += 1
    assert families == {(1, 0): 24, (0, 1): 21, (1, 1): 12, (1, -1): 12}


@pytest.mark.parametrize(
    ("mine", "theirs", "worth"),
    [(0, 0, 0), (1, 0, 1), (2, 0, 10), (3, 0, 100), (4, 0, inf), (1, 1, 0), (3, 1, 0), (2, 2, 0)],
)
def test_a_quartet_is_worth_what_the_homework_says(
    bot: ModuleType, mine: int, theirs: int, worth: float
) -> None:
    assert bot.points(mine, theirs) == worth
    assert bot.points(theirs, mine) == -worth


def test_the_fourth_disc_is_worth_infinity_to_its_owner(bot: ModuleType) -> None:
    for id, gain in ((1, inf), (2, -inf)):
        made = player(bot, 1, id)
        made.set_up(rack_of("001122"))
        assert made.drop(3, 0, 1 if id == 1 else -1) == gain


def test_the_value_carried_along_is_the_value_counted_afresh(bot: ModuleType) -> None:
    rng = random.Random(3)
    for _ in range(100):
        rack, id = random_rack(7, 6, rng)
        made = player(bot, 1, id)
        value = made.set_up(rack)
        column = rng.choice([c for c in range(7) if not rack[c][-1]])
        row = rack[column].index(0)
        gain = made.drop(column, row, 1)
        if gain != inf:
            grown = tuple(
                cells[:row] + (id,) + cells[row + 1 :] if c == column else cells
                for c, cells in enumerate(rack)
            )
            assert value + gain == player(bot, 1, id).set_up(grown)


def test_pruning_never_changes_the_move(bot: ModuleType) -> None:
    rng = random.Random(11)
    for number in range(1_000):
        columns, rows = SIZES[number % len(SIZES)]
        rack, id = random_rack(columns, rows, rng)
        level = 1 + number // len(SIZES) % 3
        pruned, plain = (player(bot, level, id, pruning=on) for on in (True, False))
        assert pruned.pick_move(rack) == plain.pick_move(rack)


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_it_takes_a_win(bot: ModuleType, level: int) -> None:
    assert player(bot, level).pick_move(rack_of("001122")) == 3
    assert player(bot, level).pick_move(rack_of("515151")) == 5
    assert player(bot, level, id=2).pick_move(rack_of("0606063")) == 6


@pytest.mark.parametrize("level", [2, 3, 4])
def test_it_blocks_a_loss(bot: ModuleType, level: int) -> None:
    assert player(bot, level, id=2).pick_move(rack_of("01020")) == 0
    assert player(bot, level, id=2).pick_move(rack_of("06162")) == 3


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (1, 7), (4, 4), (3, 3), (10, 2)])
def test_it_plays_a_whole_game_on_an_unusual_rack(bot: ModuleType, columns: int, rows: int) -> None:
    stacks: list[list[int]] = [[] for _ in range(columns)]
    players = {id: player(bot, 2, id) for id in (1, 2)}
    for ply in range(columns * rows):
        rack = tuple(tuple(stack + [0] * (rows - len(stack))) for stack in stacks)
        column = players[1 + ply % 2].pick_move(rack)
        assert type(column) is int
        assert len(stacks[column]) < rows
        stacks[column].append(1 + ply % 2)


@pytest.mark.parametrize("nodes", [1, 8, 100, 2_000, 10_000])
@pytest.mark.parametrize("columns", [1, 7, 12])
def test_it_begins_no_level_that_could_exceed_the_budget(
    bot: ModuleType, nodes: int, columns: int
) -> None:
    made = bot.ComputerPlayer(1, 4, nodes=nodes)
    made.pruning = False
    calls, search = 0, made.search

    def counted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        return search(*arguments)

    made.search = counted
    assert 0 <= made.pick_move(((0,) * 6,) * columns) < columns
    assert calls <= nodes
