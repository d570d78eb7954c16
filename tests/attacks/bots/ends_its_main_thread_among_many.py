"""Ends its main thread alone; threads that each start the next one and end hide who is left.
expect: CRASH, TIMEOUT, anyone
"""

import ctypes
import os
import threading

EXIT = 60


def relay(turns):
    if not turns:
        os.close(3)
    threading.Thread(target=relay, args=(turns - 1,), daemon=True).start()


def pick_move(rack):
    threading.Thread(target=relay, args=(20,), daemon=True).start()
    ctypes.CDLL(None).syscall(EXIT, 0)
