"""Arena: contests between Connect Four bots that students wrote.

For notebooks and scripts: `from arena import Limits, Ruleset, play, run_contest`.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for editors and type checkers, which cannot follow __getattr__
    from arena.api import play as play
    from arena.api import run_contest as run_contest
    from arena.contest import PRESETS as PRESETS
    from arena.contest import Contest as Contest
    from arena.contest import Format as Format
    from arena.errors import ArenaError as ArenaError
    from arena.errors import IllegalMoveError as IllegalMoveError
    from arena.errors import InputError as InputError
    from arena.errors import MachineError as MachineError
    from arena.errors import SettingError as SettingError
    from arena.errors import StorageError as StorageError
    from arena.referee import GameRecord as GameRecord
    from arena.referee import Limits as Limits
    from arena.referee import Verdict as Verdict
    from arena.rules import Goal as Goal
    from arena.rules import Position as Position
    from arena.rules import Ruleset as Ruleset

logging.getLogger("arena").addHandler(logging.NullHandler())

_HOMES = {
    "ArenaError": "arena.errors",
    "Contest": "arena.contest",
    "Format": "arena.contest",
    "GameRecord": "arena.referee",
    "Goal": "arena.rules",
    "IllegalMoveError": "arena.errors",
    "InputError": "arena.errors",
    "Limits": "arena.referee",
    "MachineError": "arena.errors",
    "PRESETS": "arena.contest",
    "Position": "arena.rules",
    "Ruleset": "arena.rules",
    "SettingError": "arena.errors",
    "StorageError": "arena.errors",
    "Verdict": "arena.referee",
    "play": "arena.api",
    "run_contest": "arena.api",
}
"""The rooms in which the public names are defined."""

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import what is asked for, and no more: a bot's process has no use for pandas."""
    if name not in _HOMES:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Return the public names, imported yet or not."""
    return sorted({*_HOMES, *(name for name in globals() if name.startswith("__"))})
