"""Types a space into the terminal of whoever started the contest.
expect: plays
"""

import fcntl
import os
import termios


def pick_move(rack):
    descriptors = [0, 1, 2]
    try:
        descriptors.append(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        descriptors.append(3)
    for fd in descriptors:
        try:
            fcntl.ioctl(fd, termios.TIOCSTI, b" ")
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
