"""Brings its own json, random, numpy, struct and traceback along, which raise or loop.
expect: plays, anyone
"""

import json
import random
import sys

sys.path.insert(0, __file__.rpartition("/")[0])


def pick_move(rack):
    random.seed(json.loads("1"))
    return [column[-1] for column in rack].index(0)
