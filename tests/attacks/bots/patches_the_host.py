"""Patches the host's own modules in its process: its answers become five zero bytes.
expect: PROTOCOL, anyone
"""

import arena.host.serve


def pick_move(rack):
    arena.host.serve.pack_answer = lambda *answer: bytes(5)
    return [column[-1] for column in rack].index(0)
