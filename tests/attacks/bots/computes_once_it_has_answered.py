"""Has fifty threads sleep while it answers, and compute without the interpreter's lock after that.
expect: plays, TIMEOUT
"""

import hashlib
import threading
import time

threading.stack_size(1 << 16)
asked = threading.Condition()
data = bytes(1 << 20)
moves = 0


def work():
    seen = 0
    while True:
        with asked:
            while moves == seen:
                asked.wait()
            seen = moves
        time.sleep(0.02)
        until = time.thread_time() + 0.05
        while time.thread_time() < until:
            hashlib.sha256(data).digest()


for _ in range(50):
    threading.Thread(target=work, daemon=True).start()


def pick_move(rack):
    global moves
    with asked:
        moves += 1
        asked.notify_all()
    return [column[-1] for column in rack].index(0)
