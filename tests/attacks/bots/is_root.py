"""Is root, becomes root, or has one of root's powers.
expect: plays
"""

import os


def pick_move(rack):
    for become in (
        lambda: os.setresuid(0, 0, 0),
        lambda: os.setresgid(0, 0, 0),
        lambda: os.setgroups([0]),
        lambda: os.chroot("."),
        lambda: os.chown(__file__, os.getuid(), 0),
    ):
        try:
            become()
            return 77
        except OSError:
            continue
    if 0 in (os.getuid(), os.geteuid(), *os.getgroups()):
        return 77
    return [column[-1] for column in rack].index(0)
