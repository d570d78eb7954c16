"""What numba makes of the course modules that bots are lent, made once and not by every bot."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.host.sandbox import die_with_parent
from arena.interfaces import support

SECONDS = 50
"""What takes longer is left to the bots; it is less than a lane's patience."""


def compiled(interface: str, folder: str, lane: int) -> Mapping[str, bytes]:
    """The files that numba would keep for the modules that a bot of this interface is lent.

    By their paths in its cache; none if nothing of these modules is compiled, or it does not work.
    They are made in a process of its own, which never saw a bot, with its files in `folder`. It
    ends when `lane` does, the channel to who waits for it.
    """
    program = support.compiler(interface)
    if program is None:
        return {}
    try:
        with tempfile.TemporaryDirectory(dir=folder) as cache:
            if not _ran([sys.executable, "-s", str(program)], cache, lane):
                return {}
            files = (file for file in Path(cache).rglob("*") if file.is_file())
            return {str(file.relative_to(cache)): file.read_bytes() for file in files}
    except OSError:
        return {}


def _ran(words: Sequence[str], cache: str, lane: int) -> bool:
    """Whether a program ran to a good end before its time was up or its lane gone."""
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
    return process.wait() == 0
