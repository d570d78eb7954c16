"""Makes its parent nice: to the niceness that it has.
expect: plays
"""

import os


def pick_move(rack):
    parent = os.getppid()
    try:
        os.setpriority(os.PRIO_PROCESS, parent, os.getpriority(os.PRIO_PROCESS, parent))
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
