"""Makes a program that would run as its owner, and runs it.
expect: plays
"""

import os


def pick_move(rack):
    try:
        with open("program", "w") as file:
            file.write("#!/bin/sh\n")
        os.chmod("program", 0o6755)
    except OSError:
        pass
    try:
        os.posix_spawn("./program", ["program"], {})
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
