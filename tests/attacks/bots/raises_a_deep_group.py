"""Raises a group of errors that holds a group three times, and so on, five hundred deep.
expect: ERROR, TIMEOUT, anyone
"""


def pick_move(rack):
    error = ValueError("innermost")
    for _ in range(500):
        error = BaseExceptionGroup("group", [error] * 3)
    raise error
