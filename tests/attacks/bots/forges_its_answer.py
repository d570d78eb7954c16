"""Finds the nonce in its caller's frames, answers with it itself, then answers once more.
expect: PROTOCOL, anyone
"""

import os
import struct
import sys


def pick_move(rack):
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    column = [column[-1] for column in rack].index(0)
    os.write(3, struct.pack("<8sBHqq", frame.f_locals["nonce"], 2, 0, column, 0))
    return column
