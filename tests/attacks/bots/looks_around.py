"""Lists the folders of the other bots, of the contest, of root and of everybody.
expect: plays
"""

import os
from pathlib import Path


def pick_move(rack):
    for folder in (*Path(__file__).parents[1:5], "/root", "/home", "/tmp", "/dev/shm"):
        try:
            os.listdir(folder)
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
