"""Returns an object that raises SystemExit when it is asked for its number.
expect: ERROR, ILLEGAL_MOVE, anyone
"""


class Column:
    def __index__(self):
        raise SystemExit


def pick_move(rack):
    return Column()
