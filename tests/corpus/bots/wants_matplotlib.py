"""Imports what it needs to show its game.
expect: LOAD_ERROR No module named 'matplotlib'; the package matplotlib is not installed (wants_matplotlib.py, line 5)
"""

import matplotlib.pyplot as plt


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
