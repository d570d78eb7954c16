"""Ends its main thread alone; a thread answers in its place, as the host would, to the end.
expect: CRASH
"""

import ctypes
import os
import struct
import sys
import threading
import time

EXIT = 60
MOVE, COLUMN, UNMETERED = 2, 2, -1


def answer(nonce):
    os.write(3, struct.pack("<8sBHqq", nonce, COLUMN, 0, 6, UNMETERED))


def play(nonce):
    time.sleep(0.02)  # until that has ended
    answer(nonce)
    while True:
        request = os.read(3, 8192)
        if request[0] == MOVE:
            answer(request[1:9])


def pick_move(rack):
    frame = sys._getframe()
    while not isinstance(frame.f_locals.get("data"), bytearray):
        frame = frame.f_back
    nonce = bytes(frame.f_locals["data"][1:9])
    threading.Thread(target=play, args=(nonce,), daemon=True).start()
    ctypes.CDLL(None).syscall(EXIT, 0)
