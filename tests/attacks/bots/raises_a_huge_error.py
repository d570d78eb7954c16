"""Raises an error whose message is fifty megabytes long.
expect: ERROR, anyone
"""


def pick_move(rack):
    raise ValueError("x" * (50 << 20))
