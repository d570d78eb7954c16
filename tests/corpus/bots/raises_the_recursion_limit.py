"""Raises the limit of recursions and needs it.
expect: plays
"""

import sys

sys.setrecursionlimit(10000)


def count(n):
    return 0 if n == 0 else 1 + count(n - 1)


def pick_move(rack):
    assert count(3000) == 3000
    return [column[-1] for column in rack].index(0)
