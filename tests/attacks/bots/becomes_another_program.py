"""Replaces its own process with a shell.
expect: ERROR
"""

import os


def pick_move(rack):
    os.execv("/bin/sh", ["sh", "-c", "exit 7"])
