"""The heuristics of bots with `make_move(board)`.

The constructor's `heuristic` is an instance of the class that the option `heuristic` names, else of
a heuristic class of the submission, `SimpleHeuristic(game_n)` first. No description can say that.
"""

from __future__ import annotations

import ast
import importlib
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from arena.common.errors import UnsuitableError
from arena.interfaces import binding
from arena.interfaces.contract import Adapter, Setup
from arena.interfaces.described import Described, DescribedAdapter
from arena.source.classes import FUNCTIONS

HEURISTIC = "heuristic"
HEURISTICS = (HEURISTIC, "heuristics")  # Names of the parameter, see `binding.Supply`.
GAME_N = ("gamen", "n", "connect", "connectn", "ninarow")
MODULE = "heuristics"  # The course's module of heuristics.
SIMPLE = "simpleheuristic"
# Methods of a heuristic, in lower case without underscores.
JUDGING = frozenset(("evaluateboard", "getbestaction"))


class MakeMove(Described):
    def adapt(self, entry: Any, setup: Setup) -> Adapter:
        def heuristic(wanted: object = None) -> object:
            made = heuristic_class(entry, setup, wanted)
            return binding.call_by_name(made, {GAME_N: lambda: setup.rules.connect})

        if HEURISTIC in setup.options:
            made = heuristic(setup.options[HEURISTIC])
            setup = replace(setup, options={**setup.options, HEURISTIC: made})
        return DescribedAdapter(self, entry, setup, {HEURISTICS: heuristic})


def heuristic_class(entry: Any, setup: Setup, wanted: object = None) -> type:
    """Return the bot's heuristic class, or the course's. Raises UnsuitableError."""
    classes = [
        found for module in binding.defining_modules(entry) for found in vars(module).values()
    ]
    misfits: list[str] = []
    classes += binding.submitted_classes(setup.sources(), _may_judge, misfits.append)
    ready = [found for found in classes if _judges(found)]
    if find_spec(MODULE) and (wanted is not None or all(map(binding.is_course_class, ready))):
        ready += filter(_judges, vars(importlib.import_module(MODULE)).values())
    if wanted is not None:
        ready = [found for found in ready if found.__name__ == wanted]
    if not ready and wanted is not None:
        raise UnsuitableError(f"has no heuristic {wanted!r}, which the contest's option names")
    if not ready:
        raise UnsuitableError(
            f"has a file {MODULE}.py of its own without a heuristic that is ready"
        )
    chosen: type = min(ready, key=_rank)
    whose = "the course's" if binding.is_course_class(chosen) else "its own"
    why = f", as {misfits[0]}" if binding.is_course_class(chosen) and misfits else ""
    setup.remark(f"plays with {whose} heuristic, {binding.full_name(chosen)}{why}", bool(why))
    return chosen


def _may_judge(node: ast.ClassDef) -> bool:
    methods = {binding.plain(item.name) for item in node.body if isinstance(item, FUNCTIONS)}
    return HEURISTIC in binding.plain(node.name) or bool(JUDGING & methods)


def _judges(found: object) -> bool:
    if not isinstance(found, type):
        return False
    parts = {name: getattr(found, name, None) for name in dir(found)}
    if not JUDGING & set(map(binding.plain, parts)):
        return False
    return not any(getattr(part, "__isabstractmethod__", False) for part in parts.values())


def _rank(found: type) -> tuple[bool, bool, bool]:
    """Return a sort key that puts classes of the course, then base classes, last."""
    name = binding.plain(found.__name__)
    return binding.is_course_class(found), name == HEURISTIC, name != SIMPLE
