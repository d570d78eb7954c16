"""Sets up an io_uring, whose calls no filter sees.
expect: plays
"""

import ctypes


def pick_move(rack):
    if ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(120)) >= 0:
        return 77
    return [column[-1] for column in rack].index(0)
