"""Sets a trace function that raises in the host's own code.
expect: ERROR, CRASH, anyone
"""

import sys


def trace(frame, event, argument):
    if "/arena/" in frame.f_code.co_filename:
        raise SystemExit("traced")


def pick_move(rack):
    sys.settrace(trace)
    sys.setprofile(trace)
    return [column[-1] for column in rack].index(0)
