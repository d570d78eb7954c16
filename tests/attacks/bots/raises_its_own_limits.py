"""Raises each of its own resource limits.
expect: plays
"""

import resource


def pick_move(rack):
    for name in ("DATA", "AS", "STACK", "FSIZE", "NOFILE", "CORE", "MEMLOCK", "MSGQUEUE"):
        which = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(which)
        for soft, most in ((hard, hard + 4096), (hard, hard)):
            try:
                resource.setrlimit(which, (soft, most))
                return 77
            except (OSError, ValueError):
                continue
    return [column[-1] for column in rack].index(0)
