"""Sends descriptors into a socket that nobody reads, where the kernel counts them for the user.
expect: plays
"""

import socket

here, there = socket.socketpair()


def pick_move(rack):
    try:
        for _ in range(1000):
            socket.send_fds(here, [b"x"], [0] * 50)
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
