"""Takes memory piece by piece until there is no more, at most four gigabytes.
expect: MEMORY, TIMEOUT, anyone
"""


def pick_move(rack):
    leaked = []
    while len(leaked) < 4096:
        leaked.append(bytearray(1 << 20))
    return 77
