"""Finds every socket and every object of the host's, and closes and clears them.
expect: CRASH, ERROR, anyone
"""

import gc


def pick_move(rack):
    for thing in gc.get_objects():
        if type(thing).__module__.startswith("arena.host"):
            vars(thing).clear()
        elif type(thing).__name__ == "socket":
            thing.close()
    return [column[-1] for column in rack].index(0)
