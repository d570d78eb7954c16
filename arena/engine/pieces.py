"""The two parts of the engine, and which of them some rules need. Imports no numba."""

from __future__ import annotations

from enum import StrEnum

from arena.rules import Goal, Ruleset

BITS = 64
"""Bits of a word."""


class Piece(StrEnum):
    """What can be compiled, and be of use, by itself."""

    SEARCH = "search"
    SOLVER = "solver"


def solving(rules: Ruleset) -> Piece:
    """Return the piece that solves positions under these rules."""
    return Piece.SOLVER if fits(rules) else Piece.SEARCH


def fits(rules: Ruleset) -> bool:
    """Return whether these rules can be played on bitboards."""
    return rules.goal is Goal.FIRST and (
        rules.columns * (rules.rows + 1) <= BITS
        or (rules.cells <= BITS and rules.columns <= rules.rows)
    )
