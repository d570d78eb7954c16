"""Finds the meter among all objects and has it count from zero again and again.
expect: plays, anyone
"""

import gc

found = []


def search(depth):
    if depth == 6:
        found[0].new_move()
    return depth and search(depth - 1) + search(depth - 1)


def pick_move(rack):
    found[:] = [thing for thing in gc.get_objects() if type(thing).__name__ == "Meter"]
    search(12)
    return [column[-1] for column in rack].index(0)
