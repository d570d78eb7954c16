"""Leaves folders without any permission, files in them, and a fifo that would block a reader.
expect: plays
"""

import os
from contextlib import suppress


def pick_move(rack):
    with suppress(OSError):
        os.makedirs("locked/inner")
        with open("locked/inner/file", "w"):
            os.mkfifo("locked/fifo")
        for folder in ("locked/inner", "locked", "."):
            os.chmod(folder, 0)
    return [column[-1] for column in rack].index(0)
