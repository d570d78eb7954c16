"""The memory that this machine has for bots, and whether it ran out of it.

Processes are in control groups, of version 1 or 2, that can have limits of their own. When the
memory of the machine or of a group ends, the kernel kills a process of its choice: that is no
fault of that process.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from arena.referee.groups import control_groups, number

LIMITS = ("memory.max", "memory.limit_in_bytes")
USAGES = ("memory.current", "memory.usage_in_bytes")
RECLAIMABLE = ("inactive_file", "total_inactive_file")
KILLS = ("memory.events", "memory.oom_control")
"""Files and figures of version 2, and the same of version 1."""


LANE_BYTES = 96 << 20
"""Memory that a lane and its zygote need beside the bots."""

RESTING_BYTES = 160 << 20
"""Memory of all bots of a lane that stay seated while two others play."""

MANY = 1 << 16
"""Games at a time where nobody can tell what memory there is."""


def games_in_memory(memory_mb: int) -> int:
    """Return the number of games that fit into memory at a time if each bot uses all its limit."""
    free = free_bytes()
    return MANY if free is None else free // ((2 * memory_mb << 20) + LANE_BYTES + RESTING_BYTES)


def memory_plan(memory_mb: int) -> str:
    """Return the figures behind `games_in_memory`, as a clause."""
    free = (free_bytes() or 0) >> 20
    return f"{free:,} MB of memory are free and a game may need two times {memory_mb} MB"


def free_bytes() -> int | None:
    """Bytes still free of the machine's memory and of each limit above this process.

    None where nobody can tell.
    """
    free = [figure << 10 for name, figure in _figures(Path("/proc/meminfo")) if "Avail" in name]
    version, groups = control_groups("memory")
    for group in groups:
        limit, usage = (number(group / names[version]) for names in (LIMITS, USAGES))
        if limit is not None and usage is not None:
            files = dict(_figures(group / "memory.stat")).get(RECLAIMABLE[version], 0)
            free.append(max(0, limit - usage + files))
    return min(free, default=None)


def oom_kills() -> int:
    """Return the number of processes that were killed for want of memory so far.

    In this process's control group, if that counts them, or else on the whole machine.
    """
    version, groups = control_groups("memory")
    for path in (*(group / KILLS[version] for group in groups[:1]), Path("/proc/vmstat")):
        if (count := dict(_figures(path)).get("oom_kill")) is not None:
            return count
    return 0


def _figures(path: Path) -> list[tuple[str, int]]:
    """(name, figure) of each line of a file that begins so; none if it cannot be read."""
    with suppress(OSError):
        lines = (line.split() for line in path.read_text().splitlines())
        return [(words[0], int(words[1])) for words in lines if words[1:] and words[1].isdigit()]
    return []
