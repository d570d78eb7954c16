"""Lowers its own limit of CPU seconds, to die by the kernel's hand and not by the clock.
expect: TIMEOUT
"""

import resource
from contextlib import suppress


def pick_move(rack):
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (0, 0))
    while True:
        pass
