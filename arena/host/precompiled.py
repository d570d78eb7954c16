"""Course modules that bots import, compiled by numba once and not by every bot."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Sequence
from time import monotonic

from arena.host.sandbox.confining import die_with_parent
from arena.interfaces import support

SECONDS = 50
"""The longest that compiling may take, less than a lane's patience; else it is left to the bots."""


def course_modules(interface: str, folder: str, lane: int) -> int | None:
    """Return the folder of what numba keeps for the course modules of this interface.

    As a descriptor; None if nothing of these modules is compiled. It is made in `folder` for the
    first who asks, and stays empty if that does not work, in a process of its own that never saw a
    bot and ends when `lane` does, the channel to who waits for it.
    """
    program = support.compiler(interface)
    if program is None:
        return None
    made = os.path.join(folder, f"{interface}.numba")
    try:
        if not os.path.exists(made):
            os.mkdir(made)
            if not _ran([sys.executable, "-s", str(program)], made, lane):
                shutil.rmtree(made)
                os.mkdir(made)
        return os.open(made, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None


def _ran(words: Sequence[str], cache: str, lane: int) -> bool:
    """Run a program; return True if it ended well before its time was up or its lane gone.

    One that is killed is run again, once: else every bot would compile these modules in its own
    time.
    """
    end = monotonic() + SECONDS
    status = _status(words, cache, lane, end)
    return (_status(words, cache, lane, end) if status < 0 else status) == 0


def _status(words: Sequence[str], cache: str, lane: int, end: float) -> int:
    """Run a program until `end` at most; return its status as Popen has it."""
    parent = os.getpid()
    process = subprocess.Popen(
        words,
        env=os.environ | {"NUMBA_CACHE_DIR": cache},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: die_with_parent(parent),
    )
    watched = select.poll()
    watched.register(lane, select.POLLHUP)
    ended = os.pidfd_open(process.pid)
    watched.register(ended, select.POLLIN)
    events = dict(watched.poll(max(0.0, end - monotonic()) * 1000))
    os.close(ended)
    if ended not in events:
        process.kill()
    return process.wait()
