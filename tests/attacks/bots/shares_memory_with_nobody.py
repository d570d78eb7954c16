"""Maps a gigabyte of shared anonymous memory, which its memory limit does not count.
expect: ERROR
"""

import mmap


def pick_move(rack):
    mmap.mmap(-1, 1 << 30)
    return 77
