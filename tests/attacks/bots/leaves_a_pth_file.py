"""Leaves a .pth file, which every later interpreter would run, beside the installed packages.
expect: plays
"""

import os
import sys

OWN = os.path.dirname(os.path.abspath(__file__))  # a copy that is its own to write to


def pick_move(rack):
    for folder in set(sys.path) - {OWN, ""}:
        try:
            with open(os.path.join(folder, "arena-attack-was-here.pth"), "a") as file:
                file.write("# arena-attack-was-here\n")
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
