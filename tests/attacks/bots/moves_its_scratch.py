"""Moves its scratch folder to where nobody will clean it up, or removes it.
expect: plays
"""

import os
from contextlib import suppress


def pick_move(rack):
    here = os.getcwd()
    with suppress(OSError):
        os.rename(here, os.path.join(os.path.dirname(here), "arena-attack-was-here-moved"))
        return 77
    with suppress(OSError):
        os.rmdir(here)
    return [column[-1] for column in rack].index(0)
