"""The zygote's decisions on system calls that make files, threads or processes.

Such a call waits in the kernel until the zygote has counted what the bot has (seccomp_unotify(2)).
The kernel's own limit on threads would not do: it is per user, and a user may have many bots.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from contextlib import suppress

from arena.host.bot_folder import TASKS
from arena.host.protocol import CROWDED, ZYGOTE_CPU, ZYGOTE_CPU_AT
from arena.host.sandbox import seccomp
from arena.host.sandbox.scratch import Quota

_RECEIVE, _SEND = 0xC0502100, 0xC0182101  # SECCOMP_IOCTL_NOTIF_RECV and _SEND
_CALL_BYTES = 80
_ID, _NUMBER = 0, 16  # Offsets in struct seccomp_notif
_VERDICT = struct.Struct("<QqiI")
_CONTINUE = 1
_NO_TASKS = 2  # Links of a task folder that are not threads


class Supervisor:
    def __init__(self, listener: int, pid: int, quota: Quota, shared: int) -> None:
        """Supervise a bot whose process id in /proc, and process group, is `pid`.

        `listener` receives the bot's calls. `shared` is a file of protocol.SHARED, set to CROWDED
        before the first thread or process is granted. `close` closes all three.
        """
        self._listener, self._shared = listener, shared
        self._cpu = 0
        self._pid = pid
        self._quota = quota
        self._tasks = TASKS - 1  # threads to grant before they are counted again
        numbers = seccomp.numbers()
        self._starts = {numbers.get(name) for name in ("clone", "fork", "vfork")}

    def answer(self) -> None:
        """Grant or refuse one waiting call."""
        call = bytearray(_CALL_BYTES)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, call)
            (identity,) = struct.unpack_from("<Q", call, _ID)
            (number,) = struct.unpack_from("<i", call, _NUMBER)
            refusal = self._refusal(number)
            flags = 0 if refusal else _CONTINUE
            fcntl.ioctl(self._listener, _SEND, _VERDICT.pack(identity, 0, -refusal, flags))
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EINTR):  # these mean that the caller ended
                raise

    def account(self, cpu_ns: int) -> None:
        """Add to the zygote's CPU that the bot's clock charges to the bot."""
        self._cpu += cpu_ns
        os.pwrite(self._shared, ZYGOTE_CPU.pack(self._cpu), ZYGOTE_CPU_AT)

    def close(self) -> None:
        os.close(self._listener)
        os.close(self._shared)
        self._quota.close()

    def _refusal(self, number: int) -> int:
        """Return a call's error number; 0 grants the call."""
        if number in self._starts:
            return 0 if self._may_start() else errno.EAGAIN
        return 0 if self._quota.grant() else errno.ENOSPC

    def _may_start(self) -> bool:
        """Return True if the bot may start one more thread or process.

        With simultaneous calls a bot may get up to twice the limit.
        """
        if not self._tasks:
            everybody = map(int, filter(str.isdigit, os.listdir("/proc")))
            tasks = sum(_threads(pid) for pid in everybody if _group(pid) == self._pid)
            self._tasks = max(0, TASKS - tasks)
            if not self._tasks:
                return False
        self._tasks -= 1
        os.pwrite(self._shared, bytes([CROWDED]), 0)
        return True


def _threads(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}/task").st_nlink - _NO_TASKS
    except OSError:
        return 0


def _group(pid: int) -> int:
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[2])
    return 0
