"""Sets the machine's clock, to what it is.
expect: plays
"""

import ctypes
import time


def pick_move(rack):
    now = (ctypes.c_long * 2)(int(time.time()), time.time_ns() // 1000 % 10**6)
    if ctypes.CDLL(None).settimeofday(now, None) == 0:
        return 77
    try:
        time.clock_settime_ns(time.CLOCK_REALTIME, time.time_ns())
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
