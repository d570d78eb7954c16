"""Meets the bot of a friend at a Unix socket without a file.
expect: plays
"""

import socket


def pick_move(rack):
    try:
        with socket.socket(socket.AF_UNIX) as meeting:
            meeting.bind("\0arena-attack-was-here")
        return 77
    except OSError:
        return [column[-1] for column in rack].index(0)
