"""Loops and catches whatever is raised to stop it.
expect: TIMEOUT, anyone
"""


def pick_move(rack):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
