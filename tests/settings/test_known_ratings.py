"""The table of house players' ratings that Arena ships, and who of them takes part."""

from __future__ import annotations

from itertools import pairwise

import pytest

from arena.common.names import FLOOR, PLAYERS, YARDSTICK
from arena.rules import Ruleset
from arena.settings.known_ratings import ON_SCALE, TABLE, known_ratings, read_table, spread_evenly

BOARDS = (Ruleset(), Ruleset(rows=8, columns=8))
WIDEST = 200  # Elo points between neighbours.


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_the_scale_has_no_wide_gap_from_random_to_reference(rules: Ruleset) -> None:
    known = known_ratings(rules)
    assert next(iter(known)) == FLOOR and known.keys() <= set(PLAYERS)
    assert known[YARDSTICK].rating == 1500 and known[YARDSTICK].error == 0
    assert len(known) >= 10
    assert all(weak.rating < strong.rating for weak, strong in pairwise(known.values()))
    gaps = [strong.rating - weak.rating for weak, strong in pairwise(known.values())]
    assert max(gaps) <= WIDEST
    assert all(row.error < 35 and row.games >= 4_000 for row in known.values())


def test_the_table_has_a_row_for_each_player_of_a_board() -> None:
    rows = read_table(TABLE)
    assert {row.board for row in rows} == set(map(str, BOARDS))
    assert len({(row.board, row.player) for row in rows}) == len(rows)


def test_another_board_has_no_ratings() -> None:
    assert not known_ratings(Ruleset(rows=7))


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_those_who_hold_the_scale_divide_it_evenly(rules: Ruleset) -> None:
    ratings = {name: row.rating for name, row in known_ratings(rules).items()}
    chosen = spread_evenly(ratings)
    assert len(chosen) == ON_SCALE
    assert chosen[0] == FLOOR and chosen[-1] == YARDSTICK
    gaps = [ratings[strong] - ratings[weak] for weak, strong in pairwise(chosen)]
    assert max(gaps) < 2 * min(gaps)


def test_stronger_players_than_reference_hold_no_scale() -> None:
    ratings = {"random": 0.0, "greedy": 900.0, "reference": 1500.0, "master": 1580.0}
    assert spread_evenly(ratings) == ("random", "greedy", "reference")
    assert spread_evenly(ratings, 2) == ("random", "reference")
    assert spread_evenly({}) == ()
