"""Raises an error of a class whose name is a million letters long.
expect: ERROR, anyone
"""


def pick_move(rack):
    raise type("E" * 10**6, (Exception,), {})("x")
