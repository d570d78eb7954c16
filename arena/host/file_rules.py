"""The files that a bot's process may open, as rules of Landlock."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from glob import glob

from arena.host import landlock

READABLE = (
    *("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *("/etc/localtime", "/etc/ld.so.cache", "/etc/os-release", "/etc/mime.types"),
    *("/etc/ssl/openssl.cnf", "/sys/devices/system/cpu", "/proc/cpuinfo"),
    *("/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/version"),
    *("/dev/zero", "/dev/random", "/dev/urandom"),
)
"""Paths that ordinary programs read and that say nothing of anybody's work."""

ABOUT_ITSELF = ("fd", "maps", "stat", "statm", "status")
"""Files that it may read below /proc/self; `net`, `mountinfo` and the like tell of others."""

ENGINE = "engine"
"""The folder of Arena's package that no bot may read: house players have it loaded."""

EXECUTABLE = ("/usr", "/bin", "/lib", "/lib64")

JAVA_SETTINGS = "/etc/java-*"
"""Debian's folder for those of Java's own files that an administrator may want to change."""


def file_rules(folder: str, tool: tuple[str, ...] = (), *, programs: bool) -> int:
    """Return Landlock's rules for a bot, as a descriptor.

    It may change `folder`, and read that, Python and `tool`; with `programs` it may run programs.
    """
    reads = int(landlock.READ)
    common: tuple[str, ...] = READABLE
    if programs:
        reads |= landlock.Access.EXECUTE
        common += (*EXECUTABLE, *glob(JAVA_SETTINGS))
    about = [os.path.join("/proc/self", name) for name in ABOUT_ITSELF]
    its = [os.open(path, os.O_PATH) for path in (folder, os.devnull, *about, *tool)]
    rules = [(place, reads & rights) for place, rights in readable(common)]
    rules += [(place, reads) for place in its]
    rules += [(place, reads | landlock.OWN) for place in its[:2]]
    fd = landlock.ruleset(rules)
    for place in its:
        os.close(place)
    return fd


@cache
def readable(common: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Return descriptors of those paths, of Python and of the packages, each with its rights.

    They stay open in the zygote, which need not look for them again for every bot.
    """
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    python = [sysconfig.get_path(kind) for kind in kinds]
    python += [os.path.join(prefix, "lib") for prefix in (sys.prefix, sys.base_prefix)]
    python += [sys.executable, os.path.join(sys.prefix, "pyvenv.cfg")]
    # Arena's own package too: Python reads a module's source when it prints a traceback
    package = os.path.realpath(os.path.dirname(os.path.dirname(__file__)))
    found: list[str] = []
    for path in sorted({os.path.realpath(path) for path in (*common, *python, package)}):
        if os.path.exists(path) and not any(path.startswith(other + "/") for other in found):
            found.append(path)
    return tuple(
        (os.open(part, os.O_PATH | os.O_CLOEXEC), rights)
        for path in found
        for part, rights in _all_but(os.path.join(package, ENGINE), path)
    )


def _all_but(hidden: str, path: str) -> Iterator[tuple[str, int]]:
    """Yield parts and rights by which all below a path can be read but the files of one folder.

    Landlock knows no exceptions: so around that folder it is its neighbours that are named.
    """
    if not f"{hidden}/".startswith(f"{path}/"):
        yield path, -1
    elif path != hidden:
        yield path, int(landlock.Access.READ_DIR)
        for name in os.listdir(path):
            part = os.path.join(path, name)
            # a link may lead back to where the folder is, which is named under its own name
            if not os.path.islink(part) or not f"{hidden}/".startswith(os.path.realpath(part)):
                yield from _all_but(hidden, part)
