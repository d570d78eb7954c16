"""Reads the contest's own files through a symbolic link in its scratch folder.
expect: plays
"""

import os


def pick_move(rack):
    contest = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    try:
        if not os.path.lexists("window"):
            os.symlink(contest, "window")
        with open("window/contest.toml") as file:
            file.read()
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
