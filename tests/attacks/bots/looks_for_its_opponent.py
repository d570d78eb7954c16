"""Looks for its opponent's folder: in memory, in lists of mounts, beside its own folder.
expect: plays
"""

import ctypes
import os
import re
from contextlib import suppress

SNAPSHOT = re.compile(rb"/bots/[0-9a-f]{16}")
PLACE = re.compile(rb"/arena-\w{8}/(\w+)")


def texts():
    with open("/proc/self/maps") as maps:
        lines = maps.readlines()
    for line in lines:
        where, mode = line.split()[:2]
        if mode.startswith("rw"):
            first, last = (int(end, 16) for end in where.split("-"))
            yield (ctypes.c_char * (last - first)).from_address(first)
    for name in ("mountinfo", "mounts", "mountstats"):
        with suppress(OSError), open(f"/proc/self/{name}", "rb") as file:
            yield file.read()


def pick_move(rack):
    own = os.path.basename(os.getcwd())
    names = {str(number) for number in range(100)}
    for text in texts():
        if SNAPSHOT.search(text):
            return 77
        names |= {place[1].decode() for place in PLACE.finditer(text)}
    for name in names - {own}:
        with suppress(OSError):
            os.readlink(os.path.join("..", name, "bot.py"))
            return 77
        if name != "make_move" and os.path.lexists(os.path.join("..", name)):
            return 77
    return [column[-1] for column in rack].index(0)
