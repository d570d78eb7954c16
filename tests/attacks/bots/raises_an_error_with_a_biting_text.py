"""Raises an error whose text is a str that raises when it is sliced, joined or measured.
expect: ERROR, CRASH, anyone
"""


class Biting(str):
    def __getitem__(self, where):
        raise SystemExit("bitten")

    __len__ = __format__ = __bool__ = __add__ = encode = __getitem__


class Error(Exception):
    def __str__(self):
        return Biting("x")


def pick_move(rack):
    raise Error
