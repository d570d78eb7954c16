"""Resources of a machine for bots: memory, processor time, threads, processes.

Control groups can limit each. When memory is used up, the kernel kills a process of its choice,
which need not be at fault. If lanes want more processor time than allowed (`docker run --cpus
1.5`), it stops all of them until the next period, which no bot is charged for. Without room for
each bot's TASKS threads and processes, one could keep another from starting any.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from arena.common.home import at_home
from arena.host.bot_folder import TASKS

# Folder of the control groups; version 1 has one folder per controller in it.
MOUNT = Path("/sys/fs/cgroup")

# Names of control groups' files and figures, in version 2 and then in version 1.
LIMITS = ("memory.max", "memory.limit_in_bytes")
USAGES = ("memory.current", "memory.usage_in_bytes")
RECLAIMABLE = ("inactive_file", "total_inactive_file")
KILLS = ("memory.events", "memory.oom_control")
LANE_BYTES = 96 << 20  # Memory that a lane and its zygote need besides the bots.
RESTING_BYTES = 160 << 20  # Memory of all bots of a lane that stay loaded while two others play.
MANY = 1 << 16  # Games at a time if there is no limit, or none is known.


class Room(NamedTuple):
    games: int

    plan: str
    """The figures behind `games`, as a clause."""


def room_in_memory(memory_mb: int) -> Room:
    free = free_bytes()
    game = (2 * memory_mb << 20) + LANE_BYTES + RESTING_BYTES
    plan = (
        f"{(free or 0) >> 20:,} MB of memory are free and a game may need two times {memory_mb} MB"
    )
    return Room(MANY if free is None else free // game, plan)


def free_bytes() -> int | None:
    """Return the free bytes within the limits of the machine and all groups, or None."""
    free = [psutil.virtual_memory().available]
    version, groups = control_groups("memory")
    for group in groups:
        limit, usage = (number(group / names[version]) for names in (LIMITS, USAGES))
        if limit is not None and usage is not None:
            files = dict(_figures(group / "memory.stat")).get(RECLAIMABLE[version], 0)
            free.append(max(0, limit - usage + files))
    return min(free, default=None)


def oom_kills() -> int:
    """Return the kernel's kills for lack of memory, in this group if known."""
    version, groups = control_groups("memory")
    for path in (*(group / KILLS[version] for group in groups[:1]), Path("/proc/vmstat")):
        if (count := dict(_figures(path)).get("oom_kill")) is not None:
            return count
    return 0


def _figures(path: Path) -> list[tuple[str, int]]:
    with suppress(OSError):
        lines = (line.split() for line in path.read_text().splitlines())
        return [(words[0], int(words[1])) for words in lines if words[1:] and words[1].isdigit()]
    return []


def control_groups(kind: str) -> tuple[int, list[Path]]:
    """Return (1 if version 1 else 0, this process's control groups, innermost first)."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            old = kind in controllers.split(",")
            root = MOUNT / kind if old else MOUNT
            if old or (not controllers and not (MOUNT / kind).is_dir()):
                # in a container this may be the path outside, while its own group is the root
                inner = root / path.strip("/")
                inner = inner if inner.is_dir() else root
                return int(old), [inner, *(up for up in inner.parents if up.is_relative_to(root))]
    return 0, []


def number(path: Path) -> int | None:
    """Return the number in a file; None if there is none."""
    with suppress(OSError, ValueError):
        return int(path.read_text())
    return None


def room_in_quota() -> Room:
    quota = processor_quota()
    if quota is None:
        return Room(MANY, "the time of all cores is available")
    cores = "core" if quota == 1 else "cores"
    return Room(
        int(quota), f"the time of {quota:g} {cores} is available and a game needs that of one"
    )


def processor_quota() -> float | None:
    """Return the cores whose time may be used, None for no limit; see cgroups(7)."""
    quotas = [quota for group in control_groups("cpu")[1] if (quota := _quota(group)) is not None]
    return min(quotas, default=None)


def _quota(group: Path) -> float | None:
    with suppress(OSError, ValueError):
        most, period = (group / "cpu.max").read_text().split()
        return int(most) / int(period)  # "max" raises ValueError: no limit
    most_us, period_us = (number(group / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
    if most_us is None or period_us is None or most_us < 0:
        return None
    return most_us / period_us


LANE_TASKS = 4  # A lane, its zygotes, and one process that waits for them.
GAME_TASKS = 2 * TASKS + LANE_TASKS


def room_in_tasks() -> Room:
    """Return the room for games whose bots each start as many tasks as they may."""
    rest = None if at_home() else min(_free_tasks(), default=None)
    left = "any number of" if rest is None else f"{rest:,} more"
    plan = f"{left} threads and processes can be started and a game may need {GAME_TASKS}"
    return Room(MANY if rest is None else rest // GAME_TASKS, plan)


def _free_tasks() -> Iterator[int]:
    import resource  # which only Linux needs

    from arena.host.sandbox.confining import tasks_of

    most = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    if os.geteuid() != 0 and most != resource.RLIM_INFINITY:  # root has no limit
        yield max(0, most - tasks_of(os.geteuid()))
    for group in control_groups("pids")[1]:
        limit, used = number(group / "pids.max"), number(group / "pids.current")
        if limit is not None and used is not None:
            yield max(0, limit - used)
