"""Writes a new module into its own folder, and looks for the one of an earlier game.
expect: plays
"""

import os

added = os.path.join(os.path.dirname(__file__), "arena-attack-was-here.py")
was_there = os.path.exists(added)


def pick_move(rack):
    with open(added, "a"):
        return 77 if was_there else [column[-1] for column in rack].index(0)
