"""Writes a file into the home folders that the user database names for it and for root.
expect: plays
"""

import os
import pwd


def pick_move(rack):
    homes = []
    for uid in (os.getuid(), 0):
        try:
            homes.append(pwd.getpwuid(uid).pw_dir)
        except (KeyError, OSError):
            continue
    for home in homes:
        try:
            with open(os.path.join(home, "arena-attack-was-here-home"), "a") as file:
                file.write("x")
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
