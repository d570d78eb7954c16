"""Opens the environment, the memory map and the command line of its parent.
expect: plays
"""

import os


def pick_move(rack):
    for name in ("environ", "maps", "stack", "auxv"):
        try:
            with open(f"/proc/{os.getppid()}/{name}", "rb") as file:
                file.read(1)
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
