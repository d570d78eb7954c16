"""Makes the meter say a number of nodes below zero.
expect: PROTOCOL, anyone
"""

import arena.host.meter


def search(depth):
    return depth and search(depth - 1)


def pick_move(rack):
    arena.host.meter.Meter.end_move = lambda self: (0, -(10**18))
    search(3)
    return [column[-1] for column in rack].index(0)
