"""Reads the referee's questions from a thread, so that its own host never sees them.
expect: TIMEOUT, plays, anyone

A bot with a thread is stopped outside its turns. If the thread waits before the answer is sent,
both readers wake up together at the next question, and the host reads it.
"""

import os
import threading


def steal():
    while True:
        os.read(3, 8192)


def pick_move(rack):
    threading.Thread(target=steal, daemon=True).start()
    return [column[-1] for column in rack].index(0)
