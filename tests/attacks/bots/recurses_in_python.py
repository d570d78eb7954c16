"""Recurses until its memory is full, with no limit of Python's.
expect: MEMORY, TIMEOUT, CRASH, anyone
"""

import sys

sys.setrecursionlimit(2**31 - 1)


def deeper(again):
    return again(again)


def pick_move(rack):
    return deeper(deeper)
