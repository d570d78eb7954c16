"""Says that it ran out of memory, with an error of its own and a text that is none.
expect: MEMORY, anyone
"""


class Full(MemoryError):
    def __str__(self):
        raise self


def pick_move(rack):
    raise Full
