"""Sleeps while a thread asks for threads that are refused, which keeps its supervisor busy.
expect: TIMEOUT
"""

import _thread
import threading
import time
from contextlib import suppress

threading.stack_size(1 << 16)


def ask(until):
    while time.perf_counter() < until:
        with suppress(RuntimeError):
            _thread.start_new_thread(threading.Event().wait, ())


def pick_move(rack):
    until = time.perf_counter() + 3
    threading.Thread(target=ask, args=(until,), daemon=True).start()
    time.sleep(3)
    return [column[-1] for column in rack].index(0)
