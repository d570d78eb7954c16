"""Starts up to five thousand threads.
expect: ERROR, MEMORY
"""

import threading


def pick_move(rack):
    for _ in range(5000):
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    return 77
