"""Makes files for three seconds, most of which are refused by whoever counts them.
expect: TIMEOUT
"""

import os
import time
from contextlib import suppress


def pick_move(rack):
    until = time.perf_counter() + 3
    while time.perf_counter() < until:
        for number in range(300):
            with suppress(OSError):
                os.close(os.open(f"file{number}", os.O_WRONLY | os.O_CREAT))
    return [column[-1] for column in rack].index(0)
