"""Makes its end of the channel non-blocking and its buffers tiny.
expect: CRASH, ERROR, anyone
"""

import os
import socket


def pick_move(rack):
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, os.dup(3))
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    os.set_blocking(3, False)
    return [column[-1] for column in rack].index(0)
