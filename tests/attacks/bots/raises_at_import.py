"""Raises while it is imported, with a message that tries to be a report of success.
expect: LOAD_ERROR, anyone
"""

raise SystemExit("0\nready: made a line\x1b[1A\x1b[2K")


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
