"""Ends itself as a script, once everything is defined.
expect: plays
"""

import sys


def pick_move(rack):
    return [column[-1] for column in rack].index(0)


sys.exit(0)
