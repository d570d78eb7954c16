"""Confining a bot's process, step by step, before a line of the bot's code runs.

Called once, in the child of the zygote's fork. Each step is one system call or two and needs
nothing but ctypes; their order matters and is the order of `confine`.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal

CHANNEL = 3
"""Descriptor of the bot's channel to the referee."""

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38

ADDRESS_SPACE = 4 << 30
"""Bytes. Far above the memory limit: thread arenas reserve address space they never touch."""

FILE_SIZE = 16 << 20
"""Bytes of the largest file a bot may write, its printed output included."""

OPEN_FILES = 32

_libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """One Linux process control. Raises OSError."""
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}): {os.strerror(number)}")


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when `parent` ends, and end now if it already has."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def hide_memory() -> None:
    """Keep other processes of the same user from reading or tracing this one."""
    prctl(PR_SET_DUMPABLE, 0)


def confine(*, channel: int, output: int, parent: int, memory_mb: int, root: str) -> None:
    """Turn a fork of the zygote into a bot's process. Raises OSError if any layer fails.

    Keeps `channel` as descriptor CHANNEL and `output` as standard output and error.
    """
    # a session of its own: a terminal's Ctrl-C and a stray killpg go past it
    os.setsid()
    # nothing to read, nothing but its own output to write, no descriptor of the zygote's
    _keep_only(channel, output)
    # no environment: no secrets, no settings that differ from machine to machine
    os.environ.clear()
    os.environ.update({"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": root})
    os.chdir(root)
    # DATA is the memory limit: it counts what is allocated, address space what is reserved
    memory = memory_mb << 20
    _limit(resource.RLIMIT_DATA, memory)
    _limit(resource.RLIMIT_AS, max(ADDRESS_SPACE, 2 * memory))
    _limit(resource.RLIMIT_FSIZE, FILE_SIZE)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_MEMLOCK, 0)
    _limit(resource.RLIMIT_MSGQUEUE, 0)
    # a lane that is killed must leave no bot behind
    die_with_parent(parent)
    # set-user-id programs give nothing back
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def _limit(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))


def _keep_only(channel: int, output: int) -> None:
    # first out of the way of 0 to 3, whatever numbers the two happen to have
    channel, output = (os.dup(fd) if fd > CHANNEL else _lift(fd) for fd in (channel, output))
    null = _lift(os.open(os.devnull, os.O_RDONLY))
    for source, target in ((null, 0), (output, 1), (output, 2), (channel, CHANNEL)):
        os.dup2(source, target, inheritable=False)
    os.closerange(CHANNEL + 1, os.sysconf("SC_OPEN_MAX"))


def _lift(fd: int) -> int:
    """A copy of a descriptor above the standard ones."""
    return fcntl.fcntl(fd, fcntl.F_DUPFD, CHANNEL + 1)
