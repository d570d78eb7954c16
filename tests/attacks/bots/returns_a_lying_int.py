"""Returns an int that says of itself that it is a legal column.
expect: ILLEGAL_MOVE, anyone
"""


class Liar(int):
    def __eq__(self, other):
        return True

    def __lt__(self, other):
        return True

    __le__ = __gt__ = __ge__ = __ne__ = __contains__ = __lt__
    __hash__ = int.__hash__


def pick_move(rack):
    return Liar(50)
