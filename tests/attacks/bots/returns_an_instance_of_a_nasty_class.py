"""Returns an object whose class raises when it is asked for its name.
expect: ERROR, ILLEGAL_MOVE, anyone
"""


class Nasty(type):
    @property
    def __name__(cls):
        raise SystemExit("no name")


class Column(metaclass=Nasty):
    pass


def pick_move(rack):
    return Column()
