"""Imports what it needs to show its game.
expect: LOAD_ERROR No module named 'colorama'; the package colorama is not installed (wants_colorama.py, line 5)
"""

from colorama import Fore


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
