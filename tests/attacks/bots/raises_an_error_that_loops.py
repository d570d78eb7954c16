"""Raises an error whose text takes for ever.
expect: TIMEOUT, anyone
"""


class Slow(Exception):
    def __str__(self):
        while True:
            pass


def pick_move(rack):
    raise Slow
