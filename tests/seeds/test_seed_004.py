"""Seed 004: MaxConnect4, a point for every quadruple."""

from __future__ import annotations

from seeds.boards import lines_of

from arena.rules import Goal, Ruleset


def test_seed_004_gives_a_point_for_every_quadruple() -> None:
    rules = Ruleset(goal=Goal.MOST)
    assert lines_of(rules, ["0000000"] * 5 + ["1111100"], 1) == 2
    assert lines_of(rules, ["0000000"] * 5 + ["1111111"], 1) == 4
    assert lines_of(rules, ["1111111"] * 6, 1) == 69
