"""Makes every clock of Python's stand still, then loops.
expect: TIMEOUT, anyone
"""

import time

for name in dir(time):
    if name.startswith(("time", "monotonic", "perf_counter", "process_time", "clock_gettime")):
        setattr(time, name, lambda *clock: 0)


def pick_move(rack):
    while time.perf_counter() < 1:
        pass
