"""Fills its scratch folder, its pipes and its sockets, and keeps all of it while others play.
expect: plays
"""

import os
import socket

kept = []


def pick_move(rack):
    try:
        for number in range(4 if not kept else 0):
            with open(f"kept{number}", "wb") as file:
                file.write(bytes(15 << 20))
        for _ in range(5):
            kept.append(socket.socketpair())
            kept[-1][0].setblocking(False)
            kept[-1][0].send(bytes(1 << 20))
            kept.append(os.pipe())
            os.set_blocking(kept[-1][1], False)
            os.write(kept[-1][1], bytes(1 << 20))
    except OSError:
        pass
    return [column[-1] for column in rack].index(0)
