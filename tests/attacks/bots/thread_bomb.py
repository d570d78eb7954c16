"""Starts up to five thousand threads.
expect: ERROR, MEMORY, TIMEOUT

Python waits for every thread until it runs, for ever where there is no memory left for that.
"""

import threading


def pick_move(rack):
    for _ in range(5000):
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    return 77
