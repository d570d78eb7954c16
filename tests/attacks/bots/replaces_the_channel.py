"""Puts a socket of its own in the channel's place and keeps the channel open beside it.
expect: TIMEOUT, anyone
"""

import os
import socket

kept = []


def pick_move(rack):
    kept.extend(socket.socketpair())
    os.dup(3)
    os.dup2(kept[0].fileno(), 3)
    return [column[-1] for column in rack].index(0)
