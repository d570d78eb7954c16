"""Fills pipes and sockets, whose memory is the kernel's and not its own.
expect: plays
"""

import fcntl
import os

PIPE = 64 << 20


def pick_move(rack):
    try:
        for _ in range(12):
            _, end = os.pipe()
            os.set_blocking(end, False)
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE)
            os.write(end, bytes(PIPE))
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
