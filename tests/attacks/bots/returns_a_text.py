"""Returns a column as text, with junk around it.
expect: ILLEGAL_MOVE, anyone
"""


def pick_move(rack):
    return "0\x1b[2J\n\u202e" * 1000
