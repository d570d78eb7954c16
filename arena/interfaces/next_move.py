"""Bots with `next_move(board)`, the `next_move` course's interface.

A bot is a class built as `AIPlayer(checker, tiebreak, lookahead)` or `Player(checker)`, by
parameter name. The game's first player has the checker 'X', the second 'O'. The board is the
submission's own `Board(height, width)` if that works. Every move gets a new board, as bots put
checkers on it and do not always remove them. Columns count from 0.
"""

from __future__ import annotations

import ast
from typing import Any

from arena.interfaces.binding import call_by_name
from arena.interfaces.boards import DROPS, HEIGHT, WIDTH, BoardAdapter, Course, board_adapter
from arena.interfaces.contract import Profile, Setup, exact, plays_all
from arena.source.classes import players

NAME = "next_move"
PROFILE = Profile.MODULE
HAS_BUDGET = True
MOVES: tuple[str, ...] = ("next_move",)
fit = exact
refuses = plays_all
PREFERRED = "AIPlayer"
CHECKERS = "XO"
DEFAULT_TIEBREAK = "LEFT"
DEFAULT_LOOKAHEAD = 3  # In plies.
CHECKER = ("checker", "piece", "symbol", "token", "ox")
TIEBREAK = ("tiebreak", "tiebreaker", "tiebreaking", "tbt")
LOOKAHEAD = ("lookahead", "ply", "plies", "depth", "maxdepth")
OPTIONS = (CHECKER, TIEBREAK, LOOKAHEAD)  # Names of parameters, see `binding.Supply`.

COURSE = Course(
    sides=(HEIGHT, WIDTH), discs=("X", "O"), drops=("addchecker", *DROPS), column_first=False
)


def find(tree: ast.Module) -> str | None:
    """Return the class to enter: `AIPlayer`, else the last; None if there is none.

    Classes that ask a person for a move count only if there are no others.
    """
    classes = players(tree, MOVES) or players(tree, MOVES, persons=True)
    if not classes:
        return None
    return PREFERRED if PREFERRED in classes else classes[-1]


def adapt(entry: Any, setup: Setup) -> BoardAdapter:
    bot = call_by_name(
        entry,
        {
            CHECKER: lambda: CHECKERS[setup.player],
            TIEBREAK: lambda: DEFAULT_TIEBREAK,
            LOOKAHEAD: lambda: DEFAULT_LOOKAHEAD,
        },
        setup.options,
    )
    return board_adapter(entry, bot.next_move, setup, COURSE, NAME)
