"""Landlock: which files a process may open, and which processes it may signal.

Landlock needs no privilege, holds for every thread and child, and cannot be undone. It leaves
metadata and changes of mode or owner to `seccomp`. The constants are from linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from enum import IntFlag
from functools import cache
from glob import glob
from pathlib import Path

from arena.host.sandbox.kernel import syscall
from arena.interfaces.contract import COURSES

# System calls with the same number on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1


class Access(IntFlag):
    """Rights on files and folders. `LATER` lists those that came after ABI 1."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13
    TRUNCATE = 1 << 14
    IOCTL_DEV = 1 << 15


LATER = ((2, Access.REFER), (3, Access.TRUNCATE), (5, Access.IOCTL_DEV))
NET_ABI, SCOPE_ABI = 4, 6
TCP = 0b11  # bind and connect
SCOPES = 0b11  # abstract sockets of processes outside, and signals to them
READ = Access.READ_FILE | Access.READ_DIR
# Rights in the bot's own folder: all but running programs and making devices, pipes or sockets.
OWN = (
    READ
    | Access.WRITE_FILE
    | Access.TRUNCATE
    | Access.REMOVE_DIR
    | Access.REMOVE_FILE
    | Access.MAKE_DIR
    | Access.MAKE_REG
    | Access.MAKE_SYM
    | Access.REFER
)

# Rights that a rule on a single file may have.
_ON_FILES = int(
    Access.EXECUTE | Access.WRITE_FILE | Access.READ_FILE | Access.TRUNCATE | Access.IOCTL_DEV
)


class _Attributes(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def abi() -> int:
    """Return the kernel's Landlock version; 0 if it is missing or disabled."""
    try:
        return syscall(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    except OSError:
        return 0


def ruleset(rules: Iterable[tuple[int, int]]) -> int:
    """Return a descriptor of rules that allow only these rights.

    Each rule is (O_PATH descriptor of a file or folder, `Access` to all of it). Raises OSError.
    """
    version = abi()
    handled = _handled(version)
    attributes = _Attributes(
        handled, TCP if version >= NET_ABI else 0, SCOPES if version >= SCOPE_ABI else 0
    )
    fd = syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.sizeof(attributes), 0)
    for place, access in rules:
        on_it = handled if stat.S_ISDIR(os.fstat(place).st_mode) else handled & _ON_FILES
        rule = _PathBeneath(access & on_it, place)
        syscall(_ADD_RULE, fd, _RULE_PATH_BENEATH, ctypes.byref(rule), 0)
    return fd


def restrict(ruleset: int) -> None:
    """Apply the rules permanently. Needs no_new_privs. Raises OSError."""
    syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _handled(version: int) -> int:
    handled = int(Access.REFER) - 1  # the rights of ABI 1
    for since, access in LATER:
        if version >= since:
            handled |= access
    return handled


# Paths that ordinary programs read and that reveal nothing of anyone's work.
READABLE = (
    *("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *("/etc/localtime", "/etc/ld.so.cache", "/etc/os-release", "/etc/mime.types"),
    *("/etc/ssl/openssl.cnf", "/sys/devices/system/cpu", "/proc/cpuinfo"),
    *("/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/version"),
    *("/dev/zero", "/dev/random", "/dev/urandom"),
)

# Readable files below /proc/self; `net`, `mountinfo` and others reveal other processes.
ABOUT_ITSELF = ("cmdline", "fd", "maps", "stat", "statm", "status")
ENGINE = "engine"  # Folder of Arena's package that no bot may read; house players have it loaded.
EXECUTABLE = ("/usr", "/bin", "/lib", "/lib64")
JAVA_SETTINGS = "/etc/java-*"  # Debian's folder for Java's files that an administrator may change.


def file_rules(folder: str, tool: tuple[str, ...] = (), *, programs: bool) -> int:
    """Return a descriptor of Landlock's rules for a bot.

    The bot may change `folder`, and read `folder`, Python and `tool`.
    """
    reads = int(READ)
    common: tuple[str, ...] = READABLE
    if programs:
        reads |= Access.EXECUTE
        common += (*EXECUTABLE, *glob(JAVA_SETTINGS))
    about = [os.path.join("/proc/self", name) for name in ABOUT_ITSELF]
    its = [os.open(path, os.O_PATH) for path in (folder, os.devnull, *about, *tool)]
    rules = [(place, reads & rights) for place, rights in readable(common)]
    rules += [(place, reads) for place in its]
    rules += [(place, reads | OWN) for place in its[:2]]
    fd = ruleset(rules)
    for place in its:
        os.close(place)
    return fd


@cache
def readable(common: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Return (descriptor, rights) of `common` paths, of Python and of the packages.

    The descriptors stay open in the zygote, for all bots.
    """
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    python = [sysconfig.get_path(kind) for kind in kinds]
    python += [os.path.join(prefix, "lib") for prefix in (sys.prefix, sys.base_prefix)]
    python += [sys.executable, os.path.join(sys.prefix, "pyvenv.cfg"), str(COURSES)]
    # Arena's own package too: Python reads a module's source when it prints a traceback
    package = os.path.realpath(Path(__file__).parents[2])
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
    """Yield (path, rights) that make all below `path` readable except the files in `hidden`.

    Landlock has no exceptions, so this lists the neighbours of `hidden` instead.
    """
    if not f"{hidden}/".startswith(f"{path}/"):
        yield path, -1
    elif path != hidden:
        yield path, int(Access.READ_DIR)
        for name in os.listdir(path):
            part = os.path.join(path, name)
            # a link may lead back to the hidden folder's parents
            if not os.path.islink(part) or not f"{hidden}/".startswith(os.path.realpath(part)):
                yield from _all_but(hidden, part)
