"""Takes every stream away, so that no error can be printed, and raises one.
expect: ERROR, anyone
"""

import sys

sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = sys.stdin = None


def pick_move(rack):
    raise ValueError("nobody can print this")
