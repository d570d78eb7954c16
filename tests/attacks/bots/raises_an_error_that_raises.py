"""Raises an error that raises another whenever anything is asked of it.
expect: ERROR, CRASH, anyone
"""


class Touchy(Exception):
    def __getattribute__(self, name):
        raise SystemExit(name)

    __str__ = __repr__ = __format__ = __getattribute__


def pick_move(rack):
    raise Touchy
