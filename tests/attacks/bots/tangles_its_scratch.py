"""Ties links in its scratch into endless paths, and keeps asking for files from a thread.
expect: plays, ERROR
"""

import os
import threading
from contextlib import suppress

far = "d/../" * 815


def ask():
    while True:
        with suppress(OSError):
            os.close(os.open("f", os.O_CREAT | os.O_WRONLY))


def tangle():
    os.symlink("d", "l0")
    for number in range(1, 39):
        os.symlink(far + f"l{number - 1}", f"l{number}")
    for number in range(150):
        os.symlink(far + "l38", f"x{number}")
    os.mkdir("d")


tangle()
threading.Thread(target=ask, daemon=True).start()


def pick_move(rack):
    return [column[-1] for column in rack].index(0)
