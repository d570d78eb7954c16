"""Runs a program and reads what it prints.
expect: ERROR
"""

import subprocess


def pick_move(rack):
    subprocess.run(["/bin/echo", "3"], capture_output=True, check=True)
    return 77
