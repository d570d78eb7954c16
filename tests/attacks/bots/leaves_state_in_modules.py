"""Keeps what it learns in builtins and numpy for its next game, and looks for other bots' notes.
expect: plays
"""

import builtins

import numpy

for module in (builtins, numpy):
    module.arena_attack = {*getattr(module, "arena_attack", ()), __file__}


def pick_move(rack):
    if builtins.arena_attack | numpy.arena_attack != {__file__}:
        return 77
    return [column[-1] for column in rack].index(0)
