"""Sends a datagram without a byte, which reads as the end of the channel.
expect: CRASH, PROTOCOL, anyone
"""

import os
import socket


def pick_move(rack):
    socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, os.dup(3)).send(b"")
    return 77
