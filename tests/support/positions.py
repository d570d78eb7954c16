"""Positions of random games."""

from __future__ import annotations

import random

from arena.rules import Position, Ruleset


def random_position(rules: Ruleset, draw: random.Random, plies: int = 4096) -> Position:
    """Return a position after `plies` random moves, fewer if the game ends first."""
    position = Position(rules)
    while not position.is_over and position.ply < plies:
        position.play(draw.choice(position.legal()))
    return position


def quiet_position(rules: Ruleset, draw: random.Random, plies: int) -> Position:
    """Return a position after `plies` random moves that do not end the game, fewer if all do."""
    position = Position(rules)
    while position.ply < plies:
        quiet = [column for column in position.legal() if not _ends(position, column)]
        if not quiet:
            break
        position.play(draw.choice(quiet))
    return position


def undecided_position(rules: Ruleset, draw: random.Random, plies: int) -> Position:
    """Return a position after exactly `plies` random moves, with the game not over."""
    while (position := quiet_position(rules, draw, plies)).ply < plies:
        pass
    return position


def _ends(position: Position, column: int) -> bool:
    position.play(column)
    is_over = position.is_over
    position.undo()
    return is_over
