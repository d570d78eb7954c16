"""Puts an object that raises at every touch in its own module's place.
expect: plays, LOAD_ERROR, anyone
"""

import sys


class Untouchable:
    def __getattribute__(self, name):
        raise SystemExit(name)


def pick_move(rack):
    sys.modules[__name__] = sys.modules["another"] = Untouchable()
    return [column[-1] for column in rack].index(0)
