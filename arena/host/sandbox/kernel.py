"""System calls that Python does not offer, and trials of irreversible steps."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import struct
from collections.abc import Callable

PR_SET_PDEATHSIG = 1
TRIES = 10  # Trials of a step whose process is killed from outside, such as for lack of memory.
TRACE_SIGNAL = signal.SIGRTMAX  # Makes a bot's process print its stack; programs do not use it.
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION = 0x20080522
_libc = ctypes.CDLL(None, use_errno=True)


def syscall(number: int, *arguments: object) -> int:
    """Make a system call by its number; pass integers as C longs. Raises OSError."""
    longs = (ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)
    return _checked(_libc.syscall(ctypes.c_long(number), *longs), f"system call {number}")


def prctl(option: int, *arguments: int) -> int:
    """Make a process control call, see prctl(2). Raises OSError."""
    longs = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(_libc.prctl(option, *longs), f"prctl({option})")


def set_capabilities(permitted: int, inheritable: int = 0) -> None:
    """Keep only these capabilities, given as bits. Raises OSError if one is missing."""
    header = struct.pack("Ii", _CAPABILITY_VERSION, 0)
    sets = struct.pack("6I", permitted, permitted, inheritable, 0, 0, 0)
    syscall(_CAPSET[os.uname().machine], header, sets)


def works(step: Callable[[], object]) -> bool:
    """Try a step in a child process; return True if it succeeds.

    Raises OSError if the child is killed TRIES times: this must not count as a missing layer.
    """
    for _ in range(TRIES):
        pid = os.fork()
        if pid == 0:
            try:
                step()
                os._exit(0)
            finally:
                os._exit(1)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
            return status == 0
    raise OSError(errno.ENOMEM, "a trial of the sandbox was killed each time")


def _checked(result: int, what: str) -> int:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return int(result)
