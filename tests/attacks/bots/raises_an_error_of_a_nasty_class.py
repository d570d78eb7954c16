"""Raises an error whose class raises when it is asked for its name.
expect: ERROR, CRASH, anyone
"""


class Nasty(type):
    @property
    def __name__(cls):
        raise SystemExit("no name")


class Nameless(Exception, metaclass=Nasty):
    pass


def pick_move(rack):
    raise Nameless
