"""Has a timer ring a thousand times a second, to interrupt every system call of the host's.
expect: plays, anyone
"""

import signal

signal.signal(signal.SIGALRM, lambda *ring: None)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
