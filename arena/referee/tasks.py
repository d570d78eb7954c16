"""The threads and processes that this machine lets Arena start.

Each bot may have its TASKS. Where all of them together could have more than a user or a container
may, one bot's threads could keep another from starting its first.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator

from arena.host.sandbox import tasks_of
from arena.host.supervisor import TASKS
from arena.referee.groups import control_groups, number

LANE_TASKS = 4
"""A lane, its zygotes, and one that waits for them."""

GAME_TASKS = 2 * TASKS + LANE_TASKS

MANY = 1 << 16
"""Games at a time where there is no limit."""


def games_in_tasks() -> int:
    """Return the number of games that fit at a time if each bot starts all that it may."""
    return min((room // GAME_TASKS for room in _rooms()), default=MANY)


def tasks_plan() -> str:
    """Return the figures behind `games_in_tasks`, as a clause."""
    room = min(_rooms(), default=None)
    left = "any number of" if room is None else f"{room:,} more"
    return f"{left} threads and processes can be started and a game may need {GAME_TASKS}"


def _rooms() -> Iterator[int]:
    """Yield the rest of each limit."""
    most = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    if os.geteuid() != 0 and most != resource.RLIM_INFINITY:  # root is not held to it
        yield max(0, most - tasks_of(os.geteuid()))
    for group in control_groups("pids")[1]:
        limit, used = number(group / "pids.max"), number(group / "pids.current")
        if limit is not None and used is not None:
            yield max(0, limit - used)
