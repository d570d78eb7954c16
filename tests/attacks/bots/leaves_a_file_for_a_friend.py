"""Leaves a file in its scratch folder and looks for one that another process left.
expect: plays
"""

import os


def pick_move(rack):
    try:
        with open("message", "a+") as file:
            file.write(f"{os.getpid()}\n")
            file.seek(0)
            writers = set(file)
    except OSError:
        return [column[-1] for column in rack].index(0)
    if len(writers) > 1:
        return 77
    return [column[-1] for column in rack].index(0)
