"""The processor time that a control group leaves to Arena, as a container's with `--cpus 1.5`.

It says nothing of which cores may be used. Where lanes together want more time than that, the
kernel stops all of them until the next period: no bot is charged for it, but games take longer.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from arena.referee.groups import control_groups, number

MANY = 1 << 16
"""Games at a time where there is no limit."""


def games_in_quota() -> int:
    """Return the number of games that can be played at a time, each with the time of a core."""
    quota = processor_quota()
    return MANY if quota is None else int(quota)


def quota_plan() -> str:
    """Return the figures behind `games_in_quota`, as a clause."""
    quota = processor_quota()
    return (
        "the time of all cores can be used"
        if quota is None
        else f"the time of {quota:g} {'core' if quota == 1 else 'cores'} can be used and a game "
        "needs that of one"
    )


def processor_quota() -> float | None:
    """Return the cores whose time may be used, the least of all groups' limits; None for no limit.

    See cpu.max in cgroups(7) and, for version 1, the kernel's document sched-bwc.
    """
    quotas = [quota for group in control_groups("cpu")[1] if (quota := _quota(group)) is not None]
    return min(quotas, default=None)


def _quota(group: Path) -> float | None:
    """Return the limit of one group, of either version."""
    with suppress(OSError, ValueError):
        most, period = (group / "cpu.max").read_text().split()
        return int(most) / int(period)  # "max" is no number
    most_us, period_us = (number(group / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
    if most_us is None or period_us is None or most_us < 0:
        return None
    return most_us / period_us
