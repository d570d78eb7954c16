"""Ends its main thread alone; the thread that is left closes the channel.
expect: CRASH, anyone
"""

import ctypes
import os
import threading
import time

EXIT = 60


def close():
    time.sleep(0.05)
    os.close(3)
    time.sleep(1000)


def pick_move(rack):
    threading.Thread(target=close, daemon=True).start()
    ctypes.CDLL(None).syscall(EXIT, 0)
