"""Computes one enormous power in C, where no signal handler of Python's can run.
expect: TIMEOUT, anyone
"""


def pick_move(rack):
    return len(rack) ** 10**8 % 2
