"""Course modules that bots import, compiled by numba once instead of by every bot."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Sequence

from arena.host.sandbox.confining import die_with_parent
from arena.interfaces.contract import course_compiler

SECONDS = 50  # Longest time to compile; a lane would wait longer. After that each bot compiles.


def compiled_modules(interface: str, folder: str, lane: int) -> int | None:
    """Return a descriptor of the folder with numba's cache for an interface's modules.

    None if the interface has none; the folder stays empty if compiling fails. The first call makes
    it in `folder`, in a separate process that never saw a bot. This process ends if the channel
    `lane` is closed.
    """
    program = course_compiler(interface)
    if program is None:
        return None
    made = os.path.join(folder, f"{interface}.numba")
    try:
        if not os.path.exists(made):
            os.mkdir(made)
            if _status([sys.executable, "-s", str(program)], made, lane) != 0:
                shutil.rmtree(made)
                os.mkdir(made)
        return os.open(made, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None


def _status(words: Sequence[str], cache: str, lane: int) -> int:
    """Return a program's exit status; it is killed after SECONDS, and if the lane ends."""
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
    events = dict(watched.poll(SECONDS * 1000))
    os.close(ended)
    if ended not in events:
        process.kill()
    return process.wait()
