"""Runs a program that exists only in memory.
expect: ERROR
"""

import os


def pick_move(rack):
    program = os.memfd_create("program")
    os.write(program, b"#!/bin/sh\nexit 0\n")
    os.posix_spawn(f"/proc/self/fd/{program}", ["program"], {})
    return 77
