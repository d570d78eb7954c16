"""Returns an object that runs a command where it is unpickled.
expect: ILLEGAL_MOVE, anyone
"""

import os


class Payload:
    def __reduce__(self):
        return os.system, ("touch /tmp/arena-attack-was-here-payload",)


def pick_move(rack):
    return Payload()
