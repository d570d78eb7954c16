"""Seed 001: the player of quartets, and what the host's module offers to bots.

The host's module is Arena's, `bots/support/pick_move/connect4.py`; the homework is the demo
bot `quartets`, of which tests/bots/test_quartets.py has more tests (marked q:).

| lines | what is said there | test_seed_001_…, or another test |
|---|---|---|
| 5 | a module that plays the game | the_hosts_functions_play_a_game, test_connect4_… |
| 7 | `ComputerPlayer(id, difficulty_level)` | the_constructor_takes_an_id_and_plies |
| 8 | `rack[c][r]`, tuples, r from the bottom | a_rack_is_columns_bottom_first |
| 8 | a column from 0 on is answered | a_rack_is_columns_bottom_first |
| 10 | any column, at first | tests/bots/test_every_bot.py |
| 12 | 24 + 21 + 24 quartets, 12 + 12 of them slanting | counts_quartets_by_direction |
| 14–19 | what a quartet is worth | a_quartet_is_worth_this |
| 12 | the worth of a rack | q: test_the_value_of_a_rack_is_the_sum_over_its_quartets |
| 24 | unusual dimensions | q: test_it_plays_legal_moves_on_any_board |
| 25 | different levels | q: test_it_takes_a_win_at_once, test_it_blocks_a_loss |
| 26 | negamax comes to the same as minimax | negamax_finds_what_minimax_finds |
| 29 | pruning, on or off, changes no move | q: test_pruning_changes_no_move_… |

Contradictory or unclear:

- 8: the rack is a tuple of columns, so it is read `rack[c][r]`, not `rack[c, r]`.
- 10: the pause before a random move is left out, as it would be charged.
- 16: a rack with a complete quartet is worth ±∞. With quartets of both colours, which no game
  reaches, it is undefined.
- 5 and 27 name functions and options of a program that is not printed. The functions are those that
  bots of this course import; the options are Arena's, `arena match --help`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from math import inf
from types import ModuleType

import pytest

from arena.rules import Ruleset, line_table
from support.course import Import, random_games

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def quartets(load_bot: Callable[[str], ModuleType]) -> ModuleType:
    return load_bot("quartets")


def by_direction(lines: list[tuple[tuple[int, int], ...]]) -> tuple[int, ...]:
    """Return how many lines of (column, row) go across, up, up-right and down-right."""
    steps = [(line[1][0] - line[0][0], line[1][1] - line[0][1]) for line in map(sorted, lines)]
    assert len(set(map(frozenset, lines))) == len(lines)
    return tuple(steps.count(step) for step in ((1, 0), (0, 1), (1, 1), (1, -1)))


def test_seed_001_counts_quartets_by_direction(quartets: ModuleType) -> None:
    assert by_direction(list(quartets.find_quartets(7, 6))) == (24, 21, 12, 12)
    engine = [tuple(divmod(cell, 6) for cell in line) for line in line_table(Ruleset()).lines]
    assert by_direction(engine) == (24, 21, 12, 12)


@pytest.mark.parametrize(
    ("mine", "theirs", "worth"),
    [
        (0, 0, 0), (1, 0, 1), (2, 0, 10), (3, 0, 100), (4, 0, inf),
        (0, 1, -1), (0, 2, -10), (0, 3, -100), (0, 4, -inf),
        (1, 1, 0), (3, 1, 0), (2, 2, 0), (1, 3, 0),
    ],
)  # fmt: skip
def test_seed_001_a_quartet_is_worth_this(
    quartets: ModuleType, mine: int, theirs: int, worth: float
) -> None:
    assert quartets.points(mine, theirs) == worth


def test_seed_001_the_constructor_takes_an_id_and_plies(quartets: ModuleType) -> None:
    columns = ("12", "22", "12", "", "1", "1")  # player 1 wins at the bottom of column 3
    rack = tuple(tuple(map(int, column.ljust(6, "0"))) for column in columns)
    assert quartets.ComputerPlayer(1, 1).pick_move(rack) == 3
    assert quartets.ComputerPlayer(id=2, difficulty_level=1).pick_move(rack) == 1, "three in a row"
    assert quartets.ComputerPlayer(2, 2).pick_move(rack) == 3, "but player 1 would win"


def test_seed_001_a_rack_is_columns_bottom_first(quartets: ModuleType, pick_move: Import) -> None:
    game = pick_move("connect4")
    rack = game.make_rack(num_columns=5, num_rows=4)
    for player, column in ((1, 0), (2, 4), (1, 0), (2, 4), (1, 0)):
        game.place_disc(rack, player, column)
    assert rack == [[1, 1, 1, 0], [0] * 4, [0] * 4, [0] * 4, [2, 2, 0, 0]]
    shown = tuple(map(tuple, rack))
    assert [quartets.ComputerPlayer(player, 2).pick_move(shown) for player in (1, 2)] == [0, 0]


def test_seed_001_negamax_finds_what_minimax_finds(quartets: ModuleType) -> None:
    """Compare with a minimax of two halves that counts all quartets each time."""
    columns, rows = 5, 4
    cells = list(quartets.find_quartets(columns, rows))

    def worth(rack: list[list[int]]) -> float:
        held = ([rack[c][r] for c, r in quartet] for quartet in cells)
        return sum(quartets.points(discs.count(1), discs.count(2)) for discs in held)

    def minimax(rack: list[list[int]], player: int, plies: int) -> float:
        value = worth(rack)
        if plies == 0 or abs(value) == inf or all(map(all, rack)):
            return value
        outlooks = []
        for column in rack:
            if 0 in column:
                row = column.index(0)
                column[row] = player
                outlooks.append(minimax(rack, 3 - player, plies - 1))
                column[row] = 0
        return max(outlooks) if player == 1 else min(outlooks)

    chance = random.Random(1)
    wins = 0
    for _ in range(30):
        rack = [[0] * rows for _ in range(columns)]
        for ply in range(2 * chance.randrange(8)):
            column = chance.choice([column for column in rack if 0 in column])
            column[column.index(0)] = ply % 2 + 1
        if abs(worth(rack)) != inf:
            player = quartets.ComputerPlayer(1, 3)
            found, _ = player.search(player.set_up(rack), 1, 3, -inf, inf)
            assert found == minimax(rack, 1, 3)
            wins += found == inf
    assert wins > 3


def test_seed_001_the_hosts_functions_play_a_game(quartets: ModuleType, pick_move: Import) -> None:
    game = pick_move("connect4")
    for columns, rows in ((7, 6), (4, 4), (3, 9)):
        rack, player = game.make_rack(columns, rows), 1
        while game.exists_legal_move(rack) and not game.find_win(rack):
            column = quartets.ComputerPlayer(player, 2).pick_move(tuple(map(tuple, rack)))
            game.place_disc(rack, player, column)
            player = 3 - player
        assert sum(disc != 0 for column in rack for disc in column) >= 7


def test_connect4_finds_wins_on_any_shape(pick_move: Import) -> None:
    game = pick_move("connect4")
    for position in random_games():
        rack = game.make_rack(position.rules.columns, position.rules.rows)
        for ply, column in enumerate(position.moves):
            assert game.find_win(rack) is None
            assert game.exists_legal_move(rack)
            game.place_disc(rack, ply % 2 + 1, column)
        found = game.find_win(tuple(map(tuple, rack)), position.moves[-1])
        assert (found is not None) == (position.winner is not None)
        assert (game.find_win(rack) is not None) == (position.winner is not None)
        if found is not None:
            (c, r), (d, s) = found
            assert rack[c][r] == rack[d][s] == (position.winner or 0) + 1
            assert max(abs(d - c), abs(s - r)) >= 3


def test_connect4_prints_racks_and_refuses_full_columns(pick_move: Import, capsys: Capture) -> None:
    game = pick_move("connect4")
    rack = game.make_rack(num_columns=11, num_rows=2)
    game.place_disc(rack, 1, 0)
    game.place_disc(rack, 2, 0)
    game.print_rack(rack)
    assert capsys.readouterr().out.splitlines() == [
        "                  1 1",
        "1 2 3 4 5 6 7 8 9 0 1",
        "O . . . . . . . . . .",
        "X . . . . . . . . . .",
    ]
    assert game.exists_legal_move(rack)
    with pytest.raises(IndexError, match="column 0 is full"):
        game.place_disc(rack, 1, 0)
    assert (len(game.make_rack()), len(game.make_rack()[0])) == (7, 6)
