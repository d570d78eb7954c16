"""Raises an error that is its own cause, by way of two thousand others and their notes.
expect: ERROR, anyone
"""


def pick_move(rack):
    first = error = ValueError("first")
    for number in range(2000):
        error.__cause__ = ValueError(number)
        error.add_note("note " * 100)
        error = error.__cause__
    error.__cause__ = first
    raise first
