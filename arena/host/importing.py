"""Which modules of Arena a bot may import."""

from __future__ import annotations

import os
import sys


class ArenaBlocker:
    """Import hook that refuses modules of Arena that are not loaded yet."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name.startswith("arena."):
            part = "engine" if name.startswith("arena.engine") else "modules"
            raise ImportError(f"a bot may not use Arena's own {part}", name=name)


def forget_checkout() -> None:
    """Remove Arena's folder from the import path if it is a checkout, with demo bots."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if os.path.isdir(os.path.join(home, "bots")):
        sys.path[:] = [path for path in sys.path if os.path.abspath(path) != home]
