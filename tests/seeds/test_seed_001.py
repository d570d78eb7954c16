"""Seed 001: the quartets of a standard rack, and what the host module offers to bots."""

from __future__ import annotations

import pytest
from course import Import, random_games

from arena.rules import Ruleset, line_table


def test_seed_001_counts_quartets_by_direction() -> None:
    lines = line_table(Ruleset()).lines
    rows, columns = (lambda cell: cell % 6), (lambda cell: cell // 6)
    level = [line for line in lines if len({rows(cell) for cell in line}) == 1]
    upright = [line for line in lines if len({columns(cell) for cell in line}) == 1]
    assert (len(level), len(upright), len(lines) - len(level) - len(upright)) == (24, 21, 24)


def test_connect4_finds_wins_on_any_shape(pick_move: Import) -> None:
    game = pick_move("connect4")
    for position in random_games():
        rack = game.make_rack(position.rules.columns, position.rules.rows)
        for ply, column in enumerate(position.moves):
            assert game.find_win(rack) is None
            assert game.exists_legal_move(rack)
            game.place_disc(rack, ply % 2 + 1, column)
        found = game.find_win(tuple(map(tuple, rack)), position.moves[-1])
        assert (found is not None) == bool(position.winner)
        assert (game.find_win(rack) is not None) == bool(position.winner)
        if found is not None:
            (c, r), (d, s) = found
            assert rack[c][r] == rack[d][s] == position.winner
            assert max(abs(d - c), abs(s - r)) >= 3


def test_connect4_prints_racks_and_refuses_full_columns(
    pick_move: Import, capsys: pytest.CaptureFixture[str]
) -> None:
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
