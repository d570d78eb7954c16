"""Sends open files along with an answer, for the referee to choke on.
expect: PROTOCOL, ERROR, anyone
"""

import os
import socket


def pick_move(rack):
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, os.dup(3))
    for _ in range(20):
        socket.send_fds(channel, [bytes(27)], [0] * 20)
    return 77
