"""Bots with `make_move(board)` or `makeMove(board)`, as in that course.

A bot is a class built as `AlphaBetaPlayer(player_id, game_n, depth, heuristic)`; arguments go by
parameter name, because the order varies. The board is the submission's own `Board(width, height)`,
with `play(col, player_id)`, if it has one. The heuristic is the class named by the option
`heuristic`, else a heuristic class of the submission, `SimpleHeuristic(game_n)` first. Columns
count from 0.
"""

from __future__ import annotations

import ast
import importlib
from importlib.util import find_spec
from typing import Any

from arena.common.errors import UnsuitableError
from arena.interfaces.binding import (
    call_by_name,
    defining_modules,
    full_name,
    is_course_class,
    plain,
    submitted_classes,
)
from arena.interfaces.boards import DROPS, HEIGHT, WIDTH, BoardAdapter, Course, board_adapter
from arena.interfaces.contract import Profile, Setup, exact, plays_all
from arena.source.classes import FUNCTIONS, players

NAME = "make_move"
PROFILE = Profile.MODULE
HAS_BUDGET = True
MOVES: tuple[str, ...] = ("make_move", "makeMove")
fit = exact
refuses = plays_all
PREFERRED = ("AlphaBetaPlayer", "MinMaxPlayer")
DEFAULT_DEPTH = 4  # In plies.
HEURISTIC = "heuristic"
PLAYER = ("playerid", "player", "playernumber", "playernum", "id")
GAME_N = ("gamen", "n", "connect", "connectn", "ninarow")
DEPTH = ("depth", "maxdepth", "searchdepth", "lookahead")
HEURISTICS = (HEURISTIC, "heuristics")
OPTIONS = (PLAYER, GAME_N, DEPTH, HEURISTICS)  # Names of parameters, see `binding.Supply`.
MODULE = "heuristics"  # The course's module of heuristics.
SIMPLE = "simpleheuristic"
# Methods of a heuristic, in lower case without underscores.
JUDGING = frozenset(("evaluateboard", "getbestaction"))
COURSE = Course(sides=(WIDTH, HEIGHT), discs=(1, 2), drops=("play", *DROPS), column_first=True)


def find(tree: ast.Module) -> str | None:
    """Return the class to enter: a preferred name, else the last that plays by itself."""
    classes = players(tree, MOVES)
    return next((name for name in PREFERRED if name in classes), classes[-1] if classes else None)


def adapt(entry: Any, setup: Setup) -> BoardAdapter:
    def heuristic(wanted: object = None) -> object:
        made = heuristic_class(entry, setup, wanted)
        return call_by_name(made, {GAME_N: lambda: setup.rules.connect})

    options = dict(setup.options)
    if HEURISTIC in options:
        options[HEURISTIC] = heuristic(options[HEURISTIC])
    bot = call_by_name(
        entry,
        {
            PLAYER: lambda: setup.player + 1,
            GAME_N: lambda: setup.rules.connect,
            DEPTH: lambda: DEFAULT_DEPTH,
            HEURISTICS: heuristic,
        },
        options,
    )
    named = (name for part in type(bot).__mro__ for name in MOVES if name in vars(part))
    pick = getattr(bot, next(named, MOVES[0]))
    return board_adapter(entry, pick, setup, COURSE, NAME)


def heuristic_class(entry: Any, setup: Setup, wanted: object = None) -> type:
    """Return the bot's heuristic class: one of its own, else the course's.

    Raises UnsuitableError if there is none, or none called `wanted`.
    """
    classes = [found for module in defining_modules(entry) for found in vars(module).values()]
    misfits: list[str] = []
    classes += submitted_classes(setup.sources(), _may_judge, misfits.append)
    ready = [found for found in classes if _judges(found)]
    if find_spec(MODULE) and (wanted is not None or all(map(is_course_class, ready))):
        ready += filter(_judges, vars(importlib.import_module(MODULE)).values())
    if wanted is not None:
        ready = [found for found in ready if found.__name__ == wanted]
    if not ready:
        if wanted is not None:
            raise UnsuitableError(f"has no heuristic {wanted!r}, which the contest's option names")
        raise UnsuitableError(
            f"has a file {MODULE}.py of its own without a heuristic that is ready"
        )
    chosen: type = min(ready, key=_rank)
    whose = "the course's" if is_course_class(chosen) else "its own"
    why = f", as {misfits[0]}" if is_course_class(chosen) and misfits else ""
    setup.remark(f"plays with {whose} heuristic, {full_name(chosen)}{why}", bool(why))
    return chosen


def _may_judge(node: ast.ClassDef) -> bool:
    methods = {plain(item.name) for item in node.body if isinstance(item, FUNCTIONS)}
    return HEURISTIC in plain(node.name) or bool(JUDGING & methods)


def _judges(found: object) -> bool:
    """Return whether `found` is a heuristic class without abstract methods."""
    if not isinstance(found, type):
        return False
    parts = {name: getattr(found, name, None) for name in dir(found)}
    if not JUDGING & set(map(plain, parts)):
        return False
    return not any(getattr(part, "__isabstractmethod__", False) for part in parts.values())


def _rank(found: type) -> tuple[bool, bool, bool]:
    """Return a sort key that puts classes of the course, then base classes, last."""
    name = plain(found.__name__)
    return is_course_class(found), name == HEURISTIC, name != SIMPLE
