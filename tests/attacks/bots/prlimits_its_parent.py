"""Sets a resource limit of its parent, to the value that it has already.
expect: plays
"""

import os
import resource


def pick_move(rack):
    parent = os.getppid()
    try:
        before = resource.prlimit(parent, resource.RLIMIT_CPU)
        resource.prlimit(parent, resource.RLIMIT_CPU, before)
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
