"""Finds the nonce of the question in its caller's frames and answers for the one after it too.
expect: PROTOCOL, anyone
"""

import os
import struct
import sys


def pick_move(rack):
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    following = int.from_bytes(frame.f_locals["nonce"], "little") + 1 & (1 << 64) - 1
    os.write(3, struct.pack("<QBHqq", following, 2, 0, 0, -1))
    return [column[-1] for column in rack].index(0)
