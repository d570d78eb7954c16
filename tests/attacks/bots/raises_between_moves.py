"""Has a timer's signal handler raise wherever the host happens to be, a thousand times a second.
expect: ERROR, CRASH, TIMEOUT, LOAD_ERROR, anyone
"""

import signal


def ring(*_):
    raise SystemExit("ring")


signal.signal(signal.SIGALRM, ring)


def pick_move(rack):
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.001)
    return [column[-1] for column in rack].index(0)
