"""Keeps fifty megabytes more with every move and goes on playing when it gets no more.
expect: plays, anyone
"""

kept = []


def pick_move(rack):
    try:
        kept.append(bytearray(50 << 20))
    except MemoryError:
        return [column[-1] for column in rack].index(0)
    if len(kept) > 10:
        return 77
    return [column[-1] for column in rack].index(0)
