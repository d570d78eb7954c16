"""The server's processes: at low priority, and started again when they end.

They print messages and read orders, each as a line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.common.home import has_sandbox
from arena.common.system import windows_flags

READERS = 17  # Niceness of server and publisher: they get some 2 % of a core that a lane uses.
BOTS = 19  # Niceness of visitors' bots: the highest.
LINE = 16 << 20  # Bytes of the longest line.
RESTART_SECONDS = 2.0  # Seconds until a process that has ended is replaced.
END_SECONDS = 5.0  # Seconds before a process that should end is killed.

# Ends a board's game, and any other process. Windows has no such signal: there a board ends its
# game when the bot has answered, and other processes end with their input.
LEAVE: int | None = getattr(signal, "SIGUSR1", None)
Message = dict[str, Any]


def lower_priority(niceness: int, pid: int = 0) -> None:
    """Give a process and its later children at least this niceness.

    Batch scheduling keeps them from interrupting a lane; a session's autogroup gets it too
    (sched(7)).
    """
    if not hasattr(os, "setpriority"):  # Windows
        return
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, max(niceness, os.getpriority(os.PRIO_PROCESS, pid)))
    if not has_sandbox():
        return
    with suppress(OSError):
        os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))
    with suppress(OSError):
        if os.getsid(pid) == (pid or os.getpid()):
            Path(f"/proc/{pid or 'self'}/autogroup").write_text(str(niceness))


def end_with_server() -> None:
    """End with the server; without the sandbox, processes must watch their input."""
    if has_sandbox():
        from arena.host.sandbox.confining import die_with_parent  # for Linux alone

        die_with_parent(os.getppid())


def send(message: Message) -> None:
    with suppress(BrokenPipeError):
        print(json.dumps(message), flush=True)


class ServerProcess:
    def __init__(self, module: str, *words: object) -> None:
        self._command = sys.executable, "-m", module, *map(str, words)
        self._process: Process | None = None

    async def run(
        self, received: Callable[[Message], None], ended: Callable[[], None] = lambda: None
    ) -> None:
        """Keep the process running until the task is cancelled; report its messages, ends."""
        while True:
            self._process = process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=PIPE,
                stdout=PIPE,
                limit=LINE,
                start_new_session=True,
                creationflags=windows_flags(),
            )
            assert process.stdout is not None
            try:
                async for line in process.stdout:
                    received(json.loads(line))
            finally:
                ended()
                await self._end(process)
            await asyncio.sleep(RESTART_SECONDS)

    def order(self, order: Message) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")

    def leave(self) -> None:
        if self._process is not None and LEAVE is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(LEAVE)

    async def _end(self, process: Process) -> None:
        if process.stdin is not None:
            process.stdin.close()
        self.leave()
        try:
            async with asyncio.timeout(END_SECONDS):
                await process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
