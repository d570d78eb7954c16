"""Positions in which bots often fail, on boards of every size."""

from __future__ import annotations

import pytest

from arena.rules import RULESETS, Goal, Position, Ruleset
from arena.trials.examine import quick_openings, situations
from arena.trials.readings import Reading

SHAPES = ((1, 1), (1, 5), (5, 1), (2, 2, 2), (4, 4, 3), (3, 9), (6, 7, 9), (8, 8), (32, 32))
BOARDS = [*(Ruleset(*shape) for shape in SHAPES), Ruleset(6, 7, goal=Goal.MOST)]


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_every_position_is_reached_by_legal_play_and_is_what_it_says(rules: Ruleset) -> None:
    found = situations(rules)
    assert found
    names = {"left": 0, "right": rules.columns - 1, "middle": rules.columns // 2}
    for situation in found:
        position = Position(rules, situation.moves)
        assert not position.is_over
        me, legal = position.to_move, position.legal()
        assert situation.seat == me
        mine = {column for column in legal if position.wins_at(column, me)}
        theirs = {column for column in legal if position.wins_at(column, 1 - me)}
        if situation.columns:
            right = {situation.columns[Reading.RIGHT]}
            assert mine == right if situation.is_win else (mine, theirs) == (set(), right)
        words = situation.what.split()
        if "full" in words:
            assert names[words[1]] not in legal
        if "only" in words:
            assert legal == [names[words[2]]]
        if "left" in words and words[0].isdecimal():
            assert rules.cells - position.ply == int(words[0])


@pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
def test_a_courses_board_has_every_kind_of_position_for_both_sides(rules: Ruleset) -> None:
    found = situations(rules)
    for word in ("full", "only", "cells", "bot", "opponent"):
        assert {s.seat for s in found if word in s.what.split()} == {0, 1}, word
    kinds = {s.what for s in found if s.columns}
    assert len(kinds) == 2
    assert len(found) >= 24


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_after_a_quick_opening_the_game_is_on(rules: Ruleset) -> None:
    openings = quick_openings(rules, 1, 9)
    assert openings == quick_openings(rules, 1, 9)
    assert not any(Position(rules, opening).is_over for opening in openings)
