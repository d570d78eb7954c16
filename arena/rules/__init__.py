"""The game: rules, lines, positions and their notation, in pure Python."""

from arena.rules.grid import Grid
from arena.rules.lines import LineTable, Weights, fifty_ten, line_table
from arena.rules.notation import (
    DISCS,
    MARKS,
    draw,
    draw_rack,
    format_moves,
    parse_game,
    parse_moves,
)
from arena.rules.position import Position, Rack
from arena.rules.ruleset import MAX_SIDE, RULESETS, Goal, Ruleset

__all__ = [
    "DISCS",
    "MARKS",
    "MAX_SIDE",
    "RULESETS",
    "Goal",
    "Grid",
    "LineTable",
    "Position",
    "Rack",
    "Ruleset",
    "Weights",
    "draw",
    "draw_rack",
    "fifty_ten",
    "format_moves",
    "line_table",
    "parse_game",
    "parse_moves",
]
