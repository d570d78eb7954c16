"""Hangs when the interpreter ends, in an exit handler and in a thread that it would wait for.
expect: plays, anyone
"""

import atexit
import threading
import time

threading.Thread(target=time.sleep, args=(3600,)).start()
atexit.register(time.sleep, 3600)


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
