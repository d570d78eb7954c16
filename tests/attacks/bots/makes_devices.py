"""Makes device nodes of the first disk and of memory in its scratch folder.
expect: plays
"""

import os
import stat


def pick_move(rack):
    for name, kind, device in (
        ("disk", stat.S_IFBLK, os.makedev(8, 0)),
        ("memory", stat.S_IFCHR, os.makedev(1, 1)),
    ):
        try:
            os.mknod(name, kind, device)
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
