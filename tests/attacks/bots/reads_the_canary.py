"""Reads a file of its user's that has nothing to do with the contest.
expect: plays
"""

from pathlib import Path


def pick_move(rack):
    try:
        (Path(__file__).parents[3] / "canary" / "secret.txt").read_bytes()
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
