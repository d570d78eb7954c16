"""Shuts the channel down for both sides, though its descriptors stay open.
expect: CRASH, ERROR, anyone
"""

import os
import socket


def pick_move(rack):
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, os.dup(3))
    channel.shutdown(socket.SHUT_RDWR)
    return [column[-1] for column in rack].index(0)
