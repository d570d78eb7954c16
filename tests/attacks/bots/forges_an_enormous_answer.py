"""Answers itself with the right nonce, and with the largest column and count that fit.
expect: PROTOCOL, anyone
"""

import os
import struct
import sys


def pick_move(rack):
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    nonce = frame.f_locals["nonce"]
    os.write(3, struct.pack("<8sBHqq", nonce, 2, 65535, (1 << 63) - 1, (1 << 63) - 1))
    return 77
