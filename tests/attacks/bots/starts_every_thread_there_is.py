"""Starts sleeping threads until there are none left, so that its opponent finds none.
expect: plays
"""

import threading

threading.stack_size(1 << 16)
try:
    while True:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
except (RuntimeError, MemoryError):
    pass


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
