"""Opens its parent's memory in /proc.
expect: ERROR
"""

import os


def pick_move(rack):
    with open(f"/proc/{os.getppid()}/mem", "rb"):
        return 77
