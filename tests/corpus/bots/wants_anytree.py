"""Imports what it needs to show its game.
expect: LOAD_ERROR No module named 'anytree'; the package anytree is not installed (wants_anytree.py, line 5)
"""

from anytree import Node


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
