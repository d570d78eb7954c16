"""Answers as a process that an earlier game has worn out: such a bot was once loaded again.
expect: PROTOCOL, anyone
"""

import os
import struct
import sys

WORN = 10
NO_COLUMN, UNMETERED = -1, -1

frame = sys._getframe()
while not isinstance(frame.f_locals.get("data"), bytearray):
    frame = frame.f_back
nonce = bytes(frame.f_locals["data"][1:9])
os.write(3, struct.pack("<8sBHqq", nonce, WORN, 0, NO_COLUMN, UNMETERED))


def pick_move(rack):
    return 77
