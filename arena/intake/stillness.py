"""Waiting until nobody writes in a folder any more.

Submissions may be copied into it right now, by somebody's hand or by another program. Half of a
file would be read as a broken bot, and those who are not there yet would be missed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from arena.errors import StillChangingError
from arena.numbers import rough_duration

MOST_SECONDS = 600.0
"""For so long it is waited."""

LOOK_SECONDS = 1.0
"""Seconds between two looks."""

Seen = frozenset[tuple[str, int, int, int]]
"""Path, inode, size, and the time of the last change in nanoseconds of all in a folder."""


def seen_in(folder: Path) -> Seen:
    """Return what is in a folder at this moment; nothing if there is no such folder."""
    paths = [str(folder)]
    for here, folders, files in os.walk(folder):
        paths += (os.path.join(here, name) for name in (*folders, *files))
    found = set()
    for path in paths:
        try:
            facts = os.lstat(path)
        except OSError:
            continue  # it has just gone
        # not st_mtime, which copying sets to a time of long ago
        found.add((path, facts.st_ino, facts.st_size, facts.st_ctime_ns))
    return frozenset(found)


def wait_until_still(
    folder: Path,
    seconds: float,
    *,
    sleep: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.time,
) -> Seen:
    """Wait until nothing in a folder has changed for so many seconds, and return what is in it.

    Raises StillChangingError if it changes for MOST_SECONDS.
    """
    seen, began = seen_in(folder), now()
    since = max((changed / 1e9 for *_, changed in seen), default=0.0)
    if since > began:
        since = began  # the file's machine has another clock
    while now() - since < seconds:
        if now() - began >= MOST_SECONDS:
            waited = rough_duration(MOST_SECONDS)
            raise StillChangingError(
                f"{folder}: still changes after {waited}; type the same command again once all "
                "is there"
            )
        sleep(min(LOOK_SECONDS, seconds))
        before, seen = seen, seen_in(folder)
        if seen != before:
            since = now()
    return seen
