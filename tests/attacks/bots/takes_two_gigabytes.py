"""Takes two gigabytes at once.
expect: MEMORY
"""


def pick_move(rack):
    bytearray(2 << 30)
    return 77
