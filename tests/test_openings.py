"""Openings: balanced, quiet, distinct, and there for any board."""

from __future__ import annotations

import pytest

from arena.openings import MAX_IMBALANCE, find_openings, is_quiet
from arena.rules import Position, Ruleset, fifty_ten

BOARDS = [Ruleset(), Ruleset(8, 8), Ruleset(5, 9), Ruleset(32, 32), Ruleset(7, 7, 5)]


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_openings_are_balanced_quiet_and_distinct_up_to_mirror_image(rules: Ruleset) -> None:
    openings = find_openings(rules, 12, seed=3)
    assert len(openings) == 12
    racks = set()
    for opening in openings:
        position = Position(rules, opening.columns)
        assert 6 <= position.ply <= 12
        assert position.evaluate(fifty_ten(rules.connect)) == opening.evaluation == 0
        assert abs(opening.search_value) <= MAX_IMBALANCE
        assert is_quiet(position)
        racks.add(frozenset((position.rack(), position.rack()[::-1])))
    assert len(racks) == 12


@pytest.mark.parametrize(
    "rules",
    [Ruleset(1, 1), Ruleset(6, 1), Ruleset(1, 9), Ruleset(connect=2), Ruleset(2, 2)],
    ids=str,
)
def test_a_board_with_few_openings_has_at_least_one(rules: Ruleset) -> None:
    openings = find_openings(rules, 5, seed=1)
    assert 1 <= len(openings) <= 5
    for opening in openings:
        assert not Position(rules, opening.columns).is_over


def test_a_position_where_either_side_could_win_at_once_is_not_quiet() -> None:
    three_in_a_row = [0, 0, 1, 1, 2, 2]
    assert not is_quiet(Position(Ruleset(), three_in_a_row))
    assert not is_quiet(Position(Ruleset(), [*three_in_a_row[:5], 6]))
    assert is_quiet(Position(Ruleset(), [3, 3]))
