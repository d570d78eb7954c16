"""Leaving the cores to the contest: how the server's processes stand back."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

READERS = 15
"""Niceness of the server and of the process that reads the journal: on a core that a lane keeps
busy they get three per cent, and all of one that nobody wants."""

BOTS = 19
"""Niceness of bots that visitors play against: the kernel has no greater one."""


def stand_back(niceness: int) -> None:
    """Let this process, and those it will start, have at least this niceness.

    Where the kernel shares cores between terminals first (sched(7), autogroup), a process that
    leads a session of its own makes the whole session as nice.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, max(niceness, os.getpriority(os.PRIO_PROCESS, 0)))
    if os.getsid(0) == os.getpid():
        with suppress(OSError):
            Path("/proc/self/autogroup").write_text(str(niceness))
