"""The control groups that this process is in, of version 1 or 2, and what they say.

See cgroups(7). They can have limits of their own, in a container most often.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup")
"""Folder of the control groups; those of version 1 lie in folders named after what they control."""


def control_groups(kind: str) -> tuple[int, list[Path]]:
    """The groups for `memory` or `pids` that this process is in, the innermost first, and 1 if
    they are of version 1, 0 if of version 2."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            old = kind in controllers.split(",")
            root = MOUNT / kind if old else MOUNT
            if old or (not controllers and not (MOUNT / kind).is_dir()):
                # in a container the path may be the one outside, and the root its own group
                inner = root / path.strip("/")
                inner = inner if inner.is_dir() else root
                return int(old), [inner, *(up for up in inner.parents if up.is_relative_to(root))]
    return 0, []


def number(path: Path) -> int | None:
    """The number that a file holds; None if it holds another word, or is not there."""
    with suppress(OSError, ValueError):
        return int(path.read_text())
    return None
