"""Leaving the cores to the contest: how the server's processes stand back."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

READERS = 17
"""Niceness of the server and of the process that reads the journal: on a core that a lane keeps
busy they get two per cent, and all of one that nobody wants."""

BOTS = 19
"""Niceness of bots that visitors play against: the kernel has no greater one."""


def stand_back(niceness: int, pid: int = 0) -> None:
    """Let a process, this one by default, and those it will start have at least this niceness.

    They do not take a core from a lane by waking up either, but wait until it is their turn.
    Where the kernel shares cores between terminals first (sched(7), autogroup), a process that
    leads a session of its own makes the whole session as nice.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, max(niceness, os.getpriority(os.PRIO_PROCESS, pid)))
        os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))
    with suppress(OSError):
        if os.getsid(pid) == (pid or os.getpid()):
            Path(f"/proc/{pid or 'self'}/autogroup").write_text(str(niceness))
