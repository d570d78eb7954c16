"""Gives up by exit().
expect: ERROR raised SystemExit (exits_in_its_move.py, line 7)
"""


def pick_move(rack):
    exit()
