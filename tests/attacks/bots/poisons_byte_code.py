"""Opens the byte code of the standard library, of numpy and of the host for writing.
expect: plays
"""

import json
from importlib.util import cache_from_source

import numpy

import arena.host.serve


def pick_move(rack):
    for module in (json, numpy, arena.host.serve):
        for path in (cache_from_source(module.__file__), module.__file__):
            try:
                with open(path, "r+b"):
                    return 77
            except OSError:
                continue
    return [column[-1] for column in rack].index(0)
