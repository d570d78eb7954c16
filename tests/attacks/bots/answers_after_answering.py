"""Floods the channel from a thread once it has answered.
expect: PROTOCOL, anyone
"""

import os
import threading


def flood():
    while True:
        os.write(3, bytes(27))


def pick_move(rack):
    threading.Thread(target=flood, daemon=True).start()
    return [column[-1] for column in rack].index(0)
