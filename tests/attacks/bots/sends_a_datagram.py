"""Sends a datagram, as a bot that is told its moves from outside would.
expect: plays
"""

import socket


def pick_move(rack):
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.sendto(b"x", ("127.0.0.1", 9))
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
