"""Imports what it needs to show its game.
expect: LOAD_ERROR No module named 'IPython'; the package ipython is not installed (wants_ipython.py, line 5)
"""

from IPython.display import clear_output


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
