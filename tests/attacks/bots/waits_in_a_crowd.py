"""Has forty threads wait for each other, as if for a busy core, while it sleeps.
expect: TIMEOUT, anyone
"""

import threading
import time

crowd = threading.Barrier(41)
threading.stack_size(1 << 20)


def spin():
    while True:
        crowd.wait()
        until = time.thread_time() + 0.0005
        while time.thread_time() < until:
            pass


for _ in range(40):
    threading.Thread(target=spin, daemon=True).start()


def pick_move(rack):
    while True:
        crowd.wait()
        time.sleep(0.05)
