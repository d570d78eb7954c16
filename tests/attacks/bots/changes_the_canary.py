"""Removes, renames, links, chmods and truncates a file outside: each call by itself.
expect: plays
"""

import os
from pathlib import Path

canary = Path(__file__).parents[3] / "canary"
secret = canary / "secret.txt"


def pick_move(rack):
    for change in (
        lambda: secret.chmod(0o640),
        lambda: os.utime(secret),
        lambda: os.truncate(secret, 1),
        lambda: os.link(secret, canary / "arena-attack-was-here-link"),
        lambda: os.symlink(secret, canary / "arena-attack-was-here-symlink"),
        lambda: os.mkdir(canary / "arena-attack-was-here-folder"),
        lambda: os.rename(secret, canary / "arena-attack-was-here-renamed"),
        lambda: os.unlink(canary / "spare.txt"),
    ):
        try:
            change()
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
