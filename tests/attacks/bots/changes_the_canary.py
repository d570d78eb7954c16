"""Removes, renames, links, chmods and truncates a file outside; a mere "done" is no success.
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
        before = secret.lstat(), canary.lstat()
        try:
            change()
        except OSError:
            continue
        if not secret.exists() or (secret.lstat(), canary.lstat()) != before:
            return 77
    return [column[-1] for column in rack].index(0)
