"""Writes a new module into its own folder.
expect: plays
"""

import os


def pick_move(rack):
    try:
        with open(os.path.join(os.path.dirname(__file__), "arena-attack-was-here.py"), "a"):
            return 77
    except OSError:
        return [column[-1] for column in rack].index(0)
