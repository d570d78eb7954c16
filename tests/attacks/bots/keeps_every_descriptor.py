"""Opens files until it gets no more and keeps them open through all its games.
expect: plays, LOAD_ERROR
"""

import os
from contextlib import suppress


def pick_move(rack):
    with suppress(OSError):
        for _ in range(2000):
            os.dup(0)
    return [column[-1] for column in rack].index(0)
