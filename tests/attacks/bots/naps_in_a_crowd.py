"""Has fifty threads wake up and wait for each other, as if for a busy core, while it sleeps.
expect: TIMEOUT, anyone
"""

import threading
import time

threading.stack_size(1 << 16)


def nap():
    while True:
        time.sleep(0.005)


for _ in range(50):
    threading.Thread(target=nap, daemon=True).start()


def pick_move(rack):
    time.sleep(60)
    return [column[-1] for column in rack].index(0)
