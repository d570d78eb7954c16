"""Recurses through C code until the stack is full, with no limit of Python's.
expect: CRASH, ERROR, MEMORY, anyone
"""

import sys

sys.setrecursionlimit(2**31 - 1)


class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "")


def pick_move(rack):
    return Deep().bottom
