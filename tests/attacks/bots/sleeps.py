"""Sleeps for an hour.
expect: TIMEOUT
"""

import time


def pick_move(rack):
    time.sleep(3600)
