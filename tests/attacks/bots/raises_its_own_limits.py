"""Raises each of its own resource limits.
expect: plays
"""

import resource


def pick_move(rack):
    for name in ("DATA", "AS", "STACK", "FSIZE", "NOFILE", "CORE", "MEMLOCK", "MSGQUEUE"):
        which = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(which)
        if hard == resource.RLIM_INFINITY:
            continue
        for soft in (hard, hard + 4096):
            try:
                resource.setrlimit(which, (soft, hard + 4096))
                return 77
            except (OSError, ValueError):
                continue
    return [column[-1] for column in rack].index(0)
