"""Catches whatever happens, its own exit too.
expect: plays
"""

import sys


def pick_move(rack):
    try:
        sys.exit(1)
    except:
        pass
    try:
        return rack[99][99]
    except:
        return [column[-1] for column in rack].index(0)
