"""Closes the channel to the referee and loops.
expect: CRASH, anyone
"""

import os


def pick_move(rack):
    os.close(3)
    while True:
        pass
