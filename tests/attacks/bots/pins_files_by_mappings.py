"""Maps a page of each of many deleted files, which keeps them where no listing shows them.
expect: plays
"""

import mmap
import os

pinned = []


def pick_move(rack):
    try:
        for _ in range(40 if not pinned else 0):
            fd = os.open("pinned", os.O_RDWR | os.O_CREAT)
            try:
                os.write(fd, bytes(4 << 20))
                pinned.append(mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ))
            finally:
                os.close(fd)
                os.unlink("pinned")
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77 if len(pinned) == 40 else [column[-1] for column in rack].index(0)
