"""Makes everything raise that a report of an error might use, then raises one.
expect: ERROR, CRASH, anyone
"""

import builtins
import traceback


def refuse(*anything, **more):
    raise SystemExit("not you")


def pick_move(rack):
    for name in ("str", "repr", "len", "print", "isinstance", "getattr", "type"):
        setattr(builtins, name, refuse)
    traceback.extract_tb = traceback.format_exception_only = refuse
    raise ValueError("who will tell?")
