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

READERS = 17  # Niceness of server and publisher: they get some 2 % of a core that a lane uses.
BOTS = 19  # Niceness of visitors' bots: the highest.
LINE = 16 << 20  # Bytes of the longest line.
RESTART_SECONDS = 2.0  # Seconds until a process that has ended is replaced.
END_SECONDS = 5.0  # Seconds before a process that should end is killed.
LEAVE = signal.SIGUSR1  # Ends a board's game, and any other process.
Message = dict[str, Any]


def lower_priority(niceness: int, pid: int = 0) -> None:
    """Give a process and its later children at least this niceness.

    Batch scheduling also keeps them from interrupting a lane when they wake up. The niceness is set
    for the autogroup too if the process leads a session (sched(7)).
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, max(niceness, os.getpriority(os.PRIO_PROCESS, pid)))
        os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))
    with suppress(OSError):
        if os.getsid(pid) == (pid or os.getpid()):
            Path(f"/proc/{pid or 'self'}/autogroup").write_text(str(niceness))


def send(message: Message) -> None:
    """Print a message for the server, which may have ended."""
    with suppress(BrokenPipeError):
        print(json.dumps(message), flush=True)


class ServerProcess:
    """A process of the server, seen from the server."""

    def __init__(self, module: str, *words: object) -> None:
        """Take the words after `python -m`."""
        self._command = sys.executable, "-m", module, *map(str, words)
        self._process: Process | None = None

    async def run(
        self, received: Callable[[Message], None], ended: Callable[[], None] = lambda: None
    ) -> None:
        """Keep the process running until the task is cancelled.

        `received` is called for each message, `ended` when a process has ended.
        """
        while True:
            self._process = process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, start_new_session=True, limit=LINE
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
        if self._process is not None:
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
