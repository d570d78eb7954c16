"""Computes in a thread all the time, also when it is not its turn.
expect: plays, TIMEOUT, anyone
"""

import threading


def ponder():
    while True:
        pass


threading.Thread(target=ponder, daemon=True).start()


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
