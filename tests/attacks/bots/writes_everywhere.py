"""Writes a file into every folder above its own, and wherever everybody may.
expect: plays
"""

from pathlib import Path

here = Path(__file__)
folders = [*here.parents[1:], here.parents[3] / "canary", Path("/var/tmp"), Path("/dev/shm")]


def pick_move(rack):
    for folder in folders:
        try:
            with open(folder / "arena-attack-was-here-everywhere", "a") as file:
                file.write("x")
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
