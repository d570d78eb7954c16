"""Returns an object that loops when it is asked for its number.
expect: TIMEOUT, anyone
"""


class Column:
    def __index__(self):
        while True:
            pass


def pick_move(rack):
    return Column()
