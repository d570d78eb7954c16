"""Patches the rules in its process, so that every move of its own wins.
expect: plays, anyone
"""

import arena.rules.lines
import arena.rules.position


def pick_move(rack):
    for module in (arena.rules.position, arena.rules.lines):
        for name in [name for name in vars(module) if not name.startswith("__")]:
            setattr(module, name, lambda *anything, **more: True)
    return [column[-1] for column in rack].index(0)
