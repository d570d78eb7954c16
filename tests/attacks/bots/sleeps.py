"""Sleeps for an hour.
expect: TIMEOUT, anyone
"""

import time


def pick_move(rack):
    time.sleep(3600)
