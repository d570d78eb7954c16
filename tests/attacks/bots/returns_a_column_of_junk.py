"""Returns an object whose number is a text, and whose class is int if one asks it.
expect: ILLEGAL_MOVE, anyone
"""


class Column:
    __class__ = int

    def __index__(self):
        return "3"


def pick_move(rack):
    return Column()
