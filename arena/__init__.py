"""Arena: contests between Connect Four bots that students wrote.

For notebooks and scripts: `from arena import Limits, Ruleset, play, run_contest`.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.api import play, run_contest
    from arena.referee import Limits
    from arena.rules import Ruleset

logging.getLogger("arena").addHandler(logging.NullHandler())

__all__ = ["Limits", "Ruleset", "play", "run_contest"]


def __getattr__(name: str) -> Any:
    """Import what is asked for, and no more: a bot's process has no use for pandas."""
    homes = {
        "Limits": "arena.referee",
        "Ruleset": "arena.rules",
        "play": "arena.api",
        "run_contest": "arena.api",
    }
    if name not in homes:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    return getattr(import_module(homes[name]), name)
