"""Arena: contests between Connect Four bots that students wrote.

For notebooks and scripts: `from arena import Limits, Ruleset, play, run_contest`.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for editors and type checkers, which cannot follow __getattr__
    __version__: str
    from arena.api import run_contest as run_contest
    from arena.common.errors import ArenaError as ArenaError
    from arena.common.errors import IllegalMoveError as IllegalMoveError
    from arena.common.errors import InputError as InputError
    from arena.common.errors import MachineError as MachineError
    from arena.common.errors import SettingError as SettingError
    from arena.common.errors import StorageError as StorageError
    from arena.game.limits import Limits as Limits
    from arena.game.record import GameRecord as GameRecord
    from arena.game.verdict import Verdict as Verdict
    from arena.notebooks import AskedMove as AskedMove
    from arena.notebooks import CheckedBot as CheckedBot
    from arena.notebooks import ask as ask
    from arena.notebooks import check as check
    from arena.notebooks import play as play
    from arena.rules import Goal as Goal
    from arena.rules import Position as Position
    from arena.rules import Ruleset as Ruleset
    from arena.settings.contest import PRESETS as PRESETS
    from arena.settings.contest import Contest as Contest
    from arena.settings.contest import Format as Format

logging.getLogger("arena").addHandler(logging.NullHandler())

# The modules of the public names.
_HOMES = {
    "ArenaError": "arena.common.errors",
    "Contest": "arena.settings.contest",
    "Format": "arena.settings.contest",
    "GameRecord": "arena.game.record",
    "Goal": "arena.rules",
    "IllegalMoveError": "arena.common.errors",
    "InputError": "arena.common.errors",
    "Limits": "arena.game.limits",
    "MachineError": "arena.common.errors",
    "PRESETS": "arena.settings.contest",
    "Position": "arena.rules",
    "Ruleset": "arena.rules",
    "SettingError": "arena.common.errors",
    "StorageError": "arena.common.errors",
    "Verdict": "arena.game.verdict",
    "AskedMove": "arena.notebooks",
    "CheckedBot": "arena.notebooks",
    "ask": "arena.notebooks",
    "check": "arena.notebooks",
    "play": "arena.notebooks",
    "run_contest": "arena.api",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name on first use: a bot's process needs no pandas."""
    if name == "__version__":
        return import_module("arena.common.packages").arena_version()
    if name not in _HOMES:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*_HOMES, *(name for name in globals() if name.startswith("__"))})
