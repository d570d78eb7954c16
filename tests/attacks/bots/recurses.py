"""Recurses without an end, as beginners do.
expect: ERROR, anyone
"""


class Deep:
    def __getattr__(self, name):
        return getattr(self, name)


def pick_move(rack):
    return Deep().bottom
