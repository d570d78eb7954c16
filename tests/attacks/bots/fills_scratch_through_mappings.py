"""Maps files of its scratch folder and fills the memory, which no write sees.
expect: plays, CRASH
"""

import mmap
import os

kept = []


def pick_move(rack):
    size = 15 << 20
    try:
        for number in range(25):
            fd = os.open(f"mapped{number}", os.O_RDWR | os.O_CREAT)
            os.ftruncate(fd, size)
            kept.append(mmap.mmap(fd, size))
            os.close(fd)
            kept[-1].write(bytes(size))
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
