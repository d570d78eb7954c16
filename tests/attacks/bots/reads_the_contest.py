"""Reads the journal, the configuration and the log of the contest it plays in.
expect: plays
"""

from pathlib import Path


def pick_move(rack):
    contest = Path(__file__).parents[2]
    for name in ("journal.sqlite", "contest.toml", "arena.log"):
        try:
            (contest / name).read_bytes()
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
