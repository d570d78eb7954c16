"""Writes into the variables of its callers' frames, through the interpreter's own interface.
expect: plays, anyone
"""

import ctypes
import sys


def pick_move(rack):
    frame = sys._getframe(1)
    while frame:
        variables = frame.f_locals
        for name in {"nodes", "depth", "player", "limits"} & variables.keys():
            variables[name] = 0
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), 0)
        frame = frame.f_back
    return [column[-1] for column in rack].index(0)
