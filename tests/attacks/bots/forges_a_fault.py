"""Answers itself with the right nonce and a fault of no known kind, with a text of junk.
expect: PROTOCOL, anyone
"""

import os
import struct
import sys


def pick_move(rack):
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    answer = struct.pack("<8sBHqq", frame.f_locals["nonce"], 200, 0, 0, 0)
    os.write(3, answer + b"\xff\x1b\n|" * 120)
    return 77
