"""Makes a hard link to its source in its scratch folder, where it may write.
expect: plays
"""

import os


def pick_move(rack):
    try:
        os.link(__file__, "mine.py")
        with open("mine.py", "a"):
            return 77
    except OSError:
        return [column[-1] for column in rack].index(0)
