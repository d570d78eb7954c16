"""Has a timer's signal handler raise wherever the host happens to be, a thousand times a second.
expect: ERROR, CRASH, TIMEOUT, LOAD_ERROR, anyone
"""

import random
import signal


def ring(*_):
    raise SystemExit("ring")


signal.signal(signal.SIGALRM, ring)


def pick_move(rack):
    # soon enough for a game that lasts less than a millisecond
    signal.setitimer(signal.ITIMER_REAL, random.uniform(0.00001, 0.0001), 0.001)
    return [column[-1] for column in rack].index(0)
