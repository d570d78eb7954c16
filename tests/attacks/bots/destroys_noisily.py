"""Raises in destructors and in every hook that reports it.
expect: plays, anyone
"""

import sys


def refuse(*anything):
    raise SystemExit("refused")


sys.excepthook = sys.unraisablehook = sys.displayhook = sys.breakpointhook = refuse


class ComputerPlayer:
    def __del__(self):
        raise ValueError("destroyed")

    def pick_move(self, rack):
        return [column[-1] for column in rack].index(0)
