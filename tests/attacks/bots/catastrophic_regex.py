"""Matches a regular expression that takes longer than the universe has.
expect: TIMEOUT, anyone
"""

import re


def pick_move(rack):
    return bool(re.match(r"(a+)+$", "a" * 60 + "b"))
