"""Sends thousands of answers.
expect: PROTOCOL, anyone
"""

import os


def pick_move(rack):
    for number in range(5000):
        os.write(3, number.to_bytes(8, "little") + bytes(19))
    return 77
