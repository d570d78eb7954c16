"""Sends one datagram of a hundred thousand bytes to the referee.
expect: PROTOCOL, anyone
"""

import os


def pick_move(rack):
    os.write(3, bytes(100_000))
    return 77
