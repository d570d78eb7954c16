"""Makes up to eighteen thousand symbolic links, folders and fifos, which are no files.
expect: plays
"""

import os


def pick_move(rack):
    try:
        for number in range(6000):
            os.symlink("x" * 200, f"link{number}")
            os.mkdir(f"folder{number}")
            os.mkfifo(f"fifo{number}")
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
