"""Takes two gigabytes at once.
expect: MEMORY, anyone
"""


def pick_move(rack):
    bytearray(2 << 30)
    return 77
