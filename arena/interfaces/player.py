"""Bots with `player(board)`, the interface of the `player` course (CS 4100).

A bot is a function of a numpy array of integers, `board[row][col]` with row 0 on top: 0 empty, 1
the opponent (X), 2 the bot (O). A bot always plays O, whichever side it has.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Set
from typing import Any

from arena.interfaces.agent import OBSERVATIONS
from arena.interfaces.binding import require_no_options
from arena.interfaces.contract import Profile, Setup, exact, plays_all
from arena.interfaces.description import BoardForm
from arena.interfaces.shown import shown_board
from arena.source.classes import assigned_value

NAME = "player"
PROFILE = Profile.MODULE
HAS_BUDGET = True
MOVES: tuple[str, ...] = ()
fit = exact
refuses = plays_all
NAMES = re.compile(r"player[_0-9]*")
BOARD = BoardForm(own=2, other=1)


def find(tree: ast.Module) -> str | None:
    """Return the function to enter: `player`, else the last with a similar name.

    Also accepts a function assigned to `player`. Returns None for sources with an agent, or with
    `actions` and `result`: their `player` returns whose turn it is.
    """
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if any(node.args.args and node.args.args[0].arg in OBSERVATIONS for node in functions):
        return None
    if {"actions", "result"} <= {node.name for node in functions}:
        return None
    found = [
        node.name for node in functions if NAMES.fullmatch(node.name) and _takes_one(node.args)
    ]
    if not found:
        names = {node.name for node in functions}
        values = (assigned_value(node, NAME) for node in tree.body)
        return NAME if any(_is_function(value, names) for value in values) else None
    return NAME if NAME in found else found[-1]


def _is_function(value: ast.expr | None, functions: Set[str]) -> bool:
    match value:
        case ast.Lambda(args=parameters):
            return _takes_one(parameters)
        case ast.Name(name):
            return name in functions
        case ast.Call(args=handed_on):
            return any(isinstance(part, ast.Name) and part.id in functions for part in handed_on)
    return False


def _takes_one(parameters: ast.arguments) -> bool:
    plain = len(parameters.posonlyargs) + len(parameters.args)
    needed = plain - len(parameters.defaults)
    return plain >= 1 and needed <= 1 and None not in parameters.kw_defaults


def adapt(entry: Any, setup: Setup) -> ArrayAdapter:
    require_no_options(setup.options)
    return ArrayAdapter(setup, entry)


class ArrayAdapter:
    def __init__(self, setup: Setup, pick: Callable[[Any], object]) -> None:
        self._board = shown_board(BOARD, setup.rules, setup.player)
        self.see = self._board.see
        self._pick = pick

    def pick(self) -> object:
        return self._pick(self._board.show())
